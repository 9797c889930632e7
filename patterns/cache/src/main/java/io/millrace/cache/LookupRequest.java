// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import org.jspecify.annotations.Nullable;

/**
 * A lookup of a key.
 *
 * @param loader the loader for a missing value
 * @param acceptsNegative whether the absence of a value is a valid answer
 */
record LookupRequest<V>(String key, OptionalLoader<V> loader, boolean acceptsNegative) {

    /** Returns the loader if it must run on the thread of its caller; null if it may run on any thread. */
    @Nullable
    CallersLoader<V> callersLoader() {
        return loader instanceof CallersLoader<V> callers ? callers : null;
    }

    /** Whether an entry of the kind of {@code entry} is a valid answer to this lookup. */
    boolean isAnsweredBy(Entry<V> entry) {
        return switch (entry.kind()) {
            case VALUE, FAILURE -> true;
            case NEGATIVE -> acceptsNegative;
            case ABSENT, UNREACHABLE -> false;
        };
    }
}
