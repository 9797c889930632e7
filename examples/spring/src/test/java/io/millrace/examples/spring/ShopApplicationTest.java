// SPDX-License-Identifier: Apache-2.0
package io.millrace.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.command.TimeToLive;
import io.millrace.embedded.EmbeddedRedis;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Runs the example as a process, also with the generated code of its context, and calls its methods. */
class ShopApplicationTest {

    private static EmbeddedRedis server;

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void applicationLoadsItsRowsBeforeItIsReady(boolean aot) throws Exception {
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Dspring.aot.enabled=" + aot,
                        "-cp",
                        System.getProperty("java.class.path"),
                        ShopApplication.class.getName(),
                        "--millrace.redis.url=" + server.uri())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output)
                .containsPattern("products: 10000 rows in \\d+ ms, complete: true")
                .containsPattern("stock: 8000 rows in \\d+ ms, complete: true")
                .contains("product 1: {ID=1, NAME=product 1, STOCK=1}")
                .contains("price: Price[product=pen, cents=300]", "computations: 1");
    }

    @Test
    void methodsThatReplaceRedisTemplateKeepTheirOrder() {
        SpringApplication application = new SpringApplication(ShopApplication.class);
        try (ConfigurableApplicationContext context = application.run("--millrace.redis.url=" + server.uri())) {
            RedisClient redis = context.getBean(RedisClient.class);
            redis.call(Server.flush());
            FromRedisTemplate template = context.getBean(FromRedisTemplate.class);

            template.putAll("cart", Map.of("pen", "2", "ink", "1"), Duration.ofMinutes(5));
            redis.call(Strings.set("a", "1"));
            redis.call(Strings.set("c", "3"));
            redis.call(Lists.pushRight("l1", "x", "y", "z"));
            redis.call(Lists.pushRight("l2", "w"));

            assertThat(redis.call(Keys.timeToLive("cart"))).isInstanceOf(TimeToLive.Expires.class);
            assertThat(template.values(List.of("c", "b", "a")))
                    .isEqualTo(List.of(Optional.of("3"), Optional.empty(), Optional.of("1")));
            FromRedisTemplate.Popped popped = template.popAll(List.of("l1", "none", "a", "l2"), 2);
            assertThat(popped.elements())
                    .isEqualTo(Map.of(
                            "l1", List.of("x", "y"),
                            "none", List.of(),
                            "l2", List.of("w")));
            assertThat(popped.failed())
                    .containsOnlyKeys("a")
                    .hasEntrySatisfying(
                            "a", reason -> assertThat(reason.toString()).contains("WRONGTYPE"));
        }
    }
}
