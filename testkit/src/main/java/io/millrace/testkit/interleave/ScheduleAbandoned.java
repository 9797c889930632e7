// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

/**
 * Thrown at each schedule point after the schedule has failed. The error unwinds the stacks of the threads, so that
 * they end.
 */
final class ScheduleAbandoned extends Error {

    private static final long serialVersionUID = 1;

    ScheduleAbandoned() {
        super("the schedule has failed and is being abandoned", null, false, false);
    }
}
