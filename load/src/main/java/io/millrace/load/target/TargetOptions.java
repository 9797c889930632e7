// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import io.millrace.client.command.SetOptions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The options that all targets share.
 *
 * @param key template of the key, such as {@code customer:{id}}
 * @param ttl expiry of the whole key, 1 ms to 36,500 days, set in the same step as the write; empty for no expiry
 * @param nullText text that is written for NULL in a value, but never in a key; empty if NULL is left out
 * @param ttlField column with the expiry of the row's key: whole seconds, or a whole number with a unit, such as {@code
 *     15m}. If the column is NULL or empty, {@code ttl} applies; without {@code ttl}, the row is rejected. Only for
 *     targets whose rows each have their own key
 * @param ttlJitter {@link #TTL_JITTER}
 * @param onlyMissing whether a row is left out if its key exists; the load counts such a row as skipped. Only for
 *     targets whose rows each have their own key
 * @param jsonNull whether a JSON document contains the JSON value {@code null} for NULL, and not {@code nullText} as a
 *     string
 */
public record TargetOptions(
        String key,
        Optional<Duration> ttl,
        Optional<String> nullText,
        Optional<String> ttlField,
        double ttlJitter,
        boolean onlyMissing,
        boolean jsonNull) {

    /**
     * Range: 0 to 0.5. Default: 0. With 0.1, a key expires after 90 to 100 percent of its expiry, so keys that were
     * loaded together do not expire together. The part depends only on the key.
     */
    public static final Setting<Double> TTL_JITTER = new Setting<>(
            "ttlJitter",
            0.0,
            0.5,
            0.0,
            Unit.FRACTION,
            "Maximum part of the expiry that is subtracted, depending on the key.");

    /** Options with an expiry for all rows, and without the other options of an expiry. */
    public TargetOptions(String key, Optional<Duration> ttl, Optional<String> nullText) {
        this(key, ttl, nullText, Optional.empty(), TTL_JITTER.defaultValue(), false, false);
    }

    /** Options with this key, without an expiry and without a text for NULL. */
    public static TargetOptions of(String key) {
        return new TargetOptions(key, Optional.empty(), Optional.empty());
    }

    /**
     * The columns in the template of the key, in the order of the template.
     *
     * @throws PlanException if the template is malformed
     */
    public List<String> keyColumns() {
        return Template.parse("key", key).columns();
    }

    /**
     * The text of the key before its first column, with which every key begins. It may be empty.
     *
     * @throws PlanException if the template is malformed
     */
    public String keyPrefix() {
        return Template.parse("key", key).literals().getFirst();
    }

    /** These options with an expiry. */
    public TargetOptions withTtl(Duration newTtl) {
        return new TargetOptions(key, Optional.of(newTtl), nullText, ttlField, ttlJitter, onlyMissing, jsonNull);
    }

    /** These options with a text for NULL. */
    public TargetOptions withNullText(String text) {
        return new TargetOptions(key, ttl, Optional.of(text), ttlField, ttlJitter, onlyMissing, false);
    }

    /** These options with the JSON value {@code null} for NULL. Outside of JSON documents, NULL is the text "null". */
    public TargetOptions withJsonNull() {
        return new TargetOptions(key, ttl, Optional.of("null"), ttlField, ttlJitter, onlyMissing, true);
    }

    /** These options with a column that has the expiry of each row. */
    public TargetOptions withTtlField(String column) {
        return new TargetOptions(key, ttl, nullText, Optional.of(column), ttlJitter, onlyMissing, jsonNull);
    }

    /** These options with this {@link #TTL_JITTER}. */
    public TargetOptions withTtlJitter(double part) {
        return new TargetOptions(key, ttl, nullText, ttlField, part, onlyMissing, jsonNull);
    }

    /** These options, with rows left out if their key exists. */
    public TargetOptions withOnlyMissing() {
        return new TargetOptions(key, ttl, nullText, ttlField, ttlJitter, true, jsonNull);
    }

    /** Whether rows have an expiry. */
    boolean expires() {
        return ttl.isPresent() || ttlField.isPresent();
    }

    /**
     * Checks the options of the expiry.
     *
     * @throws PlanException if an option is out of range, or if there is a jitter without an expiry
     */
    void check() {
        try {
            ttl.ifPresent(expiry -> Setting.checkArgument("ttl", expiry, SetOptions.MIN_TTL, SetOptions.MAX_TTL));
            TTL_JITTER.check(ttlJitter);
        } catch (IllegalArgumentException outOfRange) {
            throw new PlanException(outOfRange.getMessage() + " Choose a value in this range.", outOfRange);
        }
        if (ttlJitter > 0 && !expires()) {
            throw new PlanException("jitter needs an expiry: ttlJitter=" + ttlJitter + ", key=" + key
                    + ". Add ttl or ttlField, or leave out ttlJitter.");
        }
    }

    /**
     * Checks the options of a target whose rows share keys.
     *
     * @throws PlanException if an option needs a key for each row
     */
    void checkSharedKey(String type) {
        check();
        if (ttlField.isPresent()) {
            throw new PlanException("ttlField needs a key for each row: type=" + type + ", key=" + key + ", ttlField="
                    + ttlField.get() + ". The rows of this target share keys, and an expiry applies to a whole key. "
                    + "Use ttl.");
        }
        if (onlyMissing) {
            throw new PlanException("onlyMissing needs a key for each row: type=" + type + ", key=" + key
                    + ". The rows of this target share keys. Leave out onlyMissing.");
        }
    }
}
