// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What rows become: the type, the key, the values and their expiry, as the user wrote them and before any column is known.
 *
 * @param key template over columns, such as {@code customer:{id}}
 * @param value column or template of a string's value, or of a hash field's value with {@code field}
 * @param field template of a field's name: each row is then one field of the hash {@code key}
 * @param fields the columns to write; empty means all
 * @param exclude columns not to write
 * @param ttl expiry set with the write; at least a millisecond
 * @param nullText what NULL is written as; empty means that NULL is left out
 * @param replaceRow whether the key is deleted before it is written, in the same step
 */
public record Target(
        TargetType type,
        String key,
        Optional<String> value,
        Optional<String> field,
        List<String> fields,
        List<String> exclude,
        Optional<Duration> ttl,
        Optional<String> nullText,
        boolean replaceRow) {

    /** A target of {@code type} under {@code key}, everything else at its default. */
    public static Target of(TargetType type, String key) {
        return new Target(
                type,
                key,
                Optional.empty(),
                Optional.empty(),
                List.of(),
                List.of(),
                Optional.empty(),
                Optional.empty(),
                false);
    }
}
