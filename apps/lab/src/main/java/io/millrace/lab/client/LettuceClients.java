// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.support.ConnectionPoolSupport;
import io.millrace.lab.client.UsageMode.Capability;
import io.millrace.lab.server.Keyspace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;

/** Lettuce with its defaults: connections that are lost are opened again, native transport on Linux. */
public final class LettuceClients {

    /** The guide on pipelining says 50 to 1,000 commands. */
    private static final int FLUSH_EVERY = 100;

    /** Limit of the queue if the experiment prescribes none: the same as the default of Millrace. */
    private static final int REQUEST_QUEUE = 4_096;

    private static final long SHUTDOWN_SECONDS = 60;
    private static final String GUIDE = "https://redis.github.io/lettuce/advanced-usage/";

    private static final Set<Capability> SENDING = Set.of(
            Capability.SEND,
            Capability.ORDERED_SEND,
            Capability.TLS,
            Capability.UNIX_SOCKET,
            Capability.CLUSTER,
            Capability.SENTINEL);

    private static final Set<Capability> ALL_BUT_POOL = EnumSet.complementOf(
            EnumSet.of(Capability.REPEATED_CALL, Capability.BATCH_BY_HAND, Capability.BORROW, Capability.POOL));

    static final ClientLibrary LIBRARY = new ClientLibrary(
            "lettuce",
            GUIDE,
            List.of(
                    new UsageMode(
                            "shared-connection",
                            "one connection; async(), each command flushed; calls wait for the future, as sync() does; batches on a second connection,"
                                    + " flushCommands() after each batch, see " + GUIDE + "pipelining",
                            ALL_BUT_POOL,
                            () -> new OneConnection(1, false)),
                    new UsageMode(
                            "send-flush-100",
                            "async(), flushCommands() after every " + FLUSH_EVERY + " commands, see " + GUIDE
                                    + "pipelining",
                            SENDING,
                            () -> new OneConnection(FLUSH_EVERY, false)),
                    new UsageMode(
                            "request-queue",
                            "async(), requestQueueSize " + REQUEST_QUEUE + " or the limit of the experiment, see "
                                    + GUIDE + "client-options",
                            SENDING,
                            () -> new OneConnection(1, true)),
                    new UsageMode(
                            "pool",
                            "createGenericObjectPool(), all connections kept open; calls wait for the future of async(); batches flushed by"
                                    + " flushCommands(), see " + GUIDE + "connection-pooling",
                            Set.of(
                                    Capability.CALL,
                                    Capability.BATCH,
                                    Capability.BORROW,
                                    Capability.POOL,
                                    Capability.TLS,
                                    Capability.UNIX_SOCKET),
                            Pooled::new),
                    new UsageMode(
                            "by-hand",
                            "as shared-connection, batches of mset(), mget(), hset() of a map and rpop() with a count, each"
                                    + " in place of at most " + CommandGroups.MAX_COMMANDS + " commands",
                            Set.of(Capability.BATCH_BY_HAND, Capability.TLS, Capability.UNIX_SOCKET),
                            ByHand::new)));

    /** The address, login and time limit. */
    public static RedisURI uri(Target target) {
        var uri = target.socket()
                .map(path -> RedisURI.Builder.socket(path.toString()))
                .orElseGet(() -> tcp(target))
                .withTimeout(target.timeout())
                .withSsl(target.certificate().isPresent());
        if (target.database() != 0) { // a cluster refuses SELECT
            uri.withDatabase(target.database());
        }
        target.password()
                .ifPresent(password -> target.username()
                        .ifPresentOrElse(
                                user -> uri.withAuthentication(user, password),
                                () -> uri.withPassword(password.toCharArray())));
        return uri.build();
    }

    private static RedisURI.Builder tcp(Target target) {
        if (target.sentinels().isEmpty()) {
            return RedisURI.builder().withHost(target.host()).withPort(target.port());
        }
        var sentinels = target.sentinels().get();
        var uri = RedisURI.builder().withSentinelMasterId(sentinels.primary());
        sentinels.addresses().forEach(address -> uri.withSentinel(address.host(), address.port()));
        return uri;
    }

    /** Default options, but for the trusted certificates and the size of the queue. */
    public static ClientOptions options(Target target, int requestQueue) {
        var options = target.cluster() ? ClusterClientOptions.builder() : ClientOptions.builder();
        target.certificate().ifPresent(file -> options.sslOptions(sslOptions(file)));
        return options.requestQueueSize(requestQueue).build();
    }

    /** TLS of the JDK that trusts only the certificates in {@code file}. */
    static SslOptions sslOptions(Path file) {
        return SslOptions.builder().jdkSslProvider().trustManager(file.toFile()).build();
    }

    private static RedisFuture<?> send(RedisClusterAsyncCommands<String, String> async, Operation operation) {
        return switch (operation) {
            case Operation.Set set -> async.set(set.key(), set.value());
            case Operation.Get get -> async.get(get.key());
            case Operation.Increment increment -> async.incr(increment.key());
            case Operation.SetField set -> async.hset(set.key(), set.field(), set.value());
            case Operation.PopLast pop -> async.rpop(pop.key());
            case Operation.Expire expire -> async.pexpire(expire.key(), expire.millis());
        };
    }

    /** Sends a batch over a connection without automatic flush. */
    private static List<@Nullable Object> batch(
            StatefulConnection<?, ?> connection,
            RedisClusterAsyncCommands<String, String> async,
            List<Operation> operations)
            throws Exception {
        var futures = new ArrayList<RedisFuture<?>>(operations.size());
        operations.forEach(operation -> futures.add(send(async, operation)));
        connection.flushCommands();
        return LibraryClient.results(futures);
    }

    /** A connection to one server or to a cluster, with its commands. */
    private record Connection(
            StatefulConnection<String, String> stateful, RedisClusterAsyncCommands<String, String> async) {

        static Connection of(AbstractRedisClient client) {
            if (client instanceof RedisClusterClient cluster) {
                var stateful = cluster.connect();
                connectNodes(stateful, key -> key);
                return new Connection(stateful, stateful.async());
            }
            var stateful = ((RedisClient) client).connect();
            return new Connection(stateful, stateful.async());
        }
    }

    /**
     * Connects to each primary, which Lettuce otherwise does at the first command for the primary. Without automatic flush,
     * commands that still wait for their connection during {@code flushCommands()} would not be sent.
     *
     * @param key a key as the codec of the connection has it
     */
    public static <K> void connectNodes(StatefulRedisClusterConnection<K, ?> connection, Function<String, K> key) {
        Set<String> missing = connection.getPartitions().stream()
                .filter(node -> !node.getSlots().isEmpty())
                .map(RedisClusterNode::getNodeId)
                .collect(Collectors.toSet());
        for (int n = 0; !missing.isEmpty(); n++) {
            String name = Keyspace.PREFIX + n;
            var node = connection.getPartitions().getPartitionBySlot(SlotHash.getSlot(name));
            if (missing.remove(node.getNodeId())) {
                connection.sync().type(key.apply(name));
            }
        }
    }

    private static AbstractRedisClient client(Target target, int requestQueue, LibraryClient owner) {
        AbstractRedisClient client;
        if (target.cluster()) {
            var cluster = RedisClusterClient.create(uri(target));
            cluster.setOptions((ClusterClientOptions) options(target, requestQueue));
            client = cluster;
        } else {
            var single = RedisClient.create(uri(target));
            single.setOptions(options(target, requestQueue));
            client = single;
        }
        owner.opened(() -> client.shutdown(0, SHUTDOWN_SECONDS, TimeUnit.SECONDS));
        return client;
    }

    @SuppressWarnings("NullAway.Init") // open() sets the fields
    private static final class OneConnection extends LibraryClient implements FlushingClient {

        private final AtomicLong sent = new AtomicLong();
        private final int flushEvery;
        private final boolean limited;
        private Connection connection;
        private Connection batches;

        /** Lettuce flushes each command if {@code flushEvery} is 1. */
        OneConnection(int flushEvery, boolean limited) {
            this.flushEvery = flushEvery;
            this.limited = limited;
        }

        @Override
        public void open(Target target) {
            int queue = limited ? target.inFlight(REQUEST_QUEUE) : ClientOptions.DEFAULT_REQUEST_QUEUE_SIZE;
            var client = client(target, queue, this);
            connection = Connection.of(client);
            connection.stateful.setAutoFlushCommands(flushEvery == 1);
            batches = Connection.of(client);
            batches.stateful.setAutoFlushCommands(false);
        }

        @Override
        public @Nullable Object call(Operation operation) throws Exception {
            return LettuceClients.send(connection.async, operation).get();
        }

        @Override
        public CompletionStage<? extends @Nullable Object> send(Operation operation) {
            var future = LettuceClients.send(connection.async, operation);
            if (flushEvery > 1 && sent.incrementAndGet() % flushEvery == 0) {
                flush();
            }
            return future;
        }

        @Override
        public void flush() {
            if (flushEvery > 1) {
                connection.stateful.flushCommands();
            }
        }

        @Override
        public List<@Nullable Object> batch(List<Operation> operations) throws Exception {
            return LettuceClients.batch(batches.stateful, batches.async, operations);
        }
    }

    /** The command in place of all commands of a group. */
    private static RedisFuture<?> send(RedisClusterAsyncCommands<String, String> async, List<Operation> group) {
        Operation first = group.getFirst();
        if (group.size() == 1) {
            return send(async, first);
        }
        return switch (first) {
            case Operation.Set set -> async.mset(strings(group));
            case Operation.Get get ->
                async.mget(group.stream().map(Operation::key).toArray(String[]::new));
            case Operation.SetField set -> async.hset(set.key(), CommandGroups.fields(group));
            case Operation.PopLast pop -> async.rpop(pop.key(), group.size());
            case Operation.Increment increment -> throw new AssertionError(increment);
            case Operation.Expire expire -> throw new AssertionError(expire);
        };
    }

    private static Map<String, String> strings(List<Operation> sets) {
        Map<String, String> strings = LinkedHashMap.newLinkedHashMap(sets.size());
        for (Operation operation : sets) {
            strings.put(operation.key(), ((Operation.Set) operation).value());
        }
        return strings;
    }

    private static @Nullable Object value(@Nullable Object reply) {
        return reply instanceof KeyValue<?, ?> pair ? pair.getValueOrElse(null) : reply;
    }

    private static final class ByHand extends LibraryClient implements FusingClient {

        private final OneConnection client = new OneConnection(1, false);
        private final CommandGroups grouping = new CommandGroups();

        @Override
        public void open(Target target) {
            opened(client).open(target);
        }

        @Override
        public List<@Nullable Object> batch(List<Operation> operations) throws Exception {
            var groups = grouping.of(operations);
            var futures = new ArrayList<RedisFuture<?>>(groups.size());
            groups.forEach(group -> futures.add(LettuceClients.send(client.batches.async, group)));
            client.batches.stateful.flushCommands();
            return CommandGroups.values(groups, results(futures)).stream()
                    .<@Nullable Object>map(LettuceClients::value)
                    .toList();
        }

        @Override
        public FusedCommands fused() {
            return grouping.counts();
        }
    }

    @SuppressWarnings("NullAway.Init") // open() sets the field
    private static final class Pooled extends LibraryClient implements BorrowingClient {

        private GenericObjectPool<StatefulRedisConnection<String, String>> pool;

        @Override
        public void open(Target target) throws Exception {
            var client = (RedisClient) client(target, ClientOptions.DEFAULT_REQUEST_QUEUE_SIZE, this);
            var config = new GenericObjectPoolConfig<StatefulRedisConnection<String, String>>();
            int size = target.connections(GenericObjectPoolConfig.DEFAULT_MAX_TOTAL);
            config.setMaxTotal(size);
            config.setMaxIdle(size);
            config.setMinIdle(size);
            config.setTimeBetweenEvictionRuns(Duration.ofMillis(-1));
            // Without wrappers: the adapter itself returns the connections.
            pool = opened(ConnectionPoolSupport.createGenericObjectPool(client::connect, config, false));
            pool.addObjects(size);
        }

        @Override
        public Borrowed borrow() throws Exception {
            return new PooledConnection(pool, pool.borrowObject());
        }
    }

    private record PooledConnection(
            GenericObjectPool<StatefulRedisConnection<String, String>> pool,
            StatefulRedisConnection<String, String> connection)
            implements BorrowingClient.Borrowed {

        @Override
        public @Nullable Object call(Operation operation) throws Exception {
            return send(connection.async(), operation).get();
        }

        @Override
        public List<@Nullable Object> batch(List<Operation> operations) throws Exception {
            connection.setAutoFlushCommands(false);
            try {
                return LettuceClients.batch(connection, connection.async(), operations);
            } finally {
                connection.setAutoFlushCommands(true);
            }
        }

        @Override
        public void close() {
            pool.returnObject(connection);
        }
    }

    private LettuceClients() {}
}
