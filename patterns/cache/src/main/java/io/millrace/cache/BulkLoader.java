// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.Map;
import java.util.Set;

/**
 * Computes the values of many keys with one call, for example with one query.
 *
 * @param <V> the type of the values
 */
@FunctionalInterface
public interface BulkLoader<V> {

    /**
     * Returns the values of {@code keys}. A key without an entry in the result has no value: the cache stores a negative
     * entry for {@link CacheOptions#negativeTimeToLive}. If the values of some keys cannot be computed, the loader adds
     * these keys to {@code failures} and returns the other values. Other keys in the result are ignored. Runs on a
     * thread of the cache, as {@link Loader#load} does.
     *
     * @param keys the keys that are not cached, in the order of the lookup; unmodifiable
     * @throws Exception any exception; then the loads of all keys have failed with this exception
     */
    Map<String, ? extends V> load(Set<String> keys, BulkFailures failures) throws Exception;
}
