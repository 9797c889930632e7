// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

/** Receives the outcome of each task of a flow. The counters of the flow count the same outcomes. */
interface ResultSink<T> {

    /** A sink that ignores outcomes. */
    static <T> ResultSink<T> none() {
        return new ResultSink<>() {
            @Override
            public void deliver(Entry<T> entry, Outcome<T, ?> outcome) {}

            @Override
            public void close() {}
        };
    }

    /** Delivers an outcome. May wait until the reader has taken earlier outcomes. Called concurrently by workers. */
    void deliver(Entry<T> entry, Outcome<T, ?> outcome);

    /** Ends all waits in {@link #deliver}. */
    void close();
}
