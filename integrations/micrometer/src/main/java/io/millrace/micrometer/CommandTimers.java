// SPDX-License-Identifier: Apache-2.0
package io.millrace.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.millrace.client.ClientOptions;
import io.millrace.client.CommandListener;
import io.millrace.client.EndedCommand;
import io.millrace.client.RedisUri;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * Records the time of each command in the timer {@code db.client.operation.duration}, with the tags and the buckets of the
 * stable conventions of OpenTelemetry for databases: {@code db.system.name}, {@code db.operation.name}, {@code
 * db.namespace}, {@code server.address}, {@code server.port}, {@code db.response.status_code} and {@code error.type}. A tag
 * without a value is {@code none}, because a registry may need the same tags in all timers. Keys, values and messages of
 * errors are no tags. Set an object of this class with {@link ClientOptions.Builder#commandListener}. Thread-safe.
 *
 * <p>The time begins when the caller submits the command, and includes the waits for a permit and for a connection. {@link
 * CommandListener} says which commands are excluded. Each command of a pipeline is recorded, although OpenTelemetry
 * suggests one record for a batch.
 *
 * <p>The first {@value #MAX_TIMERS} combinations of a command and an error have separate timers. All other commands have the
 * name {@code other}, and their error replies the code {@code other}.
 */
public final class CommandTimers implements CommandListener {

    /** Maximum number of timers. An application uses fewer than 128 commands, and few of them have errors. */
    public static final int MAX_TIMERS = 500;

    private static final String NAME = "db.client.operation.duration";
    private static final String NONE = "none";
    private static final String OTHER = "other";

    /** The buckets that OpenTelemetry defines for this timer. */
    private static final Duration[] BUCKETS = Stream.of(1, 5, 10, 50, 100, 500, 1_000, 5_000, 10_000)
            .map(Duration::ofMillis)
            .toArray(Duration[]::new);

    private final MeterRegistry registry;
    private final Tags tags;

    /** The timers of commands without an error, by the names of the commands. */
    private final ConcurrentHashMap<String, Timer> succeeded = new ConcurrentHashMap<>();

    private final ConcurrentHashMap<FailedOperation, Timer> failed = new ConcurrentHashMap<>();

    /** Number of timers that may be added. Below 0 if several threads have added the last timers at the same time. */
    private final AtomicInteger free = new AtomicInteger(MAX_TIMERS);

    private record FailedOperation(String name, CommandError error) {}

    /**
     * Creates timers.
     *
     * @param uri the server of the client; only host, port and database become tags
     */
    public CommandTimers(MeterRegistry registry, RedisUri uri) {
        this.registry = registry;
        DatabaseTags server = DatabaseTags.of(uri);
        String port = server.port().isPresent() ? Integer.toString(server.port().getAsInt()) : NONE;
        this.tags = Tags.of(
                DatabaseTags.SYSTEM,
                DatabaseTags.REDIS,
                DatabaseTags.NAMESPACE,
                server.namespace(),
                DatabaseTags.ADDRESS,
                server.address(),
                DatabaseTags.PORT,
                port);
    }

    @Override
    public void ended(EndedCommand command) {
        timer(command).record(command.nanosFromSubmission(), TimeUnit.NANOSECONDS);
    }

    private Timer timer(EndedCommand command) {
        String name = command.name();
        if (command.kind() == EndedCommand.Kind.OK) {
            Timer known = succeeded.get(name);
            return known == null ? added(name) : known;
        }
        FailedOperation operation = new FailedOperation(name, CommandError.of(command));
        Timer known = failed.get(operation);
        return known == null ? added(operation) : known;
    }

    private Timer added(String name) {
        return free.get() <= 0
                ? register(OTHER, NONE, NONE)
                : succeeded.computeIfAbsent(name, operation -> register(allowed(operation), NONE, NONE));
    }

    private Timer added(FailedOperation operation) {
        CommandError error = operation.error();
        if (free.get() <= 0) {
            return error.isReply() ? register(OTHER, OTHER, OTHER) : register(OTHER, NONE, error.type());
        }
        String statusCode = error.isReply() ? error.type() : NONE;
        return failed.computeIfAbsent(operation, known -> register(allowed(known.name()), statusCode, error.type()));
    }

    /** Returns the name, or another name if there are too many timers. */
    private String allowed(String name) {
        return free.getAndDecrement() > 0 ? name : OTHER;
    }

    /** Returns the timer of the registry: for equal tags the same timer. */
    private Timer register(String operation, String statusCode, String errorType) {
        return Timer.builder(NAME)
                .description("Duration of database client operations")
                .tags(tags)
                .tag(DatabaseTags.OPERATION, operation)
                .tag(DatabaseTags.STATUS_CODE, statusCode)
                .tag(DatabaseTags.ERROR_TYPE, errorType)
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }
}
