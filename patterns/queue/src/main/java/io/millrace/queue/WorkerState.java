// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

/** What a {@link Worker} does at the moment. */
public enum WorkerState {
    /** The worker takes and does jobs, or waits for jobs. */
    RUNNING,
    /** The queue is paused. Running jobs continue, and the worker takes no jobs. */
    PAUSED,
    /** The server cannot be reached or returns errors. Running jobs continue, and the worker tries again. */
    DISCONNECTED,
    /** Sixteen abandoned jobs still run. The worker takes no jobs until one of them ends. */
    BLOCKED,
    /** The worker is being closed. */
    CLOSING,
    /** The worker has ended. */
    ENDED
}
