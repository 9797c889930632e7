// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.Setting;
import io.millrace.client.command.SetOptions;
import java.time.Duration;
import java.util.Optional;

/**
 * The options that all targets share.
 *
 * @param key template of the key, such as {@code customer:{id}}
 * @param ttl expiry of the whole key, 1 ms to 36,500 days, set in the same step as the write; empty for no expiry
 * @param nullText text that is written for NULL in a value, but never in a key; empty if NULL is left out
 * @param jsonNull whether a JSON document contains the JSON value {@code null} for NULL, and not {@code nullText} as a
 *     string
 */
public record TargetOptions(String key, Optional<Duration> ttl, Optional<String> nullText, boolean jsonNull) {

    /** Options without {@code jsonNull}. */
    public TargetOptions(String key, Optional<Duration> ttl, Optional<String> nullText) {
        this(key, ttl, nullText, false);
    }

    /** Options with this key, without an expiry and without a text for NULL. */
    public static TargetOptions of(String key) {
        return new TargetOptions(key, Optional.empty(), Optional.empty());
    }

    /** These options with an expiry. */
    public TargetOptions withTtl(Duration newTtl) {
        return new TargetOptions(key, Optional.of(newTtl), nullText, jsonNull);
    }

    /** These options with a text for NULL. */
    public TargetOptions withNullText(String text) {
        return new TargetOptions(key, ttl, Optional.of(text), false);
    }

    /** These options with the JSON value {@code null} for NULL. Outside of JSON documents, NULL is the text "null". */
    public TargetOptions withJsonNull() {
        return new TargetOptions(key, ttl, Optional.of("null"), true);
    }

    /**
     * Checks the range of the expiry.
     *
     * @throws PlanException if the expiry is out of range
     */
    void check() {
        ttl.ifPresent(expiry -> {
            try {
                Setting.checkArgument("ttl", expiry, SetOptions.MIN_TTL, SetOptions.MAX_TTL);
            } catch (IllegalArgumentException outOfRange) {
                throw new PlanException(outOfRange.getMessage() + " Choose a value in this range.", outOfRange);
            }
        });
    }
}
