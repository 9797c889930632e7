// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.micrometer.tracing.Tracer;
import io.millrace.client.ClientOptions;
import io.millrace.client.CommandListener;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import io.millrace.load.target.HashTarget;
import io.millrace.micrometer.ClientMeters;
import io.millrace.micrometer.CommandTimers;
import io.millrace.micrometer.LoadMeters;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.export.simple.SimpleMetricsExportAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Tests the meters of an application, and the timers and spans of its commands. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class MetricsTest {

    private static EmbeddedRedis server;

    @Configuration(proxyBeanMethods = false)
    static class OwnMeters {

        @Bean
        ClientMeters own(RedisClient client) {
            return new ClientMeters(client);
        }

        @Bean
        LoadMeters ownOfLoads(MeterRegistry registry) {
            return new LoadMeters(registry);
        }
    }

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private static ApplicationContextRunner millrace(ApplicationContextRunner runner) {
        return runner.withConfiguration(AutoConfigurations.of(
                MillraceMetricsAutoConfiguration.class,
                MillraceLoadAutoConfiguration.class,
                MillraceCacheAutoConfiguration.class));
    }

    private static ApplicationContextRunner metered() {
        return millrace(TestRunners.of(server.uri()))
                .withConfiguration(AutoConfigurations.of(
                        MetricsAutoConfiguration.class,
                        CompositeMeterRegistryAutoConfiguration.class,
                        SimpleMetricsExportAutoConfiguration.class));
    }

    @Test
    void clientCachesAndJobsHaveMeters() {
        metered()
                .withUserConfiguration(CachingConfiguration.class)
                .withPropertyValues("millrace.cache.enabled=true")
                .withBean(
                        "shop",
                        LoadPlan.class,
                        () -> new LoadPlan(GatedSource.open(2), HashTarget.of("p:{id}"), LoadOptions.defaults()))
                .run(context -> {
                    MeterRegistry meters = context.getBean(MeterRegistry.class);
                    assertThat(meters.get("millrace.load.last.success")
                                    .tag("job", "shop")
                                    .gauge()
                                    .value())
                            .isZero();

                    context.getBean(RedisClient.class).call(Strings.set("k", "v"));
                    context.getBean(Prices.class).plain("metered");
                    LoadRun unused = context.getBean(LoadJobs.class).run("shop");

                    assertThat(meters.get("millrace.commands")
                                    .tag("outcome", "ok")
                                    .functionCounter()
                                    .count())
                            .isPositive();
                    assertThat(meters.get("cache.gets")
                                    .tag("cache", "plain")
                                    .tag("result", "miss")
                                    .functionCounter()
                                    .count())
                            .isEqualTo(1);
                    assertThat(meters.get("millrace.load.last.success")
                                    .tag("job", "shop")
                                    .gauge()
                                    .value())
                            .isPositive();
                });
    }

    @Test
    void runWithChangedOptionsIsNoSuccessOfTheJob() {
        metered()
                .withBean(
                        "shop",
                        LoadPlan.class,
                        () -> new LoadPlan(GatedSource.open(2), HashTarget.of("p:{id}"), LoadOptions.defaults()))
                .run(context -> {
                    MeterRegistry meters = context.getBean(MeterRegistry.class);

                    LoadRun limited = context.getBean(LoadJobs.class)
                            .tryStart(
                                    "shop",
                                    options -> LoadOptions.builder().limit(1).build())
                            .orElseThrow()
                            .join();

                    assertThat(limited.isComplete()).isTrue();
                    assertThat(meters.get("millrace.load.rows")
                                    .tag("outcome", "written")
                                    .functionCounter()
                                    .count())
                            .isEqualTo(1);
                    assertThat(meters.get("millrace.load.last.success")
                                    .tag("job", "shop")
                                    .gauge()
                                    .value())
                            .isZero();
                });
    }

    @Test
    void cacheThatIsMadeAfterTheStartHasMeters() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();
        CacheObserver observer = new MillraceMetricsAutoConfiguration().millraceCacheObserver(meters);
        Map<String, String> keys = Map.of("millrace.cache.caches.stock.type", "java.lang.String");

        try (RedisClient client = TestCaches.client()) {
            MillraceCacheManager caches = new MillraceCacheManager(TestCaches.environment(keys, client, observer));
            assertThat(meters.getMeters()).isEmpty();

            assertThat(caches.getCache("stock")).isNotNull();

            assertThat(meters.get("cache.puts")
                            .tag("cache", "stock")
                            .functionCounter()
                            .count())
                    .isZero();
            caches.destroy();
        }
    }

    @Test
    void commandsAreNotObservedByDefault() {
        metered()
                .run(context -> assertThat(context.getBean(ClientOptions.class).commandListener())
                        .isSameAs(CommandListener.NONE));
    }

    @Test
    void timersMeasureEachCommand() {
        metered().withPropertyValues("millrace.observation=timers").run(context -> {
            context.getBean(RedisClient.class).call(Strings.set("k", "v"));

            assertThat(context.getBean(ClientOptions.class).commandListener()).isInstanceOf(CommandTimers.class);
            assertThat(context.getBean(MeterRegistry.class)
                            .get("db.client.operation.duration")
                            .timer()
                            .count())
                    .isPositive();
        });
    }

    @Test
    void spansNeedATracer() {
        metered()
                .withPropertyValues("millrace.observation=spans")
                .withBean(Tracer.class, () -> Tracer.NOOP)
                .run(context -> assertThat(context.getBean(ClientOptions.class).commandListener())
                        .isNotSameAs(CommandListener.NONE));
        metered()
                .withPropertyValues("millrace.observation=spans")
                .run(context -> assertThat(TestRunners.description(context))
                        .startsWith("millrace.observation=spans needs a tracer"));
    }

    @Test
    void timersNeedAMeterRegistry() {
        millrace(TestRunners.withoutServer())
                .withPropertyValues("millrace.observation=timers")
                .run(context -> assertThat(TestRunners.description(context))
                        .startsWith("millrace.observation=timers needs a meter registry"));
    }

    @Test
    void withoutMicrometerThereAreNoMeters() {
        millrace(TestRunners.withoutServer())
                .withClassLoader(new FilteredClassLoader("io.micrometer"))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("millraceClientMeters"));
    }

    @Test
    void metersOfTheApplicationReplaceThoseOfTheStarter() {
        metered()
                .withUserConfiguration(OwnMeters.class)
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean("millraceClientMeters")
                        .doesNotHaveBean("millraceLoadMeters"));
    }

    @Test
    void timersNeedNoTracerOnTheClassPath() {
        metered()
                .withClassLoader(new FilteredClassLoader("io.micrometer.tracing"))
                .withPropertyValues("millrace.observation=timers")
                .run(context -> assertThat(context.getBean(ClientOptions.class).commandListener())
                        .isInstanceOf(CommandTimers.class));
    }

    @Test
    void registryOfTheApplicationIsUsed() {
        SimpleMeterRegistry meters = new SimpleMeterRegistry();

        millrace(TestRunners.withoutServer())
                .withBean(MeterRegistry.class, () -> meters)
                .run(context -> assertThat(context).hasSingleBean(ClientMeters.class));
    }
}
