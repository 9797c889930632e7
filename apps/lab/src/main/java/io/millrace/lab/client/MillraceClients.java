// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.ClientOptions;
import io.millrace.client.DedicatedConnection;
import io.millrace.client.FusionCounts;
import io.millrace.client.Outcome;
import io.millrace.client.Pipeline;
import io.millrace.client.PoolOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.TlsOptions;
import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.RedisException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.lab.client.UsageMode.Capability;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Millrace. */
public final class MillraceClients {

    /** {@link Strings#increment} sends {@code INCRBY}; the other libraries send {@code INCR}. */
    private static final CommandSpec<Long> INCR = CommandSpec.of("INCR", reply -> ((Reply.IntegerReply) reply).value());

    /** A contender may start on a busy machine. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);

    private static final String OPTIONS =
            ", otherwise default options, such as two shared connections, or one if the experiment limits the commands in"
                    + " flight";

    static final ClientLibrary LIBRARY = new ClientLibrary(
            "millrace",
            "docs/client.md of this repository",
            List.of(
                    new UsageMode(
                            "shared",
                            "RedisClient.call(), send() and pipeline(), one client for all threads, fused as by default"
                                    + OPTIONS,
                            Set.of(
                                    Capability.CALL,
                                    Capability.SEND,
                                    Capability.ORDERED_SEND,
                                    Capability.BATCH,
                                    Capability.TLS,
                                    Capability.UNIX_SOCKET),
                            () -> new Shared(Fusion.ALL_EXACT)),
                    new UsageMode(
                            "unfused",
                            "RedisClient.call(), send() and pipeline(), one client for all threads, not fused, so that the"
                                    + " server receives the same commands as from other libraries" + OPTIONS,
                            Set.of(
                                    Capability.CALL,
                                    Capability.SEND,
                                    Capability.ORDERED_SEND,
                                    Capability.BATCH,
                                    Capability.TLS,
                                    Capability.UNIX_SOCKET),
                            () -> new Shared(Fusion.NONE)),
                    new UsageMode(
                            "fused-writes",
                            "RedisClient.pipeline(), fused as for bulk writes that ignore the numbers in the replies"
                                    + OPTIONS,
                            Set.of(Capability.BATCH, Capability.TLS, Capability.UNIX_SOCKET),
                            () -> new Shared(Fusion.FOR_BULK_WRITES)),
                    new UsageMode(
                            "pool",
                            "RedisClient.borrow(), which waits for a free dedicated connection; dedicated connections do"
                                    + " not fuse calls; default options",
                            Set.of(Capability.BORROW, Capability.POOL, Capability.TLS, Capability.UNIX_SOCKET),
                            Pooled::new),
                    new UsageMode(
                            "bulk-writer",
                            "BulkWriter, one thread at a time, finish() after each batch, fused as by default, otherwise"
                                    + " default options",
                            Set.of(Capability.BATCH, Capability.TLS, Capability.UNIX_SOCKET),
                            Writer::new)),
            MillraceClients::failureKind);

    private static FailureKind failureKind(Throwable failure) {
        if (FailureKind.hasCause(failure, TimedOutException.class::isInstance)) {
            return FailureKind.TIMED_OUT;
        }
        if (FailureKind.hasCause(failure, RefusedException.class::isInstance)) {
            return FailureKind.REFUSED;
        }
        if (FailureKind.hasCause(failure, ErrorReplyException.class::isInstance)) {
            return FailureKind.ERROR;
        }
        return FailureKind.hasCause(failure, RedisException.class::isInstance)
                ? FailureKind.LOST
                : FailureKind.of(failure);
    }

    /** The address and the login of {@code target}. */
    public static RedisUri uri(Target target) {
        var uri = target.socket()
                .map(RedisUri::unix)
                .orElseGet(() -> RedisUri.of(target.host(), target.port()))
                .withDatabase(target.database());
        if (target.certificate().isPresent()) {
            uri = uri.withTls();
        }
        if (target.password().isEmpty()) {
            return uri;
        }
        String password = target.password().get();
        return target.username().isPresent()
                ? uri.withLogin(target.username().get(), password)
                : uri.withPassword(password);
    }

    /**
     * Default options, but for what {@code target} prescribes. The limit of Millrace is one of each connection, so with
     * such a limit there is one connection unless the experiment prescribes more.
     */
    public static ClientOptions.Builder options(Target target) {
        var options = ClientOptions.builder(uri(target))
                .connectTimeout(CONNECT_TIMEOUT)
                .commandTimeout(target.timeout());
        target.certificate().ifPresent(file -> options.tls(TlsOptions.DEFAULT.trusting(file)));
        if (target.connections() > 0 || target.inFlight() > 0) {
            options.connections(target.connections(1));
        }
        if (target.inFlight() > 0) {
            options.inFlight(Math.max(1, target.inFlight() / target.connections(1)));
        }
        return options;
    }

    private static Command<?> command(Operation operation) {
        return switch (operation) {
            case Operation.Set set -> Strings.set(set.key(), set.value());
            case Operation.Get get -> Strings.get(get.key());
            case Operation.Increment increment -> Command.of(INCR, increment.key());
            case Operation.SetField set -> Hashes.set(set.key(), set.field(), set.value());
            case Operation.PopLast pop -> Lists.popRight(pop.key());
            case Operation.Expire expire -> Keys.expire(expire.key(), Duration.ofMillis(expire.millis()));
        };
    }

    private static @Nullable Object value(Object decoded) {
        return decoded instanceof Optional<?> optional ? optional.orElse(null) : decoded;
    }

    private static FusingClient.FusedCommands fused(FusionCounts counts) {
        return new FusingClient.FusedCommands(counts.commands(), counts.fusedBatches());
    }

    private static List<@Nullable Object> batch(Pipeline pipeline, List<Operation> operations) {
        operations.forEach(operation -> pipeline.add(command(operation)));
        var values = new ArrayList<@Nullable Object>(operations.size());
        pipeline.run().forEach(result -> values.add(value(result.value())));
        return values;
    }

    @SuppressWarnings("NullAway.Init") // open() sets the field
    private static final class Shared implements FusingClient {

        private final OpenResources resources = new OpenResources();
        private final Set<Fusion> fusion;
        private RedisClient client;

        Shared(Set<Fusion> fusion) {
            this.fusion = fusion;
        }

        @Override
        public void open(Target target) {
            client = RedisClient.connect(options(target).fusion(fusion).build());
            resources.add(client);
        }

        @Override
        public @Nullable Object call(Operation operation) {
            return value(client.call(command(operation)));
        }

        @Override
        public CompletableFuture<? extends @Nullable Object> send(Operation operation) {
            var future = client.send(command(operation));
            boolean optional = operation instanceof Operation.Get || operation instanceof Operation.PopLast;
            return optional ? future.thenApply(MillraceClients::value) : future;
        }

        @Override
        public List<@Nullable Object> batch(List<Operation> operations) {
            return MillraceClients.batch(client.pipeline(), operations);
        }

        @Override
        public FusedCommands fused() {
            return MillraceClients.fused(client.stats().fusion());
        }

        @Override
        public void close() throws Exception {
            resources.close();
        }
    }

    @SuppressWarnings("NullAway.Init") // open() sets the field
    private static final class Pooled implements BorrowingClient {

        private final OpenResources resources = new OpenResources();
        private RedisClient client;

        @Override
        public void open(Target target) {
            int size = target.connections(PoolOptions.POOL_SIZE.defaultValue());
            client = RedisClient.connect(options(target.withConnections(1))
                    .poolSize(size)
                    .poolMaxIdle(PoolOptions.POOL_MAX_IDLE.max())
                    .build());
            resources.add(client);
            var opened = new ArrayList<DedicatedConnection>();
            for (int i = 0; i < size; i++) {
                opened.add(client.borrow());
            }
            opened.forEach(DedicatedConnection::close);
        }

        @Override
        public Borrowed borrow() {
            return new Dedicated(client.borrow());
        }

        @Override
        public void close() throws Exception {
            resources.close();
        }
    }

    private record Dedicated(DedicatedConnection connection) implements BorrowingClient.Borrowed {

        @Override
        public @Nullable Object call(Operation operation) {
            return value(connection.call(command(operation)));
        }

        @Override
        public List<@Nullable Object> batch(List<Operation> operations) {
            return MillraceClients.batch(connection.pipeline(), operations);
        }

        @Override
        public void close() {
            connection.close();
        }
    }

    @SuppressWarnings("NullAway.Init") // open() sets the fields
    private static final class Writer implements FusingClient {

        private final OpenResources resources = new OpenResources();
        private final ReentrantLock lock = new ReentrantLock();

        /** Guarded by the lock, as is the list of outcomes: a writer must be used by one thread at a time. */
        private BulkWriter writer;

        private List<@Nullable Object> values = List.of();
        private @Nullable Exception failure;

        @Override
        public void open(Target target) {
            var client = RedisClient.connect(options(target).build());
            resources.add(client);
            var options = new BulkOptions(
                    target.inFlight(BulkOptions.IN_FLIGHT.defaultValue()),
                    BulkOptions.IN_FLIGHT_BYTES.defaultValue(),
                    target.timeout());
            writer = client.bulkWriter(options, (tag, command, outcome) -> ended(command, outcome));
            resources.add(writer);
        }

        private void ended(CommandSpec<?> command, Outcome outcome) {
            if (outcome instanceof Outcome.Ok(Reply reply)) {
                values.add(value(command.decode(reply)));
            } else if (failure == null) {
                failure = failed(command, outcome);
            }
        }

        private static Exception failed(CommandSpec<?> command, Outcome outcome) {
            String message = command.name() + " failed: outcome=" + outcome;
            return switch (outcome) {
                case Outcome.TimedOut timedOut -> new TimedOutException(message);
                case Outcome.Refused refused -> new RefusedException(message);
                case Outcome.Lost lost -> new ConnectionLostException(message, lost.maybeExecuted());
                case Outcome.Failed failed -> new ErrorReplyException(command.name(), failed.error());
                case Outcome.Ok ok -> throw new IllegalArgumentException(message);
            };
        }

        @Override
        public List<@Nullable Object> batch(List<Operation> operations) throws Exception {
            lock.lock();
            try {
                values = new ArrayList<>(operations.size());
                failure = null;
                operations.forEach(this::write);
                writer.finish();
                if (failure != null) {
                    throw failure;
                }
                return values;
            } finally {
                lock.unlock();
            }
        }

        private void write(Operation operation) {
            switch (operation) {
                case Operation.Set set ->
                    writer.begin(Strings.SET).arg(set.key()).arg(set.value());
                case Operation.Get get -> writer.begin(Strings.GET).arg(get.key());
                case Operation.Increment increment -> writer.begin(INCR).arg(increment.key());
                case Operation.SetField set ->
                    writer.begin(Hashes.HSET).arg(set.key()).arg(set.field()).arg(set.value());
                case Operation.PopLast pop -> writer.begin(Lists.RPOP).arg(pop.key());
                case Operation.Expire expire ->
                    writer.begin(Keys.PEXPIRE).arg(expire.key()).arg(expire.millis());
            }
            writer.end(0);
        }

        @Override
        public FusedCommands fused() {
            return MillraceClients.fused(writer.fusion());
        }

        @Override
        public void close() throws Exception {
            resources.close();
        }
    }

    private MillraceClients() {}
}
