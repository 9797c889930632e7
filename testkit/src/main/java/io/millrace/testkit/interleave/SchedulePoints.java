// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import org.jspecify.annotations.Nullable;

/** The methods whose calls the weaver inserts into woven code. They are public only because woven code calls them. */
public final class SchedulePoints {

    private SchedulePoints() {}

    /**
     * A schedule point: called before an access that other threads can notice. Does nothing on a thread that belongs to
     * no schedule.
     */
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

    /**
     * Called before an operation that would block or start a thread outside of the control of the schedule. Throws an
     * exception on a thread of a schedule.
     */
    public static void unsupported(String site) {
        @Nullable ScheduledThread me = ScheduledThread.current();
        if (me != null) {
            throw new UnsupportedOperationException("a schedule cannot run this operation: site=" + site
                    + ". Remove the operation from the scenario,"
                    + " or add a replacement to ThreadReplacements or CallReplacements.");
        }
    }
}
