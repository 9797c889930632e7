// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.time.Duration;
import java.util.List;

/**
 * Report of a flow that has ended.
 *
 * @param name name of the flow
 * @param ending how the flow ended
 * @param counts counts of its tasks; no task is pending
 * @param failures the first tasks that failed or timed out, with their causes, up to {@link TaskFlow#recordedFailures}
 * @param failuresNotRecorded number of failed and timed-out tasks that {@code failures} does not contain; the listener
 *     received the outcome of each of them
 * @param sourceFailures exceptions of sources, the listener and the thread factory, up to the same limit
 * @param abandoned number of abandoned threads: threads of consumers or sources that ignored an interrupt and may still
 *     run
 * @param elapsed time from start to end
 * @param <T> type of a task
 */
public record TaskFlowReport<T>(
        String name,
        Ending ending,
        TaskCounts counts,
        List<Outcome<T, ?>> failures,
        long failuresNotRecorded,
        List<Throwable> sourceFailures,
        int abandoned,
        Duration elapsed) {

    public TaskFlowReport {
        failures = List.copyOf(failures);
        sourceFailures = List.copyOf(sourceFailures);
        if (counts.pending() != 0 || failures.size() + failuresNotRecorded != counts.failed() + counts.timedOut()) {
            throw new IllegalArgumentException("the counts of a flow are inconsistent: name=" + name + ", " + counts
                    + ", failuresRecorded=" + failures.size() + ", failuresNotRecorded=" + failuresNotRecorded);
        }
    }
}
