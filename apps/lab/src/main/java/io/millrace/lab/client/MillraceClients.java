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
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Millrace. */
public final class MillraceClients {

    /** {@link Strings#increment} sends {@code INCRBY}; the other libraries send {@code INCR}. */
    private static final CommandSpec<Long> INCR = CommandSpec.of("INCR", reply -> ((Reply.IntegerReply) reply).value());

    /** A contender may start on a busy machine. */
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);

    private static final Set<Capability> SHARED = Set.of(
            Capability.CALL,
            Capability.SEND,
            Capability.ORDERED_SEND,
            Capability.BATCH,
            Capability.TLS,
            Capability.UNIX_SOCKET,
            Capability.CLUSTER,
            Capability.SENTINEL);

    private static final Set<Capability> BATCHES =
            Set.of(Capability.BATCH, Capability.TLS, Capability.UNIX_SOCKET, Capability.CLUSTER, Capability.SENTINEL);

    static final ClientLibrary LIBRARY = new ClientLibrary(
            "millrace",
            "docs/client.md of this repository",
            List.of(
                    new UsageMode(
                            "shared",
                            "two connections, or one if the experiment limits the commands in flight; default fusion",
                            SHARED,
                            () -> new Shared(Fusion.ALL_EXACT)),
                    new UsageMode(
                            "unfused",
                            "as shared, no fusion: the server receives the same commands as from other libraries",
                            SHARED,
                            () -> new Shared(Fusion.NONE)),
                    new UsageMode(
                            "fused-writes",
                            "as shared, fusion for bulk writes, which ignore the numbers in the replies",
                            BATCHES,
                            () -> new Shared(Fusion.FOR_BULK_WRITES)),
                    new UsageMode(
                            "pool",
                            "borrow(), dedicated connections without fusion, all kept open",
                            Set.of(
                                    Capability.BORROW,
                                    Capability.POOL,
                                    Capability.TLS,
                                    Capability.UNIX_SOCKET,
                                    Capability.SENTINEL),
                            Pooled::new),
                    new UsageMode(
                            "bulk-writer",
                            "BulkWriter, one thread at a time, finish() after each batch, default fusion",
                            BATCHES,
                            Writer::new)));

    /** The address and the login of {@code target}. */
    public static RedisUri uri(Target target) {
        var uri =
                target.socket().map(RedisUri::unix).orElseGet(() -> tcp(target)).withDatabase(target.database());
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

    private static RedisUri tcp(Target target) {
        if (target.sentinels().isPresent()) {
            var sentinels = target.sentinels().get();
            return RedisUri.sentinels(
                    sentinels.addresses().stream()
                            .map(address -> new RedisUri.Tcp(address.host(), address.port()))
                            .toList(),
                    sentinels.primary());
        }
        return target.cluster()
                ? RedisUri.cluster(List.of(new RedisUri.Tcp(target.host(), target.port())))
                : RedisUri.of(target.host(), target.port());
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

    /** An adapter of a client that all threads share, with options that {@code change} changes. */
    public static ClientAdapter shared(UnaryOperator<ClientOptions.Builder> change) {
        return new Shared(change);
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
    private static final class Shared extends LibraryClient implements FusingClient {

        private final UnaryOperator<ClientOptions.Builder> change;
        private RedisClient client;

        Shared(Set<Fusion> fusion) {
            this(options -> options.fusion(fusion));
        }

        Shared(UnaryOperator<ClientOptions.Builder> change) {
            this.change = change;
        }

        @Override
        public void open(Target target) {
            client = opened(RedisClient.connect(change.apply(options(target)).build()));
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
    }

    @SuppressWarnings("NullAway.Init") // open() sets the field
    private static final class Pooled extends LibraryClient implements BorrowingClient {

        private RedisClient client;

        @Override
        public void open(Target target) {
            int size = target.connections(PoolOptions.POOL_SIZE.defaultValue());
            client = opened(RedisClient.connect(options(target.withConnections(1))
                    .poolSize(size)
                    .poolMaxIdle(PoolOptions.POOL_MAX_IDLE.max())
                    .build()));
            Stream.generate(client::borrow).limit(size).toList().forEach(DedicatedConnection::close);
        }

        @Override
        public Borrowed borrow() {
            return new Dedicated(client.borrow());
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

    /** Threads take turns, because one thread at a time may use a writer. The lock guards the writer and the outcomes. */
    @SuppressWarnings("NullAway.Init") // open() sets the fields
    private static final class Writer extends LibraryClient implements FusingClient {

        private final ReentrantLock lock = new ReentrantLock();
        private BulkWriter writer;
        private List<@Nullable Object> values = List.of();
        private @Nullable RedisException failure;

        @Override
        public void open(Target target) {
            var client = opened(RedisClient.connect(options(target).build()));
            var options = new BulkOptions(
                    target.inFlight(BulkOptions.IN_FLIGHT.defaultValue()),
                    BulkOptions.IN_FLIGHT_BYTES.defaultValue(),
                    target.timeout());
            writer = opened(client.bulkWriter(options, (tag, command, outcome) -> ended(command, outcome)));
        }

        private void ended(CommandSpec<?> command, Outcome outcome) {
            switch (outcome) {
                case Outcome.Ok(Reply reply) -> values.add(value(command.decode(reply)));
                case Outcome.Failed failed -> failure = new ErrorReplyException(command.name(), failed.error());
                case Outcome.TimedOut timedOut -> failure = new TimedOutException(command.name());
                case Outcome.Refused refused -> failure = new RefusedException(command.name());
                case Outcome.Lost lost -> failure = new ConnectionLostException(lost.cause(), lost.maybeExecuted());
            }
        }

        @Override
        public List<@Nullable Object> batch(List<Operation> operations) {
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
    }

    private MillraceClients() {}
}
