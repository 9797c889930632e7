// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

/** Thrown at each point of a schedule that has failed, so that its threads unwind and end. */
final class ScheduleAbandoned extends Error {

    private static final long serialVersionUID = 1;

    ScheduleAbandoned() {
        super("the schedule has failed and is being abandoned", null, false, false);
    }
}
