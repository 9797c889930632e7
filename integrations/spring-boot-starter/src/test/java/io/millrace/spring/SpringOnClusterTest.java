// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.spring.Prices.Price;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A context whose client and cache use a cluster. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SpringOnClusterTest {

    private static EmbeddedCluster cluster;

    @BeforeAll
    static void startCluster() {
        cluster = EmbeddedCluster.start(EmbeddedOptions.defaults(), 3, 0);
    }

    @AfterAll
    static void closeCluster() {
        cluster.close();
    }

    @Test
    void nodesOfSpringDataRedisAreUsedByTheClient() {
        String nodes = cluster.nodes().stream()
                .map(node -> node.host() + ":" + node.port())
                .collect(Collectors.joining(","));

        new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        SslAutoConfiguration.class,
                        DataRedisAutoConfiguration.class,
                        MillraceClientAutoConfiguration.class))
                .withPropertyValues(
                        "spring.data.redis.cluster.nodes=" + nodes, "spring.data.redis.cluster.max-redirects=3")
                .run(context -> {
                    RedisClient client = context.getBean(RedisClient.class);
                    assertThat(client.options().uri().endpoint()).isInstanceOf(RedisUri.Cluster.class);
                    for (int i = 0; i < 100; i++) {
                        client.call(Strings.set("spring-" + i, "" + i));
                        assertThat(client.call(Strings.get("spring-" + i))).contains("" + i);
                    }
                });
    }

    @Test
    void cachedMethodsKeepTheirValuesInTheCluster() {
        TestRunners.of(cluster.uri())
                .withConfiguration(AutoConfigurations.of(MillraceCacheAutoConfiguration.class))
                .withPropertyValues("millrace.cache.enabled=true")
                .withUserConfiguration(CachingConfiguration.class)
                .run(context -> {
                    context.getBean(RedisClient.class).call(Server.flushAll());
                    Prices prices = context.getBean(Prices.class);

                    Price first = prices.plain("pen");
                    Price second = prices.plain("pen");

                    assertThat(second).isEqualTo(first);
                    assertThat(prices.calls()).isEqualTo(1);
                    assertThat(prices.put("pen").cents()).isEqualTo(2);
                    assertThat(prices.plain("pen").cents()).isEqualTo(2);
                    prices.evictAll();
                    assertThat(context.getBean(RedisClient.class).call(Server.size()))
                            .isZero();
                });
    }
}
