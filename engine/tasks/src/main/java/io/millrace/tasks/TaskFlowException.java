// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Thrown when a flow stopped early. The report has the outcomes of its tasks. */
public final class TaskFlowException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient @Nullable TaskFlowReport<?> report;

    TaskFlowException(TaskFlowReport<?> report, @Nullable Throwable cause) {
        super(
                String.format(
                        Locale.ROOT,
                        "flow stopped after %.3f s: name=%s, ending=%s, cause=%s (%s)",
                        report.elapsed().toNanos() / 1e9,
                        report.name(),
                        report.ending(),
                        cause,
                        report.counts()),
                cause);
        this.report = report;
    }

    /**
     * The report of the flow.
     *
     * @throws IllegalStateException if this exception was deserialized, because tasks are not serialized
     */
    public TaskFlowReport<?> report() {
        TaskFlowReport<?> kept = report;
        if (kept == null) {
            throw new IllegalStateException(
                    "the report of a flow is not serialised with its exception: " + getMessage());
        }
        return kept;
    }
}
