// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/**
 * Flight Recorder events of a flow: one event for the whole flow, one event for each failed task, and one event for
 * each abandoned thread. No event contains the task object of the user.
 *
 * <p>The methods of this class use an event class only after a recording was started in this JVM. The JVM needs 40 to
 * 100 ms to load the first event class, and most JVMs never record.
 */
final class Events {

    private Events() {}

    /** Begins the event of a flow; returns null if nothing is recorded. */
    static @Nullable TaskFlowEvent beginFlow() {
        return FlightRecorder.isInitialized() ? TaskFlowEvent.begun() : null;
    }

    /**
     * Records a flow that has ended.
     *
     * @param begun the result of {@link #beginFlow}. If null, the recording was started during the flow, and the event
     *     has no duration.
     */
    static void endFlow(@Nullable TaskFlowEvent begun, TaskFlowReport<?> report) {
        if (FlightRecorder.isInitialized()) {
            TaskFlowEvent.record(begun, report);
        }
    }

    /** Records a task of {@code flow} that failed {@code attempts} times, the last time because of {@code cause}. */
    static void recordFailure(String flow, Throwable cause, int attempts) {
        if (FlightRecorder.isInitialized()) {
            TaskFailure.record(flow, cause, attempts);
        }
    }

    /** Records a thread of {@code flow} that did not end. */
    static void recordAbandoned(String flow, Thread thread) {
        if (FlightRecorder.isInitialized()) {
            AbandonedThread.record(flow, thread);
        }
    }

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

        private TaskFlowEvent() {}

        private static TaskFlowEvent begun() {
            TaskFlowEvent event = new TaskFlowEvent();
            event.begin();
            return event;
        }

        private static void record(@Nullable TaskFlowEvent begun, TaskFlowReport<?> report) {
            TaskFlowEvent event = begun == null ? new TaskFlowEvent() : begun;
            event.name = report.name();
            event.ending = report.ending().name();
            event.produced = report.counts().produced();
            event.succeeded = report.counts().succeeded();
            event.failed = report.counts().failed();
            event.timedOut = report.counts().timedOut();
            event.cancelled = report.counts().cancelled();
            event.retries = report.counts().retries();
            event.commit();
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

        private TaskFailure() {}

        private static void record(String flow, Throwable cause, int attempts) {
            TaskFailure event = new TaskFailure();
            event.flow = flow;
            event.cause = cause.getClass().getName();
            event.attempts = attempts;
            event.commit();
        }
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

        private AbandonedThread() {}

        private static void record(String flow, Thread thread) {
            AbandonedThread event = new AbandonedThread();
            event.flow = flow;
            event.abandoned = thread.getName();
            event.commit();
        }
    }
}
