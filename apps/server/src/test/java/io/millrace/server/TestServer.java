// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import io.millrace.client.RedisClient;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.FaultProxy;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** A server and its Redis, or the cluster of a test. */
final class TestServer implements AutoCloseable {

    private final Optional<EmbeddedRedis> redis;
    private final ConfigurableApplicationContext context;

    private TestServer(Optional<EmbeddedRedis> redis, ConfigurableApplicationContext context) {
        this.redis = redis;
        this.context = context;
    }

    /** Starts a server with the beans of the tests. Jobs run only if a test starts them. */
    static TestServer start(String... keys) {
        EmbeddedRedis redis = EmbeddedRedis.start();
        return start(Optional.of(redis), redis.uri(), keys);
    }

    /** Starts a server that reaches its Redis through a proxy. */
    static TestServer startBehind(FaultProxy proxy, String... keys) {
        EmbeddedRedis redis = EmbeddedRedis.start();
        proxy.forwardTo(redis.host(), redis.port());
        return start(Optional.of(redis), "redis://" + proxy.host() + ":" + proxy.port(), keys);
    }

    /** Starts a server that uses a cluster. The test closes the cluster. */
    static TestServer startOn(EmbeddedCluster cluster, String... keys) {
        return start(Optional.empty(), cluster.uri(), keys);
    }

    private static TestServer start(Optional<EmbeddedRedis> redis, String uri, String... keys) {
        Map<String, String> all = new LinkedHashMap<>();
        Stream<String> defaults = Stream.of(
                "--server.port=0",
                "--millrace.redis.url=" + uri,
                "--millrace.load.jobs.customers.when=manual",
                "--millrace.load.jobs.endless.when=manual",
                "--millrace.load.jobs.gated.when=manual",
                "--millrace.load.jobs.second.when=manual",
                "--millrace.load.jobs.third.when=manual");
        // Spring Boot would join the values of a repeated key.
        Stream.concat(defaults, Stream.of(keys)).forEach(key -> all.put(key.substring(0, key.indexOf('=')), key));
        try {
            return new TestServer(
                    redis, Server.application(TestBeans.class).run(all.values().toArray(String[]::new)));
        } catch (RuntimeException failed) {
            redis.ifPresent(EmbeddedRedis::close);
            throw failed;
        }
    }

    EmbeddedRedis redis() {
        return redis.orElseThrow();
    }

    RedisClient client() {
        return context.getBean(RedisClient.class);
    }

    /** Publishes an event of the application, as the starter does. */
    void publish(Object event) {
        context.publishEvent(event);
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    <T> T bean(String name, Class<T> type) {
        return context.getBean(name, type);
    }

    int port() {
        return Objects.requireNonNull(((WebServerApplicationContext) context).getWebServer())
                .getPort();
    }

    String url() {
        return Server.url(context);
    }

    Call call() {
        return new Call(port());
    }

    @Override
    public void close() {
        context.close();
        redis.ifPresent(EmbeddedRedis::close);
    }
}
