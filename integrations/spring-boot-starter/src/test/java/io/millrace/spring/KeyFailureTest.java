// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Tests that a wrong key fails the start in one sentence with the name of the key. */
class KeyFailureTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "millrace.redis.conections",
                "millrace.rediss.url",
                "millrace.load.jobs.shop.tables",
                "millrace.cache.caches.prices.ttl"
            })
    void unknownKeyFailsTheStart(String key) {
        TestRunners.withoutServer()
                .withPropertyValues(key + "=secret")
                .run(context -> assertThat(TestRunners.description(context))
                        .startsWith("This key is unknown: " + key)
                        .doesNotContain("secret", "\n"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "millrace.redis.connect-timeout=soon",
                "millrace.load.jobs.shop.deadline=soon",
                "millrace.cache.defaults.time-to-live=soon"
            })
    void malformedDurationFailsTheStartWithAnExample(String pair) {
        TestRunners.withoutServer().withPropertyValues(pair).run(context -> {
            assertThat(TestRunners.description(context))
                    .startsWith(pair)
                    .endsWith("is not a duration.")
                    .doesNotContain("\n");
            assertThat(TestRunners.action(context)).contains("500ms");
        });
    }

    @Test
    void unknownWordFailsTheStartWithTheWords() {
        TestRunners.withoutServer()
                .withPropertyValues("millrace.redis.overflow=drop")
                .run(context -> {
                    assertThat(TestRunners.description(context))
                            .startsWith("millrace.redis.overflow=drop")
                            .doesNotContain("\n");
                    assertThat(TestRunners.action(context)).contains("block, refuse");
                });
    }

    @Test
    void variablesOfTheCommandLineAreNoKeys() {
        SystemEnvironmentPropertySource variables = new SystemEnvironmentPropertySource(
                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                Map.of("MILLRACE_CACHE", "none", "MILLRACE_DB_PASSWORD", "secret", "MILLRACE_REDIS_NAME", "shop"));
        TestRunners.withoutServer()
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables))
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(context.getBean(ClientOptions.class).name()).isEqualTo("shop");
                });
    }

    @Test
    void sizeAndCountHaveExamples() {
        TestRunners.withoutServer()
                .withPropertyValues("millrace.redis.in-flight-bytes=much")
                .run(context -> assertThat(TestRunners.action(context)).contains("8MB"));
        TestRunners.withoutServer()
                .withPropertyValues("millrace.redis.connections=many")
                .run(context -> assertThat(TestRunners.description(context))
                        .startsWith("millrace.redis.connections=many")
                        .contains("is not an integer"));
    }
}
