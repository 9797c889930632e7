// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

/** The outcome of a load. All callers that wait for the load receive this outcome. */
sealed interface LoadOutcome<V> {

    /**
     * The load ended with a value, a negative entry, or a cached failure. If {@code kept} is true, the entry is in Redis or is
     * being written. Callers that join the load before the write has ended get the same entry. Otherwise, the loader found no
     * value and negative entries are not cached, so the next caller starts a new load.
     */
    record Completed<V>(Entry<V> entry, boolean kept) implements LoadOutcome<V> {

        Completed(Entry<V> entry) {
            this(entry, true);
        }
    }

    /**
     * The loader threw an exception. If {@code cached} is true, the failure is being written to Redis. Callers that
     * join the load before the write has ended get the same failure.
     */
    record Failed<V>(Throwable cause, long afterMillis, boolean cached) implements LoadOutcome<V> {}

    /**
     * No loader was called: no permit was free in time, or another process did not finish its load in time. A caller
     * whose deadline has not passed joins or starts another load.
     */
    record NotLoaded<V>(String awaited) implements LoadOutcome<V> {}

    /** Returns the outcome of a load that got no permit in time. */
    static <V> LoadOutcome<V> noPermit() {
        return new NotLoaded<>("a permit for a load");
    }

    /** The loader exceeded the load timeout and was interrupted. */
    record TimedOut<V>(long afterMillis) implements LoadOutcome<V> {}

    /** No loader was called, because too many abandoned loaders run. */
    record Refused<V>(int abandonedLoaders) implements LoadOutcome<V> {}

    /** The cache was closed during the load. */
    record Closed<V>() implements LoadOutcome<V> {}
}
