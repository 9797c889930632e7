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
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisClientConfig;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.Response;
import redis.clients.jedis.SslOptions;
import redis.clients.jedis.SslVerifyMode;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.commands.JedisCommands;

/** Jedis. */
public final class JedisClients {

    private static final int DEFAULT_POOL = ConnectionPoolConfig.DEFAULT_MAX_TOTAL;

    static final ClientLibrary LIBRARY = new ClientLibrary(
            "jedis",
            "https://redis.io/docs/latest/develop/clients/jedis/produsage/",
            List.of(
                    new UsageMode(
                            "pool",
                            "RedisClient, all connections of its pool kept open; batches by pipelined(), closed after each"
                                    + " batch, every Response read; see Connection pooling in the documentation, and"
                                    + " https://redis.io/docs/latest/develop/clients/jedis/transpipe/",
                            Set.of(
                                    Capability.CALL,
                                    Capability.BATCH,
                                    Capability.BORROW,
                                    Capability.POOL,
                                    Capability.TLS,
                                    Capability.CLUSTER),
                            Pooled::new),
                    new UsageMode(
                            "own-connection",
                            "Jedis, one connection that one thread at a time uses; batches by pipelined(), closed after"
                                    + " each batch, every Response read",
                            Set.of(Capability.CALL, Capability.BATCH, Capability.TLS),
                            OwnConnection::new)));

    private static HostAndPort address(Target target) {
        return new HostAndPort(target.host(), target.port());
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

    /** A pool that keeps {@code size} connections. Otherwise, Jedis closes idle connections and opens new ones. */
    public static ConnectionPoolConfig poolConfig(int size) {
        var pool = new ConnectionPoolConfig();
        pool.setMaxTotal(size);
        pool.setMaxIdle(size);
        pool.setMinIdle(size);
        // The pool must not test connections while another client is measured.
        pool.setTimeBetweenEvictionRuns(Duration.ofMillis(-1));
        pool.setTestWhileIdle(false);
        return pool;
    }

    private static @Nullable Object call(JedisCommands jedis, Operation operation) {
        return switch (operation) {
            case Operation.Set set -> jedis.set(set.key(), set.value());
            case Operation.Get get -> jedis.get(get.key());
            case Operation.Increment increment -> jedis.incr(increment.key());
            case Operation.SetField set -> jedis.hset(set.key(), set.field(), set.value());
            case Operation.PopLast pop -> jedis.rpop(pop.key());
            case Operation.Expire expire -> jedis.pexpire(expire.key(), expire.millis());
        };
    }

    private static List<@Nullable Object> batch(AbstractPipeline opened, List<Operation> operations) {
        var responses = new ArrayList<Response<?>>(operations.size());
        try (opened) {
            operations.forEach(operation -> responses.add(add(opened, operation)));
        } // close() sends the commands and reads all replies
        var values = new ArrayList<@Nullable Object>(operations.size());
        responses.forEach(response -> values.add(response.get()));
        return values;
    }

    private static Response<?> add(AbstractPipeline pipeline, Operation operation) {
        return switch (operation) {
            case Operation.Set set -> pipeline.set(set.key(), set.value());
            case Operation.Get get -> pipeline.get(get.key());
            case Operation.Increment increment -> pipeline.incr(increment.key());
            case Operation.SetField set -> pipeline.hset(set.key(), set.field(), set.value());
            case Operation.PopLast pop -> pipeline.rpop(pop.key());
            case Operation.Expire expire -> pipeline.pexpire(expire.key(), expire.millis());
        };
    }

    @SuppressWarnings("NullAway.Init") // open() sets the field
    private static final class Pooled implements BorrowingClient {

        private final OpenResources resources = new OpenResources();
        private UnifiedJedis jedis;

        /** Borrowing makes no new Jedis: each connection of the pool keeps its own. */
        private final Map<Connection, Jedis> jedisOf = new ConcurrentHashMap<>();

        @Override
        public void open(Target target) throws Exception {
            int size = target.connections(DEFAULT_POOL);
            if (target.cluster()) {
                jedis = RedisClusterClient.builder()
                        .nodes(Set.of(address(target)))
                        .clientConfig(config(target))
                        .poolConfig(poolConfig(size))
                        .build();
                resources.add(jedis);
            } else {
                var client = RedisClient.builder()
                        .hostAndPort(address(target))
                        .clientConfig(config(target))
                        .poolConfig(poolConfig(size))
                        .build();
                jedis = client;
                resources.add(jedis);
                client.getPool().addObjects(size);
            }
        }

        @Override
        public @Nullable Object call(Operation operation) {
            return JedisClients.call(jedis, operation);
        }

        @Override
        public List<@Nullable Object> batch(List<Operation> operations) {
            return JedisClients.batch(jedis.pipelined(), operations);
        }

        @Override
        public Borrowed borrow() {
            if (jedis instanceof RedisClient single) {
                return new SingleConnection(
                        jedisOf.computeIfAbsent(single.getPool().getResource(), connection -> new Jedis(connection)));
            }
            throw new UnsupportedOperationException("a cluster has no connection for all keys to borrow");
        }

        @Override
        public void close() throws Exception {
            resources.close();
        }
    }

    private record SingleConnection(Jedis jedis) implements BorrowingClient.Borrowed {

        @Override
        public @Nullable Object call(Operation operation) {
            return JedisClients.call(jedis, operation);
        }

        @Override
        public List<@Nullable Object> batch(List<Operation> operations) {
            return JedisClients.batch(jedis.pipelined(), operations);
        }

        /** Returns the connection to the pool. */
        @Override
        public void close() {
            jedis.close();
        }
    }

    @SuppressWarnings("NullAway.Init") // open() sets the field
    private static final class OwnConnection implements ClientAdapter {

        private final OpenResources resources = new OpenResources();

        /** Threads take turns, because a Jedis must be used by one thread at a time. */
        private final ReentrantLock lock = new ReentrantLock();

        private SingleConnection connection;

        @Override
        public void open(Target target) throws Exception {
            connection = new SingleConnection(new Jedis(address(target), config(target)));
            resources.add(connection);
            connection.jedis.ping();
        }

        @Override
        public @Nullable Object call(Operation operation) {
            lock.lock();
            try {
                return connection.call(operation);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public List<@Nullable Object> batch(List<Operation> operations) {
            lock.lock();
            try {
                return connection.batch(operations);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void close() throws Exception {
            resources.close();
        }
    }

    private JedisClients() {}
}
