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
     * Returns the value of {@code key}. Runs on a virtual thread of the cache, or on the
     * {@linkplain CacheBuilder#executor executor} of the cache, concurrently for different keys. Two
     * calls for the same key overlap only if the key was put or removed after the first call began, or if the first call
     * exceeded the {@linkplain CacheOptions#loadTimeout load timeout}. The thread is interrupted at the load timeout and
     * when the cache is closed. A loader should return soon after an interrupt: its value is not used any more.
     *
     * <p>The loader may look up other keys, in this cache or in others. A loader that requests its own key, directly or
     * through the loaders of other keys, gets an {@link IllegalStateException} at once.
     *
     * @throws Exception any exception; each waiting caller gets the exception as the cause of a {@link
     *     LoadFailedException}
     */
    V load(String key) throws Exception;
}
