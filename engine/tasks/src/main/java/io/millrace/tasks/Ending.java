// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

/** How a flow came to its end. */
public enum Ending {
    /** Its sources had no more tasks, and each was settled. */
    COMPLETED,
    /** A task failed or timed out, and the flow was to stop then. */
    TASK_FAILED,
    /** A source could not fetch, take note or close, the listener threw, or threads could not be had. */
    SOURCE_FAILED,
    /** Somebody called {@link RunningFlow#cancel}. */
    CANCELLED,
    /** The thread that waited for it was interrupted. */
    INTERRUPTED
}
