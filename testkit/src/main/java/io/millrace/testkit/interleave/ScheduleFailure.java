// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.List;

/** A failed schedule: the reason, the positions of its threads, and the steps that led to the failure. */
public final class ScheduleFailure extends AssertionError {

    private static final long serialVersionUID = 1;

    /** Number of steps in the message; {@link #steps()} has all steps. */
    private static final int STEPS_IN_MESSAGE = 60;

    private final long seed;
    private final String reason;
    private final transient List<String> steps;

    ScheduleFailure(String headline, long seed, Scheduler.FailureRecord failureRecord, List<String> steps) {
        super(message(headline, failureRecord, steps), failureRecord.cause());
        this.seed = seed;
        this.reason = failureRecord.reason();
        this.steps = steps;
    }

    /** The seed that repeats the schedule. */
    public long seed() {
        return seed;
    }

    /** The reason in a few words. */
    public String reason() {
        return reason;
    }

    /** All decisions of the schedule. Each decision names a thread and the access with which the thread continued. */
    public List<String> steps() {
        return steps;
    }

    private static String message(String headline, Scheduler.FailureRecord failureRecord, List<String> steps) {
        List<String> last = steps.subList(Math.max(0, steps.size() - STEPS_IN_MESSAGE), steps.size());
        return headline + "\n  threads:\n    " + String.join("\n    ", failureRecord.threads()) + "\n  last steps of "
                + steps.size() + ":\n    " + String.join("\n    ", last);
    }
}
