// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.Credentials;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Tests the source of the address, and that each bean yields to a bean of the application. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ClientAddressTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    SslAutoConfiguration.class,
                    DataRedisAutoConfiguration.class,
                    MillraceClientAutoConfiguration.class))
            .withPropertyValues("millrace.redis.required=false");

    @Test
    void addressOfTheUrlPrecedesThatOfSpringDataRedis() {
        runner.withPropertyValues("millrace.redis.url=redis://127.0.0.1:2/3", "spring.data.redis.port=1")
                .run(context -> assertThat(context.getBean(ClientOptions.class).uri())
                        .isEqualTo(RedisUri.of("127.0.0.1", 2).withDatabase(3)));
    }

    @Test
    void addressOfSpringDataRedisPrecedesTheDefault() {
        runner.withPropertyValues(
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=1",
                        "spring.data.redis.database=4",
                        "spring.data.redis.username=shop",
                        "spring.data.redis.password=secret")
                .run(context -> {
                    assertThat(context.getBean(ClientOptions.class).uri())
                            .isEqualTo(
                                    RedisUri.of("127.0.0.1", 1).withDatabase(4).withLogin("shop", "secret"));
                    assertThat(context.getBean(MillraceConnectionDetails.class))
                            .asString()
                            .isEqualTo("redis://127.0.0.1:1/4 (from spring.data.redis.*)");
                });
    }

    @Test
    void tlsOfAUrlOfSpringDataRedisIsKept() {
        runner.withPropertyValues("spring.data.redis.url=rediss://127.0.0.1:1")
                .run(context -> assertThat(
                                context.getBean(ClientOptions.class).uri().tls())
                        .isTrue());
        runner.withPropertyValues("spring.data.redis.url=redis://127.0.0.1:1")
                .run(context -> assertThat(
                                context.getBean(ClientOptions.class).uri().tls())
                        .isFalse());
    }

    @Test
    void withoutAnAddressTheServerIsOnThisMachine() {
        TestRunners.withoutServer().withPropertyValues("millrace.redis.url=").run(context -> {
            assertThat(context.getBean(ClientOptions.class).uri()).isEqualTo(RedisUri.of("localhost", 6379));
            assertThat(context.getBean(MillraceConnectionDetails.class))
                    .asString()
                    .contains("the default");
        });
    }

    @Test
    void withoutSpringDataRedisTheClientStarts() {
        runner.withClassLoader(new FilteredClassLoader(DataRedisConnectionDetails.class))
                .withPropertyValues("millrace.redis.url=redis://127.0.0.1:1")
                .run(context -> assertThat(context).hasSingleBean(RedisClient.class));
    }

    @Test
    void primaryWithReplicasIsRefusedByName() {
        runner.withPropertyValues("spring.data.redis.masterreplica.nodes=a:1")
                .run(context -> assertThat(TestRunners.description(context))
                        .startsWith("spring.data.redis.masterreplica")
                        .contains("one server, to the primary of Sentinels, or to a cluster"));
    }

    @Test
    void clusterOfSpringDataRedisIsUsedWithItsLogin() {
        runner.withPropertyValues(
                        "spring.data.redis.cluster.nodes=127.0.0.1:1,127.0.0.1:2",
                        "spring.data.redis.username=shop",
                        "spring.data.redis.password=secret")
                .run(context -> assertThat(context.getBean(ClientOptions.class).uri())
                        .isEqualTo(RedisUri.parse("redis-cluster://shop:secret@127.0.0.1:1,127.0.0.1:2")));
    }

    @Test
    void clusterCanBeNamedByTheUrl() {
        runner.withPropertyValues("millrace.redis.url=redis-cluster://127.0.0.1:1,127.0.0.1:2")
                .run(context -> assertThat(context.getBean(ClientOptions.class).uri())
                        .isEqualTo(RedisUri.cluster(
                                List.of(new RedisUri.Tcp("127.0.0.1", 1), new RedisUri.Tcp("127.0.0.1", 2)))));
    }

    @Test
    void sentinelsOfSpringDataRedisAreUsedWithBothLogins() {
        runner.withPropertyValues(
                        "spring.data.redis.sentinel.nodes=127.0.0.1:1,127.0.0.1:2",
                        "spring.data.redis.sentinel.master=shop",
                        "spring.data.redis.sentinel.username=watcher",
                        "spring.data.redis.sentinel.password=w4tch",
                        "spring.data.redis.password=secret",
                        "spring.data.redis.database=3")
                .run(context -> assertThat(context.getBean(ClientOptions.class).uri())
                        .isEqualTo(RedisUri.parse("redis-sentinel://:secret@127.0.0.1:1,127.0.0.1:2/3#shop")
                                .withSentinelLogin(Credentials.of("watcher", "w4tch"))));
    }

    @Test
    void sentinelsCanBeNamedByTheUrl() {
        runner.withPropertyValues("millrace.redis.url=redis-sentinel://127.0.0.1:1/0#shop")
                .run(context -> assertThat(context.getBean(ClientOptions.class).uri())
                        .isEqualTo(RedisUri.sentinels(List.of(new RedisUri.Tcp("127.0.0.1", 1)), "shop")));
    }

    @Test
    void loginOfTheKeysCompletesTheAddress() {
        runner.withPropertyValues(
                        "millrace.redis.url=redis://127.0.0.1:1",
                        "millrace.redis.user=shop",
                        "millrace.redis.password=secret")
                .run(context -> assertThat(context.getBean(ClientOptions.class).uri())
                        .isEqualTo(RedisUri.of("127.0.0.1", 1).withLogin("shop", "secret")));
        runner.withPropertyValues("spring.data.redis.port=1", "millrace.redis.password=secret")
                .run(context -> assertThat(
                                context.getBean(ClientOptions.class).uri().password())
                        .contains("secret"));
    }

    @ParameterizedTest
    @CsvSource({
        "millrace.redis.url=redis://:one@127.0.0.1:1;millrace.redis.password=two, millrace.redis.password is set",
        "millrace.redis.url=redis://127.0.0.1:1;millrace.redis.user=shop, millrace.redis.user=shop has no password",
        "millrace.redis.url=http://one:secret@127.0.0.1, millrace.redis.url is not a Redis URI",
        "millrace.redis.url=unix:///tmp/no.sock;millrace.redis.ssl.bundle=shop, millrace.redis.ssl.bundle=shop",
        "millrace.redis.url=redis://127.0.0.1:1;millrace.redis.ssl.bundle=shop, does not exist"
    })
    void addressThatContradictsItselfFailsTheStartWithItsKey(String properties, String message) {
        runner.withPropertyValues(properties.split(";", -1))
                .run(context -> assertThat(TestRunners.description(context))
                        .contains(message)
                        .contains("millrace.redis.")
                        .doesNotContain("one:secret", "\n"));
    }

    @Test
    void eachBeanYieldsToABeanOfTheApplication() {
        ClientOptions options = ClientOptions.builder(RedisUri.of("127.0.0.1", 1))
                .connectLater(true)
                .name("own")
                .build();
        MillraceConnectionDetails details = () -> RedisUri.of("127.0.0.1", 2);

        runner.withBean(MillraceConnectionDetails.class, () -> details)
                .run(context ->
                        assertThat(context.getBean(ClientOptions.class).uri()).isEqualTo(details.uri()));
        runner.withBean(ClientOptions.class, () -> options)
                .run(context ->
                        assertThat(context.getBean(RedisClient.class).options()).isSameAs(options));
        try (RedisClient client = RedisClient.connect(options)) {
            runner.withBean(RedisClient.class, () -> client)
                    .run(context ->
                            assertThat(context.getBean(RedisClient.class)).isSameAs(client));
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void clientIsClosedWithItsContext() {
        RedisClient[] clients = new RedisClient[1];

        TestRunners.withoutServer().run(context -> {
            clients[0] = context.getBean(RedisClient.class);
            assertThat(clients[0].isClosed()).isFalse();
        });

        assertThat(clients[0].isClosed()).isTrue();
    }
}
