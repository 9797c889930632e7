// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.Map;

/**
 * The results of a lookup of many keys: each key has a value, or a failure, or no value. Values are cached even if other
 * keys have failed.
 *
 * @param values the values that were found or loaded, in the order of the lookup; unmodifiable
 * @param failures the keys without an answer and the reasons, in the order of the lookup; unmodifiable. Each reason is
 *     the exception that {@link Cache#get} would have thrown
 * @param <V> the type of the values
 */
public record LookupResults<V>(Map<String, V> values, Map<String, CacheException> failures) {

    /** Whether no key has failed. */
    public boolean isComplete() {
        return failures.isEmpty();
    }

    /**
     * Returns the values if no key has failed.
     *
     * @throws CacheException the first failure
     */
    public Map<String, V> valuesOrThrow() {
        if (!isComplete()) {
            throw failures.values().iterator().next();
        }
        return values;
    }
}
