// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

/** The supervisor's decision about the current tasks of a worker. */
enum StopReason {
    NONE,
    TIMED_OUT,
    CANCELLED,
    /** The worker no longer owns the tasks. */
    ABANDONED
}
