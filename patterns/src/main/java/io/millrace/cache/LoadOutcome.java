// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/** How a load ended for those that wait for it. */
sealed interface LoadOutcome<V> {

    /** With a value, the word that there is none, or a failure that was kept. */
    record Arrived<V>(Entry<V> entry) implements LoadOutcome<V> {}

    /** The loader threw; if that is kept, those that come before it is written are told too. */
    record Failed<V>(Throwable cause, long afterMillis, boolean kept) implements LoadOutcome<V> {}

    /** No loader was called: there was no room, or another process did not end its load in time. Whoever has time left tries again. */
    record GaveUp<V>(String why) implements LoadOutcome<V> {}

    /** The cache was closed. */
    record Closed<V>() implements LoadOutcome<V> {}
}
