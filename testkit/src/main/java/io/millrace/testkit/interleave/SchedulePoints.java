// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import org.jspecify.annotations.Nullable;

/** The methods that woven code calls. Public for woven code only. */
public final class SchedulePoints {

    private SchedulePoints() {}

    /** Called before an access that other threads can see. Does nothing on a thread outside of schedules. */
    public static void at(int site) {
        ScheduledThread me = ScheduledThread.current();
        if (me != null) {
            me.scheduler.point(me, site);
        }
    }

    /** Called at the start of a static initializer. */
    public static void enterInitializer() {
        ScheduledThread me = ScheduledThread.current();
        if (me != null) {
            me.noSwitchDepth++;
        }
    }

    /** Called at the end of a static initializer. */
    public static void leaveInitializer() {
        ScheduledThread me = ScheduledThread.current();
        if (me != null) {
            me.noSwitchDepth--;
        }
    }

    /** Called before an operation that blocks, or starts a thread, outside of the schedule's control. */
    public static void unsupported(String site) {
        @Nullable ScheduledThread me = ScheduledThread.current();
        if (me != null) {
            throw new UnsupportedOperationException("a schedule cannot run this operation: site=" + site
                    + ". Remove the operation from the scenario, or add a replacement to the package interleave.");
        }
    }
}
