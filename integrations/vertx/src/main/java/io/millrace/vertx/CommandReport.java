// SPDX-License-Identifier: Apache-2.0
package io.millrace.vertx;

import io.millrace.client.exception.ErrorReplyException;
import io.vertx.core.VertxException;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.spi.tracing.SpanKind;
import io.vertx.core.spi.tracing.TagExtractor;
import io.vertx.core.tracing.TracingPolicy;
import org.jspecify.annotations.Nullable;

/**
 * The report of one command. {@link #begin} is called by the thread that sends the command, {@link #ended} once by the
 * thread that completes its future.
 */
final class CommandReport {

    private static final TagExtractor<CommandReport> REQUEST = new TagExtractor<>() {
        @Override
        public int len(CommandReport report) {
            return report.reports.attributes().size() + 1;
        }

        @Override
        public String name(CommandReport report, int index) {
            return index == 0
                    ? "db.operation.name"
                    : report.reports.attributes().get(index - 1).getKey();
        }

        @Override
        public String value(CommandReport report, int index) {
            return index == 0
                    ? report.name
                    : report.reports.attributes().get(index - 1).getValue();
        }
    };

    private static final TagExtractor<CommandFailure> FAILURE = new TagExtractor<>() {
        @Override
        public int len(CommandFailure failure) {
            return failure.isErrorReply ? 2 : 1;
        }

        @Override
        public String name(CommandFailure failure, int index) {
            return index == 0 ? "error.type" : "db.response.status_code";
        }

        @Override
        public String value(CommandFailure failure, int index) {
            return String.valueOf(failure.getMessage());
        }
    };

    private final CommandReports reports;
    private final ContextInternal context;
    private final String name;

    // Written by begin().
    private @Nullable Object trace;
    private @Nullable Object metric;

    CommandReport(CommandReports reports, ContextInternal context, String name) {
        this.reports = reports;
        this.context = context;
        this.name = name;
    }

    /**
     * A failure as traces see it: the code of the error reply, or the kind of the failure. The message of the exception
     * is omitted, because an error message of the server may contain arguments.
     */
    private static final class CommandFailure extends VertxException {

        private static final long serialVersionUID = 1L;

        private final boolean isErrorReply;

        private CommandFailure(String type, boolean isErrorReply) {
            super(type, true);
            this.isErrorReply = isErrorReply;
        }

        private static CommandFailure of(Throwable failure) {
            return failure instanceof ErrorReplyException error
                    ? new CommandFailure(error.code(), true)
                    : new CommandFailure(failure.getClass().getSimpleName(), false);
        }
    }

    void begin() {
        if (reports.tracer() != null) {
            trace = reports.tracer()
                    .sendRequest(
                            context, SpanKind.RPC, TracingPolicy.PROPAGATE, this, name, (key, value) -> {}, REQUEST);
        }
        if (reports.metrics() != null) {
            metric = reports.metrics().init();
            reports.metrics().requestBegin(metric, name, name);
            reports.metrics().requestEnd(metric);
        }
    }

    /** Reports the end of the command; {@code failure} is null if the command did not fail. */
    void ended(@Nullable Throwable failure) {
        if (reports.tracer() != null) {
            CommandFailure shown = failure == null ? null : CommandFailure.of(failure);
            reports.tracer().receiveResponse(context, shown, trace, shown, FAILURE);
        }
        if (reports.metrics() != null) {
            if (failure == null) {
                reports.metrics().responseBegin(metric, null);
                reports.metrics().responseEnd(metric);
            } else {
                reports.metrics().requestReset(metric);
            }
        }
    }
}
