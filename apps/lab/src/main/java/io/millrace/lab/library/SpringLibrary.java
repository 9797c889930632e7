// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import io.millrace.lab.run.LabException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.DefaultStringRedisConnection;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.StringRedisConnection;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration.LettuceClientConfigurationBuilder;
import org.springframework.data.redis.connection.lettuce.LettuceConnection.PipeliningFlushPolicy;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettucePoolingClientConfiguration;
import org.springframework.data.redis.core.RedisCallback;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * Spring Data Redis on Lettuce, its default: call by call by {@code StringRedisTemplate}, and by
 * {@code executePipelined}.
 */
public final class SpringLibrary implements Library {

    @Override
    public String name() {
        return "spring";
    }

    @Override
    public List<Way> ways() {
        return List.of(
                new Way(
                        Way.ONE_BY_ONE,
                        true,
                        "StringRedisTemplate, opsForValue(), opsForHash(), opsForList(), on Lettuce, default options: one"
                                + " connection, shared; " + NativeTransport.word(),
                        endpoint -> new OneByOne(new Calls(Opened.withSharedConnection(endpoint)))),
                new Way(
                        Way.PIPELINE,
                        false,
                        "StringRedisTemplate.executePipelined() for each batch, all results read; on Lettuce, with"
                                + " PipeliningFlushPolicy.flushOnClose() of its guide, and a pool, without which each"
                                + " pipeline would connect anew; " + NativeTransport.word(),
                        endpoint -> new Batched(new Pipelines(Opened.withPool(endpoint)))));
    }

    record Opened(LettuceConnectionFactory factory, StringRedisTemplate template) {

        static Opened withSharedConnection(Endpoint endpoint) {
            return withSharedConnection(endpoint, Endpoint.REPLY_TIMEOUT);
        }

        static Opened withSharedConnection(Endpoint endpoint, Duration timeout) {
            var factory = factory(endpoint, timeout, LettuceClientConfiguration.builder());
            factory.setEagerInitialization(true);
            return started(factory);
        }

        static Opened withPool(Endpoint endpoint) {
            var factory = factory(endpoint, Endpoint.REPLY_TIMEOUT, LettucePoolingClientConfiguration.builder());
            factory.setShareNativeConnection(false);
            factory.setPipeliningFlushPolicy(PipeliningFlushPolicy.flushOnClose());
            var opened = started(factory);
            try {
                opened.template.executePipelined((RedisCallback<@Nullable Object>) connection -> null); // connects
                return opened;
            } catch (RuntimeException e) {
                opened.close();
                throw e;
            }
        }

        private static LettuceConnectionFactory factory(
                Endpoint endpoint, Duration timeout, LettuceClientConfigurationBuilder client) {
            var server = new RedisStandaloneConfiguration(endpoint.host(), endpoint.port());
            server.setDatabase(endpoint.database());
            endpoint.username().ifPresent(server::setUsername);
            endpoint.password().ifPresent(server::setPassword);
            var patient = client.commandTimeout(timeout)
                    .shutdownQuietPeriod(Duration.ZERO)
                    .shutdownTimeout(Endpoint.REPLY_TIMEOUT);
            return new LettuceConnectionFactory(server, patient.build());
        }

        private static Opened started(LettuceConnectionFactory factory) {
            try {
                factory.afterPropertiesSet();
                return new Opened(factory, new StringRedisTemplate(factory));
            } catch (RuntimeException e) {
                factory.destroy();
                throw e;
            }
        }

        void close() {
            factory.destroy();
        }
    }

    private record Calls(Opened opened) implements OneByOne.Commands {

        @Override
        public void set(String key, String value) {
            opened.template.opsForValue().set(key, value);
        }

        @Override
        public @Nullable String get(String key) {
            return opened.template.opsForValue().get(key);
        }

        @Override
        public void putField(String hash, String field, String value) {
            opened.template.opsForHash().put(hash, field, value);
        }

        @Override
        public void expire(String key, Duration timeToLive) {
            opened.template.expire(key, timeToLive);
        }

        @Override
        public @Nullable String pop(String list) {
            return opened.template.opsForList().rightPop(list);
        }

        @Override
        public void close() {
            opened.close();
        }
    }

    private record Pipelines(Opened opened) implements Batched.Batches {

        @Override
        public void set(List<Pair> pairs) {
            run(pairs, (pipeline, pair) -> pipeline.set(pair.key(), pair.value()));
        }

        @Override
        public List<@Nullable String> get(List<String> keys) {
            return run(keys, StringRedisConnection::get);
        }

        @Override
        public void putFields(String hash, List<Pair> fields) {
            run(fields, (pipeline, field) -> pipeline.hSet(hash, field.key(), field.value()));
        }

        @Override
        public void expire(String key, Duration timeToLive) {
            opened.template.expire(key, timeToLive);
        }

        @Override
        public List<@Nullable String> pop(List<String> lists) {
            return run(lists, StringRedisConnection::rPop);
        }

        /** {@code executePipelined} throws the first error the server answered with. */
        private <T> List<@Nullable String> run(List<T> items, BiConsumer<StringRedisConnection, T> command) {
            var results = opened.template.executePipelined((RedisCallback<@Nullable Object>) connection -> {
                var pipeline = new DefaultStringRedisConnection(connection);
                items.forEach(item -> command.accept(pipeline, item));
                return null;
            });
            if (results.size() != items.size()) { // it leaves out replies that it takes for nothing but a status
                throw new LabException("a pipeline of Spring Data Redis has not a result for each command: commands="
                        + items.size() + ", results=" + results.size() + ".");
            }
            var texts = new ArrayList<@Nullable String>(items.size());
            // Its type denies it, but for a miss a result is null.
            results.forEach(result -> texts.add(result == null ? null : result.toString()));
            return texts;
        }

        @Override
        public void close() {
            opened.close();
        }
    }
}
