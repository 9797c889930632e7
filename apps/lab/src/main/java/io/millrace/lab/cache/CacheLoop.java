// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A cache that programs build by hand from two calls: read, and after a miss compute and write. */
interface CacheLoop extends CacheAdapter {

    /** Returns the cached text, or null if there is none. */
    @Nullable
    String find(String key) throws Exception;

    Duration timeToLive();

    /** Stores a computed text. */
    default void store(String key, String text) throws Exception {
        put(key, text, timeToLive());
    }

    /**
     * Whether the loop treats an error of Redis as a miss, and ignores an error of a write. A careful program does both.
     */
    default boolean isGuarded() {
        return false;
    }

    @Override
    default String get(String key, Loader loader) throws Exception {
        String found = findGuarded(key);
        if (found != null) {
            return found;
        }
        String text = loader.load(key);
        try {
            store(key, text);
        } catch (RuntimeException e) {
            if (!isGuarded()) {
                throw e;
            }
        }
        return text;
    }

    private @Nullable String findGuarded(String key) throws Exception {
        try {
            return find(key);
        } catch (RuntimeException e) {
            if (isGuarded()) {
                return null;
            }
            throw e;
        }
    }
}
