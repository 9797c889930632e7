// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * Flight Recorder events of a flow: one event for the whole flow, one event for each failed task, and one event for
 * each abandoned thread. No event contains the task object of the user.
 */
final class Events {

    private Events() {}

    /** A flow, from start to end. */
    @Name("io.millrace.TaskFlow")
    @Label("Task flow")
    @Description("Execution of a flow, from start to end")
    @Category("Millrace")
    @StackTrace(false)
    static final class TaskFlowEvent extends Event {
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

        void record(TaskFlowReport<?> report) {
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

    /** A task failed and is not retried, or its deadline passed. */
    @Name("io.millrace.TaskFailure")
    @Label("Task failure")
    @Description("A task failed and is not retried, or its deadline passed")
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

    /** A thread did not end after its interrupt. */
    @Name("io.millrace.AbandonedThread")
    @Label("Abandoned thread")
    @Description("A consumer or source ignored its interrupt and was abandoned")
    @Category("Millrace")
    @StackTrace(false)
    static final class AbandonedThread extends Event {
        @Label("Flow")
        String flow = "";

        @Label("Thread")
        String abandoned = "";
    }
}
