// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.time.Duration;
import java.util.List;

/**
 * What became of a flow that has ended.
 *
 * @param name of the flow
 * @param ending how it came to its end
 * @param counts of its tasks; none is pending
 * @param failures the first tasks that failed or timed out, with their causes, no more than {@link Flow#keptFailures}
 * @param failuresNotKept how many further ones there were; the listener was told of each
 * @param sourceFailures what sources, the listener and whoever makes threads have thrown, as many as failures are kept
 * @param abandoned threads of consumers and sources that did not end although they were interrupted, and may still be running
 * @param elapsed from start to end
 * @param <T> a task
 */
public record FlowReport<T>(
        String name,
        Ending ending,
        TaskCounts counts,
        List<Outcome<T, ?>> failures,
        long failuresNotKept,
        List<Throwable> sourceFailures,
        int abandoned,
        Duration elapsed) {

    public FlowReport {
        failures = List.copyOf(failures);
        sourceFailures = List.copyOf(sourceFailures);
        if (counts.pending() != 0 || failures.size() + failuresNotKept != counts.failed() + counts.timedOut()) {
            throw new IllegalArgumentException("the account of a flow is not closed: name=" + name + ", " + counts
                    + ", failures kept: " + failures.size() + ", not kept: " + failuresNotKept);
        }
    }
}
