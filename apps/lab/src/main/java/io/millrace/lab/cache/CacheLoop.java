// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import org.jspecify.annotations.Nullable;

/** A cache that programs build by hand from two calls: read, and after a miss compute and write. */
interface CacheLoop extends CacheAdapter {

    /** Returns the cached text, or null if there is none. */
    @Nullable
    String find(String key);

    /** Stores a computed text. */
    void store(String key, String text);

    /** Whether an error of a read counts as a miss, and an error of a write is ignored. A careful program does both. */
    default boolean isGuarded() {
        return false;
    }

    @Override
    default String get(String key, Loader loader) throws Exception {
        @Nullable String found = null;
        try {
            found = find(key);
        } catch (RuntimeException e) {
            throwUnlessGuarded(e);
        }
        if (found != null) {
            return found;
        }
        String text = loader.load(key);
        try {
            store(key, text);
        } catch (RuntimeException e) {
            throwUnlessGuarded(e);
        }
        return text;
    }

    private void throwUnlessGuarded(RuntimeException e) {
        if (!isGuarded()) {
            throw e;
        }
    }
}
