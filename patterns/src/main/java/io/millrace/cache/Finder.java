// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.Optional;

/**
 * A {@link Loader} that may say that there is no value.
 *
 * @param <V> a value
 */
@FunctionalInterface
public interface Finder<V> {

    /**
     * The value of {@code key}, or nothing, which is kept as a negative entry for {@link CacheOptions#negativeTimeToLive}. Otherwise
     * as {@link Loader#load}.
     */
    Optional<? extends V> find(String key) throws Exception;
}
