// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import io.millrace.load.target.HashTarget;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.json.JsonMapper;

/** Tests the health and the endpoints. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class OperationsTest {

    private static EmbeddedRedis server;

    private final ApplicationContextRunner away = operations(TestRunners.withoutServer());

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static ApplicationContextRunner operations(ApplicationContextRunner runner) {
        return runner.withConfiguration(AutoConfigurations.of(
                MillraceLoadAutoConfiguration.class,
                MillraceCacheAutoConfiguration.class,
                MillraceHealthAutoConfiguration.class,
                MillraceEndpointAutoConfiguration.class));
    }

    private static Health health(HealthContributor contributor) {
        return Objects.requireNonNull(((HealthIndicator) contributor).health());
    }

    @Test
    void serverThatRepliesIsUpWithTheTimesOfItsConnections() {
        operations(TestRunners.of(server.uri())).run(context -> {
            Health health = health(context.getBean("millraceHealthContributor", HealthContributor.class));

            assertThat(health.getStatus()).isEqualTo(Status.UP);
            assertThat(health.getDetails()).containsEntry("server", server.uri());
            assertThat(String.valueOf(health.getDetails().get("connections"))).contains(" ms");
        });
    }

    @Test
    void serverThatIsAwayIsDown() {
        away.withPropertyValues("millrace.redis.connect-timeout=100ms")
                .run(context -> assertThat(health(context.getBean("millraceHealthContributor", HealthContributor.class))
                                .getStatus())
                        .isEqualTo(Status.DOWN));
    }

    @Test
    void eachClientHasAPartOfTheHealth() {
        away.withConfiguration(AutoConfigurations.of(MillraceClientAutoConfiguration.class))
                .withBean("second", RedisClient.class, () -> RedisClient.connect(RedisUri.parse(server.uri())))
                .withBean("first", RedisClient.class, () -> RedisClient.connect(RedisUri.parse(server.uri())), bean -> {
                    bean.setPrimary(true);
                })
                .run(context -> assertThat(context.getBean("millraceHealthContributor"))
                        .isInstanceOfSatisfying(
                                CompositeHealthContributor.class,
                                composite -> assertThat(composite.stream().map(part -> part.name()))
                                        .containsExactlyInAnyOrder("first", "second")));
    }

    @Test
    void healthYieldsToItsKeyToTheApplicationAndToAMissingLibrary() {
        away.withPropertyValues("management.health.millrace.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean("millraceHealthContributor"));
        away.withBean(
                        "millraceHealthIndicator",
                        HealthIndicator.class,
                        () -> () -> Health.unknown().build())
                .run(context -> assertThat(context).doesNotHaveBean("millraceHealthContributor"));
        away.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("millraceHealthContributor"));
    }

    @Test
    void endpointsAreNotExposedByDefault() {
        away.run(context -> assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean(MillraceEndpoint.class)
                .doesNotHaveBean(MillraceLoadsEndpoint.class));
        away.withClassLoader(new FilteredClassLoader(Endpoint.class))
                .withPropertyValues("management.endpoints.web.exposure.include=*")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(MillraceEndpoint.class));
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnEndpoints {

        @Bean
        MillraceEndpoint own(RedisClient client, LoadJobs jobs) {
            return new MillraceEndpoint(client, Map::of, jobs);
        }

        @Bean
        MillraceLoadsEndpoint ownOfLoads(LoadJobs jobs) {
            return new MillraceLoadsEndpoint(jobs);
        }
    }

    @Test
    void endpointsYieldToThoseOfTheApplication() {
        ApplicationContextRunner exposed =
                away.withPropertyValues("management.endpoints.web.exposure.include=millrace,millraceloads");

        exposed.run(context -> assertThat(context).hasBean("millraceEndpoint").hasBean("millraceLoadsEndpoint"));
        exposed.withUserConfiguration(OwnEndpoints.class)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean("millraceEndpoint")
                        .doesNotHaveBean("millraceLoadsEndpoint"));
    }

    @Test
    void endpointShowsTheClientTheCachesAndTheJobs() {
        operations(TestRunners.of(server.uri()))
                .withUserConfiguration(CachingConfiguration.class)
                .withBean(
                        "shop",
                        LoadPlan.class,
                        () -> new LoadPlan(GatedSource.open(2), HashTarget.of("p:{id}"), LoadOptions.defaults()))
                .withPropertyValues(
                        "millrace.cache.enabled=true",
                        "management.endpoints.web.exposure.include=millrace,millraceloads")
                .run(context -> {
                    LoadRun unused = context.getBean(LoadJobs.class).run("shop");
                    MillraceEndpoint.Content content =
                            context.getBean(MillraceEndpoint.class).content();

                    assertThat(content.server()).isEqualTo(server.uri());
                    assertThat(content.open()).isTrue();
                    assertThat(content.caches()).containsKey("plain");
                    String json = JsonMapper.shared().writeValueAsString(content);
                    assertThat(json)
                            .contains("\"submitted\":", "\"hits\":0", "\"jobs\":{\"shop\":{\"when\":\"before-ready\"")
                            .contains("\"outcome\":\"ok\"", "\"written\":2");
                });
    }

    @Test
    void endpointOfLoadsReadsStartsAndStopsJobs() {
        GatedSource source = GatedSource.closed(2);
        operations(TestRunners.of(server.uri()))
                .withBean(
                        "prices",
                        LoadPlan.class,
                        () -> new LoadPlan(source, HashTarget.of("p:{id}"), LoadOptions.defaults()))
                .withPropertyValues("management.endpoints.web.exposure.include=millraceloads")
                .run(context -> {
                    MillraceLoadsEndpoint endpoint = context.getBean(MillraceLoadsEndpoint.class);
                    assertThat(endpoint.all()).containsOnlyKeys("prices");
                    assertThat(endpoint.one("unknown")).isNull();
                    assertThat(endpoint.start("unknown")).isNull();
                    assertThat(endpoint.stop("unknown")).isNull();
                    assertThat(Objects.requireNonNull(endpoint.one("prices")).running())
                            .isFalse();

                    assertThat(Objects.requireNonNull(endpoint.start("prices")).running())
                            .isTrue();
                    CompletableFuture<LoadRun> run =
                            context.getBean(LoadJobs.class).start("prices");
                    source.awaitOpened();
                    LoadView stopped = endpoint.stop("prices");

                    assertThat(stopped).isNotNull();
                    assertThat(run.join().isComplete()).isFalse();
                    LoadView.RunView last = Objects.requireNonNull(
                            Objects.requireNonNull(endpoint.one("prices")).last());
                    assertThat(last.outcome()).isEqualTo("interrupted");
                    assertThat(last.problem()).contains("it was stopped");
                    assertThat(Map.of("exit", last.exit())).containsEntry("exit", 130);
                });
    }
}
