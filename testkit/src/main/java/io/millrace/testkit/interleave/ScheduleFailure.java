// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.List;

/**
 * Reports a failed schedule. The message contains the reason, the positions of the threads, and the last steps before
 * the failure.
 */
public final class ScheduleFailure extends AssertionError {

    private static final long serialVersionUID = 1;

    /** Maximum number of steps in the message. {@link #steps()} returns all steps. */
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

    /** The reason of the failure, as a short text. */
    public String reason() {
        return reason;
    }

    /**
     * All steps of the schedule, in order. Each step names the thread that was chosen, and the access with which this
     * thread continued.
     */
    public List<String> steps() {
        return steps;
    }

    private static String message(String headline, Scheduler.FailureRecord failureRecord, List<String> steps) {
        List<String> last = steps.subList(Math.max(0, steps.size() - STEPS_IN_MESSAGE), steps.size());
        return headline + "\n  threads:\n    " + String.join("\n    ", failureRecord.threads()) + "\n  last "
                + last.size() + " of " + steps.size() + " steps:\n    " + String.join("\n    ", last);
    }
}
