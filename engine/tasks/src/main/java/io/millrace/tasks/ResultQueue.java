// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import org.jspecify.annotations.Nullable;

/** A result sink from which a reader takes the results. One thread at a time may read. */
interface ResultQueue<T, R> extends ResultSink<T> {

    /** Waits for the next outcome and returns it. Returns null if the sink is closed and has no further outcome. */
    @Nullable
    Outcome<T, R> take() throws InterruptedException;

    /** Returns an outcome that the reader has not taken, or null if there is none. Called after the flow has ended. */
    @Nullable
    Outcome<T, R> takeRemaining();
}
