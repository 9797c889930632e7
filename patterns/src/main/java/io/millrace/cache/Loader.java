// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/**
 * Computes the value of a key: the slow call that a cache is for.
 *
 * @param <V> a value
 */
@FunctionalInterface
public interface Loader<V> {

    /**
     * The value of {@code key}. Runs on a virtual thread of the cache, for any number of keys at once; for one key
     * twice at a time only if it was put or removed after the first call began. It may be interrupted, when the cache is closed.
     *
     * @throws Exception of any kind; each caller that waits gets it, as the cause of a {@link LoadFailedException}
     */
    V load(String key) throws Exception;
}
