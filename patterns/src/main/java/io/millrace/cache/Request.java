// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/**
 * What a caller wants of a key.
 *
 * @param finder how it is computed if it has to be
 * @param maybeNone whether it is an answer that there is no value
 */
record Request<V>(String key, Finder<V> finder, boolean maybeNone) {

    /** Whether {@code entry} is what is wanted, as far as its kind goes. */
    boolean isAnsweredBy(Entry<V> entry) {
        return switch (entry.kind()) {
            case VALUE, FAILURE -> true;
            case NONE -> maybeNone;
            case ABSENT, UNREACHABLE -> false;
        };
    }
}
