// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.Optional;

/**
 * A {@link Loader} whose key may have no value.
 *
 * @param <V> the type of the values
 */
@FunctionalInterface
public interface OptionalLoader<V> {

    /**
     * Returns the value of {@code key}, or empty if the key has no value. An empty result is cached as a negative entry
     * for {@link CacheOptions#negativeTimeToLive}. In all other respects this method is like {@link Loader#load}.
     */
    Optional<? extends V> load(String key) throws Exception;
}
