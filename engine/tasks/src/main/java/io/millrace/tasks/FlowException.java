// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A flow did not come to its natural end; the report says what became of its tasks. */
public final class FlowException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient @Nullable FlowReport<?> report;

    FlowException(FlowReport<?> report, @Nullable Throwable cause) {
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
     * What became of the flow's tasks.
     *
     * @throws IllegalStateException if this exception was serialised: tasks stay where they are
     */
    public FlowReport<?> report() {
        FlowReport<?> kept = report;
        if (kept == null) {
            throw new IllegalStateException(
                    "the report of a flow is not serialised with its exception: " + getMessage());
        }
        return kept;
    }
}
