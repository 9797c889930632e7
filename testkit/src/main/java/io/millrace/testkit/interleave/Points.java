// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import org.jspecify.annotations.Nullable;

/** What woven code calls. Public for it alone. */
public final class Points {

    private Points() {}

    /** Before an access that other threads can see. On a thread of no schedule it does nothing. */
    public static void at(int site) {
        Task me = Task.current();
        if (me != null) {
            me.scheduler.point(me, site);
        }
    }

    /** At the start of a static initializer. */
    public static void enterInitializer() {
        Task me = Task.current();
        if (me != null) {
            me.uninterleaved++;
        }
    }

    /** At the end of a static initializer. */
    public static void leaveInitializer() {
        Task me = Task.current();
        if (me != null) {
            me.uninterleaved--;
        }
    }

    /** Before something that would block, or run a thread, where no schedule sees it. */
    public static void unsupported(String site) {
        @Nullable Task me = Task.current();
        if (me != null) {
            throw new UnsupportedOperationException("a schedule cannot run this: site=" + site
                    + ". Leave it out of the scenario, or teach the package interleave about it.");
        }
    }
}
