// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/**
 * Computes the value of a key, usually by a slow call.
 *
 * @param <V> the type of the values
 */
@FunctionalInterface
public interface Loader<V> {

    /**
     * Returns the value of {@code key}. Runs on a virtual thread of the cache, concurrently for different keys. Two
     * calls for the same key overlap only if the key was put or removed after the first call began. The thread is
     * interrupted when the cache is closed.
     *
     * @throws Exception any exception; each waiting caller gets the exception as the cause of a {@link
     *     LoadFailedException}
     */
    V load(String key) throws Exception;
}
