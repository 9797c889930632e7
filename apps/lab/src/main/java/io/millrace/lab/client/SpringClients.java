// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.client;

import io.lettuce.core.api.StatefulConnection;
import io.millrace.lab.client.UsageMode.Capability;
import io.millrace.lab.server.LabException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.commons.pool2.impl.GenericObjectPoolConfig;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.DefaultStringRedisConnection;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisSocketConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.StringRedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnection.PipeliningFlushPolicy;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettucePoolingClientConfiguration;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Spring Data Redis over Lettuce, its default. */
public final class SpringClients {

    static final ClientLibrary LIBRARY = new ClientLibrary(
            "spring",
            "https://docs.spring.io/spring-data/redis/reference/redis/template.html",
            List.of(
                    new UsageMode(
                            "template",
                            "StringRedisTemplate on one connection of Lettuce; executePipelined() of a second template with"
                                    + " flushOnClose() and a pool, all results read, see"
                                    + " https://docs.spring.io/spring-data/redis/reference/redis/pipelining.html",
                            Set.of(Capability.CALL, Capability.BATCH, Capability.TLS, Capability.UNIX_SOCKET),
                            Template::new),
                    new UsageMode(
                            "pool",
                            "StringRedisConnection of a LettuceConnectionFactory with LettucePoolingClientConfiguration and"
                                    + " without a shared connection, openPipeline() with flushOnClose(), all results read,"
                                    + " all connections opened before, see"
                                    + " https://docs.spring.io/spring-data/redis/reference/redis/drivers.html",
                            Set.of(Capability.BORROW, Capability.POOL, Capability.TLS, Capability.UNIX_SOCKET),
                            Pooled::new)));

    /** A factory with one connection that all threads share. */
    public static LettuceConnectionFactory sharedConnection(Target target) {
        var factory = factory(target, LettuceClientConfiguration.builder());
        factory.setEagerInitialization(true);
        return factory;
    }

    private static LettuceConnectionFactory pool(Target target) {
        var config = new GenericObjectPoolConfig<StatefulConnection<?, ?>>();
        int size = target.connections(GenericObjectPoolConfig.DEFAULT_MAX_TOTAL);
        config.setMaxTotal(size);
        config.setMaxIdle(size);
        var factory =
                factory(target, LettucePoolingClientConfiguration.builder().poolConfig(config));
        factory.setShareNativeConnection(false);
        factory.setPipeliningFlushPolicy(PipeliningFlushPolicy.flushOnClose());
        return factory;
    }

    private static LettuceConnectionFactory factory(Target target, LettuceClientConfigurationBuilder client) {
        client.commandTimeout(target.timeout())
                .shutdownQuietPeriod(Duration.ZERO)
                .shutdownTimeout(Duration.ofMinutes(1));
        if (target.certificate().isPresent()) {
            client.clientOptions(LettuceClients.options(target, Integer.MAX_VALUE))
                    .useSsl();
        }
        return new LettuceConnectionFactory(server(target), client.build());
    }

    private static RedisConfiguration server(Target target) {
        RedisConfiguration server = target.socket()
                .<RedisConfiguration>map(path -> new RedisSocketConfiguration(path.toString()))
                .orElseGet(() -> new RedisStandaloneConfiguration(target.host(), target.port()));
        ((RedisConfiguration.WithDatabaseIndex) server).setDatabase(target.database());
        var login = (RedisConfiguration.WithAuthentication) server;
        target.username().ifPresent(login::setUsername);
        target.password().ifPresent(login::setPassword);
        return server;
    }

    @SuppressWarnings("NullAway.Init") // open() sets the fields
    private static final class Template extends LibraryClient {

        private StringRedisTemplate template;
        private StringRedisTemplate pipelines;

        @Override
        public void open(Target target) {
            template = start(sharedConnection(target));
            pipelines = start(pool(target));
            pipelines.executePipelined((RedisCallback<@Nullable Object>) connection -> null); // connects
        }

        private StringRedisTemplate start(LettuceConnectionFactory factory) {
            opened(factory::destroy);
            factory.afterPropertiesSet();
            return new StringRedisTemplate(factory);
        }

        @Override
        public @Nullable Object call(Operation operation) {
            return switch (operation) {
                case Operation.Set set -> {
                    template.opsForValue().set(set.key(), set.value());
                    yield null;
                }
                case Operation.Get get -> template.opsForValue().get(get.key());
                case Operation.Increment increment -> template.opsForValue().increment(increment.key());
                case Operation.SetField set -> {
                    template.opsForHash().put(set.key(), set.field(), set.value());
                    yield null;
                }
                case Operation.PopLast pop -> template.opsForList().rightPop(pop.key());
                case Operation.Expire expire -> template.expire(expire.key(), Duration.ofMillis(expire.millis()));
            };
        }

        @Override
        public List<? extends @Nullable Object> batch(List<Operation> operations) {
            var results = pipelines.executePipelined((RedisCallback<@Nullable Object>) connection -> {
                var pipeline = new DefaultStringRedisConnection(connection);
                operations.forEach(operation -> SpringClients.send(pipeline, operation));
                return null;
            });
            return oneForEach(operations, results);
        }
    }

    /** Sends a command; in a pipeline, the result is null. */
    private static @Nullable Object send(StringRedisConnection connection, Operation operation) {
        return switch (operation) {
            case Operation.Set set -> connection.set(set.key(), set.value());
            case Operation.Get get -> connection.get(get.key());
            case Operation.Increment increment -> connection.incr(increment.key());
            case Operation.SetField set -> connection.hSet(set.key(), set.field(), set.value());
            case Operation.PopLast pop -> connection.rPop(pop.key());
            case Operation.Expire expire -> connection.pExpire(expire.key(), expire.millis());
        };
    }

    /** Spring leaves out replies that are only a status. */
    private static List<? extends @Nullable Object> oneForEach(
            List<Operation> operations, List<? extends @Nullable Object> results) {
        if (results.size() != operations.size()) {
            throw new LabException("a pipeline of Spring Data Redis has not one result for each command: commands="
                    + operations.size() + ", results=" + results.size() + ".");
        }
        return results;
    }

    @SuppressWarnings("NullAway.Init") // open() sets the field
    private static final class Pooled extends LibraryClient implements BorrowingClient {

        private LettuceConnectionFactory factory;

        @Override
        public void open(Target target) {
            factory = pool(target);
            opened(factory::destroy);
            factory.afterPropertiesSet();
            int size = target.connections(GenericObjectPoolConfig.DEFAULT_MAX_TOTAL);
            var connections =
                    Stream.generate(factory::getConnection).limit(size).toList();
            connections.forEach(RedisConnection::ping); // connects
            connections.forEach(RedisConnection::close);
        }

        @Override
        public Borrowed borrow() {
            return new PooledConnection(new DefaultStringRedisConnection(factory.getConnection()));
        }
    }

    private record PooledConnection(StringRedisConnection connection) implements BorrowingClient.Borrowed {

        @Override
        public @Nullable Object call(Operation operation) {
            return SpringClients.send(connection, operation);
        }

        @Override
        public List<? extends @Nullable Object> batch(List<Operation> operations) {
            connection.openPipeline();
            operations.forEach(operation -> SpringClients.send(connection, operation));
            return oneForEach(operations, connection.closePipeline());
        }

        @Override
        public void close() {
            connection.close();
        }
    }

    private SpringClients() {}
}
