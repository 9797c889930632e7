// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** What Flight Recorder may record of a flow: its end, and one event for each task that fails, while it records. None carries a task. */
final class Events {

    private Events() {}

    /** A flow, from start to end. */
    @Name("io.millrace.Flow")
    @Label("Flow")
    @Description("Tasks were produced and consumed, from start to end")
    @Category("Millrace")
    @StackTrace(false)
    static final class Flow extends Event {
        @Label("Name")
        String name = "";

        @Label("Ending")
        String ending = "";

        @Label("Produced")
        long produced;

        @Label("Succeeded")
        long succeeded;

        @Label("Failed")
        long failed;

        @Label("Timed out")
        long timedOut;

        @Label("Cancelled")
        long cancelled;

        @Label("Retries")
        long retries;

        void tell(FlowReport<?> report) {
            name = report.name();
            ending = report.ending().name();
            produced = report.counts().produced();
            succeeded = report.counts().succeeded();
            failed = report.counts().failed();
            timedOut = report.counts().timedOut();
            cancelled = report.counts().cancelled();
            retries = report.counts().retries();
            commit();
        }
    }

    /** A task failed for good, or timed out. */
    @Name("io.millrace.TaskFailure")
    @Label("Task failure")
    @Description("A task failed and was not to be tried again, or its deadline passed")
    @Category("Millrace")
    @StackTrace(false)
    static final class TaskFailure extends Event {
        @Label("Flow")
        String flow = "";

        @Label("Cause")
        String cause = "";

        @Label("Attempts")
        int attempts;
    }

    /** A thread did not end although it was interrupted. */
    @Name("io.millrace.AbandonedThread")
    @Label("Abandoned thread")
    @Description("A consumer or a source went on after it had been interrupted and was given up")
    @Category("Millrace")
    @StackTrace(false)
    static final class AbandonedThread extends Event {
        @Label("Flow")
        String flow = "";

        @Label("Thread")
        String abandoned = "";
    }
}
