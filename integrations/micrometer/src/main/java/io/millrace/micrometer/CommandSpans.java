// SPDX-License-Identifier: Apache-2.0
package io.millrace.micrometer;

import io.micrometer.tracing.Span;
import io.micrometer.tracing.Tracer;
import io.millrace.client.ClientOptions;
import io.millrace.client.CommandListener;
import io.millrace.client.EndedCommand;
import io.millrace.client.RedisUri;
import org.jspecify.annotations.Nullable;

/**
 * Makes a client span of each command, with the stable attributes of OpenTelemetry for databases: {@code db.system.name},
 * {@code db.operation.name}, {@code db.namespace}, {@code server.address}, {@code server.port}; and for a failed command
 * {@code error.type} and, after an error reply, {@code db.response.status_code}. Keys, values and messages of errors are
 * not reported. Set an object of this class with {@link ClientOptions.Builder#commandListener}; for timers and spans,
 * {@code new CommandTimers(…).andThen(new CommandSpans(…))}. Needs {@code io.micrometer:micrometer-tracing}. Thread-safe.
 *
 * <p>The name of a span is the name of its command. Its parent is the current span of the thread that submits the command.
 * {@link CommandListener} says which commands have no span. Each command of a pipeline has a span.
 */
public final class CommandSpans implements CommandListener {

    private final Tracer tracer;
    private final DatabaseTags server;

    /**
     * Creates spans.
     *
     * @param uri the server of the client; only host, port and database become attributes
     */
    public CommandSpans(Tracer tracer, RedisUri uri) {
        this.tracer = tracer;
        this.server = DatabaseTags.of(uri);
    }

    @Override
    public @Nullable Object submitted(String name) {
        Span.Builder builder = tracer.spanBuilder()
                .name(name)
                .kind(Span.Kind.CLIENT)
                .tag(DatabaseTags.SYSTEM, DatabaseTags.REDIS)
                .tag(DatabaseTags.OPERATION, name)
                .tag(DatabaseTags.NAMESPACE, server.namespace())
                .tag(DatabaseTags.ADDRESS, server.address());
        if (server.port().isPresent()) {
            builder.tag(DatabaseTags.PORT, (long) server.port().getAsInt());
        }
        return builder.start();
    }

    @Override
    public void ended(EndedCommand command) {
        if (!(command.context() instanceof Span span)) {
            return;
        }
        if (command.kind() != EndedCommand.Kind.OK && !span.isNoop()) {
            CommandError error = CommandError.of(command);
            span.tag(DatabaseTags.ERROR_TYPE, error.type());
            if (error.isReply()) {
                span.tag(DatabaseTags.STATUS_CODE, error.type());
            }
            span.error(new FailedCommand(error.type()));
        }
        span.end();
    }

    /** A failure as a span shows it. The message of the server is left out, because it may contain arguments. */
    private static final class FailedCommand extends RuntimeException {

        private static final long serialVersionUID = 1L;

        FailedCommand(String type) {
            super(type, null, false, false);
        }
    }
}
