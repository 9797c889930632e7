// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

/** What a flow does when a task has failed for good or has timed out. */
enum OnFailure {
    /** It stops, and ends with a {@link FlowException}. */
    STOP,
    /** It counts it, keeps it for the report, and goes on. */
    CARRY_ON
}
