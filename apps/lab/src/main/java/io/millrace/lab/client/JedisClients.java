// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import io.millrace.lab.client.UsageMode.Capability;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.CommandObjects;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.RedisSentinelClient;
import redis.clients.jedis.Response;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.SslVerifyMode;
import redis.clients.jedis.UnifiedJedis;

/** Jedis. Methods such as {@code RedisClient.set()} execute a {@link CommandObject}, as the adapters do. */
public final class JedisClients {

    private static final CommandObjects COMMANDS = new CommandObjects(RedisProtocol.RESP2);

    static final ClientLibrary LIBRARY = new ClientLibrary(
            "jedis",
            "https://redis.io/docs/latest/develop/clients/jedis/produsage/",
            List.of(
                    new UsageMode(
                            "pool",
                            "RedisClient, all connections of the pool kept open; batches by pipelined(), all results read",
                            Set.of(
                                    Capability.CALL,
                                    Capability.BATCH,
                                    Capability.BORROW,
                                    Capability.POOL,
                                    Capability.TLS,
                                    Capability.CLUSTER,
                                    Capability.SENTINEL),
                            Pooled::new),
                    new UsageMode(
                            "own-connection",
                            "the one Connection that a Jedis object contains, for one thread; batches by Pipeline",
                            Set.of(Capability.CALL, Capability.BATCH, Capability.TLS),
                            OwnConnection::new),
                    new UsageMode(
                            "by-hand",
                            "as pool, batches of mset(), mget(), hset() of a map and rpop() with a count, each in place of"
                                    + " at most " + CommandGroups.MAX_COMMANDS + " commands",
                            Set.of(Capability.BATCH_BY_HAND, Capability.TLS),
                            ByHand::new)));

    private static HostAndPort address(Target target) {
        return new HostAndPort(target.host(), target.port());
    }

    private static Set<HostAndPort> sentinels(Target.Sentinels sentinels) {
        return sentinels.addresses().stream()
                .map(address -> new HostAndPort(address.host(), address.port()))
                .collect(Collectors.toSet());
    }

    /** The settings of a connection to {@code target}. */
    public static JedisClientConfig config(Target target) throws IOException, GeneralSecurityException {
        var config = DefaultJedisClientConfig.builder()
                .user(target.username().orElse(null))
                .password(target.password().orElse(null))
                .database(target.database())
                .socketTimeoutMillis((int) target.timeout().toMillis());
        if (target.certificate().isPresent()) {
            byte[] store = TrustedCertificates.store(target.certificate().get());
            config.sslOptions(SslOptions.builder()
                    .trustStoreType("PKCS12")
                    .truststore(() -> new ByteArrayInputStream(store), TrustedCertificates.STORE_PASSWORD.toCharArray())
                    .sslVerifyMode(SslVerifyMode.FULL)
                    .build());
        }
        return config.build();
    }

    /** A pool that keeps {@code size} connections, and does not test connections while another client is measured. */
    public static ConnectionPoolConfig poolConfig(int size) {
        var pool = new ConnectionPoolConfig();
        pool.setMaxTotal(size);
        pool.setMaxIdle(size);
        pool.setMinIdle(size);
        pool.setTimeBetweenEvictionRuns(Duration.ofMillis(-1));
        pool.setTestWhileIdle(false);
        return pool;
    }

    private static CommandObject<?> command(Operation operation) {
        return switch (operation) {
            case Operation.Set set -> COMMANDS.set(set.key(), set.value());
            case Operation.Get get -> COMMANDS.get(get.key());
            case Operation.Increment increment -> COMMANDS.incr(increment.key());
            case Operation.SetField set -> COMMANDS.hset(set.key(), set.field(), set.value());
            case Operation.PopLast pop -> COMMANDS.rpop(pop.key());
            case Operation.Expire expire -> COMMANDS.pexpire(expire.key(), expire.millis());
        };
    }

    private static List<@Nullable Object> batch(AbstractPipeline opened, List<Operation> operations) {
        var responses = new ArrayList<Response<?>>(operations.size());
        try (opened) {
            operations.forEach(operation -> responses.add(opened.executeCommand(command(operation))));
        } // close() sends the commands and reads all replies
        var values = new ArrayList<@Nullable Object>(operations.size());
        responses.forEach(response -> values.add(response.get()));
        return values;
    }

    @SuppressWarnings("NullAway.Init") // open() sets the field
    private static final class Pooled extends LibraryClient implements BorrowingClient {

        /** By the connection of the pool, so that a borrower makes no object. */
        private final Map<Connection, OneConnection> borrowed = new ConcurrentHashMap<>();

        private UnifiedJedis jedis;

        @Override
        public void open(Target target) throws Exception {
            int size = target.connections(ConnectionPoolConfig.DEFAULT_MAX_TOTAL);
            if (target.cluster()) {
                jedis = opened(RedisClusterClient.builder()
                        .nodes(Set.of(address(target)))
                        .clientConfig(config(target))
                        .poolConfig(poolConfig(size))
                        .build());
            } else if (target.sentinels().isPresent()) {
                jedis = opened(RedisSentinelClient.builder()
                        .sentinels(sentinels(target.sentinels().get()))
                        .masterName(target.sentinels().get().primary())
                        .sentinelClientConfig(config(target.withoutLogin()))
                        .clientConfig(config(target))
                        .poolConfig(poolConfig(size))
                        .build());
            } else {
                var client = opened(RedisClient.builder()
                        .hostAndPort(address(target))
                        .clientConfig(config(target))
                        .poolConfig(poolConfig(size))
                        .build());
                jedis = client;
                client.getPool().addObjects(size);
            }
        }

        @Override
        public @Nullable Object call(Operation operation) {
            return jedis.executeCommand(command(operation));
        }

        @Override
        public List<@Nullable Object> batch(List<Operation> operations) {
            return JedisClients.batch(jedis.pipelined(), operations);
        }

        @Override
        public Borrowed borrow() {
            if (jedis instanceof RedisClient single) {
                return borrowed.computeIfAbsent(
                        single.getPool().getResource(), connection -> new OneConnection(connection, connection::close));
            }
            throw new UnsupportedOperationException("the client of a cluster or of Sentinels lends no connection");
        }
    }

    /** The command in place of all commands of a group. */
    private static CommandObject<?> command(List<Operation> group) {
        Operation first = group.getFirst();
        if (group.size() == 1) {
            return command(first);
        }
        return switch (first) {
            case Operation.Set set ->
                COMMANDS.mset(group.stream()
                        .map(Operation.Set.class::cast)
                        .flatMap(each -> Stream.of(each.key(), each.value()))
                        .toArray(String[]::new));
            case Operation.Get get ->
                COMMANDS.mget(group.stream().map(Operation::key).toArray(String[]::new));
            case Operation.SetField set -> COMMANDS.hset(set.key(), CommandGroups.fields(group));
            case Operation.PopLast pop -> COMMANDS.rpop(pop.key(), group.size());
            case Operation.Increment increment -> throw new AssertionError(increment);
            case Operation.Expire expire -> throw new AssertionError(expire);
        };
    }

    private static final class ByHand extends LibraryClient implements FusingClient {

        private final Pooled pool = new Pooled();
        private final CommandGroups grouping = new CommandGroups();

        @Override
        public void open(Target target) throws Exception {
            opened(pool).open(target);
        }

        @Override
        public List<@Nullable Object> batch(List<Operation> operations) {
            var groups = grouping.of(operations);
            var responses = new ArrayList<Response<?>>(groups.size());
            try (var pipeline = pool.jedis.pipelined()) {
                groups.forEach(group -> responses.add(pipeline.executeCommand(command(group))));
            } // close() sends the commands and reads all replies
            return CommandGroups.values(
                    groups,
                    responses.stream().<@Nullable Object>map(Response::get).toList());
        }

        @Override
        public FusedCommands fused() {
            return grouping.counts();
        }
    }

    private record OneConnection(Connection connection, Runnable release) implements BorrowingClient.Borrowed {

        @Override
        public @Nullable Object call(Operation operation) {
            return connection.executeCommand(command(operation));
        }

        @Override
        public List<@Nullable Object> batch(List<Operation> operations) {
            return JedisClients.batch(new Pipeline(connection, false), operations);
        }

        @Override
        public void close() {
            release.run();
        }
    }

    /** Threads take turns, because one thread at a time may use a connection. */
    @SuppressWarnings("NullAway.Init") // open() sets the field
    private static final class OwnConnection extends LibraryClient implements BorrowingClient {

        private final ReentrantLock lock = new ReentrantLock();
        private OneConnection connection;

        @Override
        public void open(Target target) throws Exception {
            connection = new OneConnection(opened(new Connection(address(target), config(target))), lock::unlock);
            connection.connection.ping();
        }

        @Override
        public Borrowed borrow() {
            lock.lock();
            return connection;
        }
    }

    private JedisClients() {}
}
