// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import io.millrace.client.RedisClient;
import io.millrace.embedded.EmbeddedRedis;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;

/** A server and its Redis. */
final class TestServer implements AutoCloseable {

    private final EmbeddedRedis redis;
    private final ConfigurableApplicationContext context;

    private TestServer(EmbeddedRedis redis, ConfigurableApplicationContext context) {
        this.redis = redis;
        this.context = context;
    }

    /** Starts a server with the beans of the tests. Jobs run only if a test starts them. */
    static TestServer start(String... keys) {
        EmbeddedRedis redis = EmbeddedRedis.start();
        List<String> all = new ArrayList<>(List.of(
                "--server.port=0",
                "--millrace.redis.url=" + redis.uri(),
                "--millrace.load.jobs.customers.when=manual",
                "--millrace.load.jobs.gated.when=manual",
                "--millrace.load.jobs.second.when=manual",
                "--millrace.load.jobs.third.when=manual"));
        all.addAll(List.of(keys));
        try {
            return new TestServer(
                    redis,
                    new SpringApplicationBuilder(ServerApplication.class, TestBeans.class)
                            .run(all.toArray(String[]::new)));
        } catch (RuntimeException failed) {
            redis.close();
            throw failed;
        }
    }

    EmbeddedRedis redis() {
        return redis;
    }

    RedisClient client() {
        return context.getBean(RedisClient.class);
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

    Call call() {
        return new Call(port());
    }

    @Override
    public void close() {
        context.close();
        redis.close();
    }
}
