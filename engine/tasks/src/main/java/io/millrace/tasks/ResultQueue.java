// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import org.jspecify.annotations.Nullable;

/** A result sink from which a reader takes the results. One thread at a time may read. */
interface ResultQueue<T, R> extends ResultSink<T> {

    /** Waits for and returns the next outcome, or null if there is none and the sink is closed. */
    @Nullable
    Outcome<T, R> take() throws InterruptedException;

    /** Returns a remaining outcome after the flow has ended, or null if there is none. */
    @Nullable
    Outcome<T, R> takeRemaining();
}
