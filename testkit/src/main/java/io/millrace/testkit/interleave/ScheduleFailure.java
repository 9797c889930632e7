// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.List;

/** A schedule that failed: why, where its threads stood, and the steps that led there. */
public final class ScheduleFailure extends AssertionError {

    private static final long serialVersionUID = 1;

    /** How many steps the message tells; {@link #steps()} has all. */
    private static final int TOLD = 60;

    private final long seed;
    private final String reason;
    private final transient List<String> steps;

    ScheduleFailure(String headline, long seed, Scheduler.Failed failed, List<String> steps) {
        super(message(headline, failed, steps), failed.cause());
        this.seed = seed;
        this.reason = failed.reason();
        this.steps = steps;
    }

    /** What repeats the schedule. */
    public long seed() {
        return seed;
    }

    /** What went wrong, in a few words. */
    public String reason() {
        return reason;
    }

    /** All decisions: a thread, and the access it went on with. */
    public List<String> steps() {
        return steps;
    }

    private static String message(String headline, Scheduler.Failed failed, List<String> steps) {
        List<String> last = steps.subList(Math.max(0, steps.size() - TOLD), steps.size());
        return headline + "\n  threads:\n    " + String.join("\n    ", failed.threads()) + "\n  last steps of "
                + steps.size() + ":\n    " + String.join("\n    ", last);
    }
}
