// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/**
 * A lookup of a key.
 *
 * @param loader the loader for a missing value
 * @param acceptsNegative whether the absence of a value is a valid answer
 */
record LookupRequest<V>(String key, OptionalLoader<V> loader, boolean acceptsNegative) {

    /** Whether an entry of the kind of {@code entry} is a valid answer to this lookup. */
    boolean isAnsweredBy(Entry<V> entry) {
        return switch (entry.kind()) {
            case VALUE, FAILURE -> true;
            case NEGATIVE -> acceptsNegative;
            case ABSENT, UNREACHABLE -> false;
        };
    }
}
