// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

/** How a flow ended. */
public enum Ending {
    /** The sources had no more tasks, and every task was settled. */
    COMPLETED,
    /** A task failed or timed out, and the flow does not continue on failure. */
    TASK_FAILED,
    /** A source failed in one of its methods, the listener threw an exception, or no thread could be created. */
    SOURCE_FAILED,
    /** A caller called {@link RunningTaskFlow#cancel}. */
    CANCELLED,
    /** The thread that waited for the flow was interrupted. */
    INTERRUPTED
}
