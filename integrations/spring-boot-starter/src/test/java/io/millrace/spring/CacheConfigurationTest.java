// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cache.NearCacheOptions;
import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.Setting;
import io.millrace.client.exception.RedisException;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.MapConfigurationPropertySource;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.cache.annotation.CachingConfigurer;
import org.springframework.cache.concurrent.ConcurrentMapCacheManager;
import org.springframework.cache.interceptor.CacheInterceptor;
import org.springframework.cache.interceptor.KeyGenerator;
import org.springframework.cache.support.NoOpCacheManager;
import org.springframework.cache.transaction.TransactionAwareCacheDecorator;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionSynchronizationUtils;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** Tests the conditions, the keys and the failures of the cache manager, without a server. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CacheConfigurationTest {

    private final ApplicationContextRunner withoutKey = TestRunners.withoutServer()
            .withConfiguration(
                    AutoConfigurations.of(MillraceCacheAutoConfiguration.class, CacheAutoConfiguration.class))
            .withUserConfiguration(CachingConfiguration.class);

    private final ApplicationContextRunner runner = withoutKey.withPropertyValues("millrace.cache.enabled=true");

    @Test
    void withoutItsKeyMillraceIsNotTheCacheManager() {
        withoutKey.run(
                context -> assertThat(context.getBean(CacheManager.class)).isNotInstanceOf(MillraceCacheManager.class));
    }

    @Test
    void withItsKeyMillraceIsTheOnlyCacheManager() {
        runner.run(context -> {
            assertThat(context.getBean(CacheManager.class)).isInstanceOf(MillraceCacheManager.class);
            assertThat(context.getBean(CacheManager.class).getCacheNames()).contains("plain", "lists", "monos");
            assertThat(context.getBean(CacheManager.class).getCache("unknown")).isNull();
        });
    }

    @Test
    void cacheManagerYieldsToTheApplicationAndToCachesThatAreOff() {
        runner.withBean(CacheManager.class, ConcurrentMapCacheManager::new)
                .run(context ->
                        assertThat(context.getBean(CacheManager.class)).isInstanceOf(ConcurrentMapCacheManager.class));
        runner.withPropertyValues("spring.cache.type=none")
                .run(context -> assertThat(context.getBean(CacheManager.class)).isInstanceOf(NoOpCacheManager.class));
    }

    @Test
    void twoClientsWithoutAPrimaryFailTheStartOfCachesInOneSentence() {
        ApplicationContextRunner two = runner.withBean("first", RedisClient.class, () -> client(), bean -> {})
                .withBean("second", RedisClient.class, () -> client(), bean -> {});

        two.run(context -> assertThat(TestRunners.description(context))
                .isEqualTo("millrace.cache.enabled=true cannot choose between several clients: [first, second]."));
        two.withPropertyValues("millrace.cache.enabled=false")
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static RedisClient client() {
        return RedisClient.connect(ClientOptions.builder(RedisUri.of("127.0.0.1", 1))
                .connectLater(true)
                .build());
    }

    @Test
    void withoutJacksonTheStartFails() {
        TestRunners.withoutServer()
                .withConfiguration(AutoConfigurations.of(MillraceCacheAutoConfiguration.class))
                .withPropertyValues("millrace.cache.enabled=true")
                .withClassLoader(new FilteredClassLoader("tools.jackson.databind"))
                .run(context -> assertThat(TestRunners.description(context))
                        .isEqualTo("millrace.cache.enabled=true needs Jackson 3, which is not on the class path."));
    }

    @Test
    void jsonHasTheFormOfTheMapperOfTheApplication() {
        JsonMapper mapper = JsonMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.UPPER_SNAKE_CASE)
                .build();
        ValueCodec codec = new ValueCodec(mapper.constructType(Prices.Price.class), mapper);

        byte[] json = codec.encode(new Prices.Price("pen", 1, List.of()));

        assertThat(new String(json, StandardCharsets.UTF_8)).isEqualTo("{\"PRODUCT\":\"pen\",\"CENTS\":1,\"TAGS\":[]}");
        runner.withBean(JsonMapper.class, () -> mapper)
                .run(context -> assertThat(context).hasNotFailed());
    }

    static Stream<Arguments> settings() {
        return SettingsOfKeys.ALL.entrySet().stream()
                .filter(entry -> entry.getKey().startsWith("millrace.cache."))
                .map(entry -> Arguments.of(entry.getKey().replace("millrace.cache.defaults.", ""), entry.getValue()));
    }

    @ParameterizedTest
    @MethodSource("settings")
    void valueOutOfRangeFailsTheStartWithTheKeyAndTheRange(String key, Setting<?> setting) {
        String tooLarge = switch (setting.unit()) {
            case TIME, TIME_OR_ZERO -> "9999d";
            case BYTES -> "9999GB";
            case COUNT, NUMBER, FRACTION -> "2147483647";
        };

        runner.withPropertyValues("millrace.cache.caches.plain." + key + "=" + tooLarge)
                .run(context -> assertThat(TestRunners.description(context))
                        .startsWith("millrace.cache.caches.plain." + key + "=")
                        .contains("is out of range")
                        .doesNotContain("\n"));
    }

    @Test
    void keysOfTheNearCacheOverrideTheDefaultsTogether() {
        CacheProperties keys = new Binder(new MapConfigurationPropertySource(Map.of(
                        "millrace.cache.defaults.near.entries", "100",
                        "millrace.cache.defaults.near.buffer", "2000",
                        "millrace.cache.caches.a.near.bytes", "1MB",
                        "millrace.cache.caches.b.near.ping-interval", "7s")))
                .bindOrCreate(CacheProperties.PREFIX, CacheProperties.class);

        assertThat(CacheSettings.of(keys.of("a"), "p").near())
                .isEqualTo(NearCacheOptions.bytes(1 << 20).withBuffer(2_000));
        assertThat(CacheSettings.of(keys.of("b"), "p").near())
                .isEqualTo(NearCacheOptions.entries(100).withBuffer(2_000).withPingInterval(Duration.ofSeconds(7)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            caches.plain.near.entries=9;caches.plain.near.bytes=1MB | millrace.cache.caches.plain.near.entries and
            caches.plain.near.entries=0  | millrace.cache.caches.plain.near.entries=0
            caches.plain.lease=200ms     | millrace.cache.caches.plain.*
            caches.prices.time-to-live=1s | millrace.cache.caches.prices names a cache that no cached method uses
            caches.plain.type=no.Such    | millrace.cache.caches.plain.type=no.Such is not a type
            defaults.type=java.lang.String | millrace.cache.defaults.type has no meaning
            """)
    void keyThatCannotBeUsedFailsTheStart(String pairs, String message) {
        String[] keys = Stream.of(pairs.strip().split(";", -1))
                .map(pair -> "millrace.cache." + pair)
                .toArray(String[]::new);

        runner.withPropertyValues(keys)
                .run(context -> assertThat(TestRunners.description(context))
                        .contains(message.strip())
                        .doesNotContain("\n"));
    }

    @Test
    void cacheThatOnlyCodeUsesHasItsTypeInAKey() {
        runner.withPropertyValues("millrace.cache.caches.stock.type=java.util.List<java.lang.Integer>")
                .run(context -> assertThat(context.getBean(CacheManager.class).getCacheNames())
                        .contains("stock"));
    }

    static class Conflicting {

        @Cacheable("conflict")
        public String text(int id) {
            return "text";
        }

        @Cacheable("conflict")
        public Long number(int id) {
            return 1L;
        }
    }

    static class Untyped {

        @Cacheable("untyped")
        public Object anything(int id) {
            return "text";
        }
    }

    static class Named {

        @Cacheable("two words")
        public String text(int id) {
            return "text";
        }
    }

    abstract static class Base<T> {

        @Cacheable("generic")
        public abstract List<T> all(int id);
    }

    static class Derived extends Base<Integer> {

        @Override
        public List<Integer> all(int id) {
            return List.of(id);
        }
    }

    @Test
    void methodsWithTwoTypesFailTheStartUnlessAKeyNamesTheType() {
        runner.withBean(Conflicting.class)
                .run(context -> assertThat(TestRunners.description(context))
                        .startsWith("the cache conflict has values of two types: java.lang.")
                        .contains("Conflicting.text", "Conflicting.number", "java.lang.Long", "java.lang.String"));
        runner.withBean(Conflicting.class)
                .withPropertyValues("millrace.cache.caches.conflict.type=java.lang.String")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void methodWithoutATypeFailsTheStart() {
        runner.withBean(Untyped.class).run(context -> {
            assertThat(TestRunners.description(context)).contains("untyped", "Untyped.anything returns Object");
            assertThat(TestRunners.action(context)).contains("millrace.cache.caches.untyped.type");
        });
    }

    @Test
    void nameThatIsNoNameOfACacheFailsTheStart() {
        runner.withBean(Named.class)
                .run(context -> assertThat(TestRunners.description(context))
                        .contains("millrace.cache.caches.two words is not a name of a cache"));
    }

    @Test
    void typeVariablesAreResolved() {
        runner.withBean(Derived.class)
                .run(context -> assertThat(context.getBean(CacheManager.class).getCacheNames())
                        .contains("generic"));
    }

    @Test
    void keyGeneratorOfTheApplicationStays() {
        KeyGenerator own = (target, method, arguments) -> "one";

        runner.run(context -> assertThat(context.getBean(CacheInterceptor.class).getKeyGenerator())
                .isInstanceOf(ArgumentsKeyGenerator.class));
        runner.withBean(CachingConfigurer.class, () -> new OwnGenerator(own))
                .run(context -> assertThat(
                                context.getBean(CacheInterceptor.class).getKeyGenerator())
                        .isSameAs(own));
    }

    record OwnGenerator(KeyGenerator keyGenerator) implements CachingConfigurer {}

    @Test
    void withoutRedisLookupsMissPutsAreCountedAndEvictionsThrow() {
        runner.withPropertyValues("millrace.cache.defaults.redis-timeout=50ms").run(context -> {
            Prices prices = context.getBean(Prices.class);

            assertThat(prices.plain("pen").cents()).isEqualTo(1);
            assertThat(prices.plain("pen").cents()).isEqualTo(2);

            assertThat(context.getBean(MillraceCacheManager.class).failedPuts()).isEqualTo(2);
            assertThatThrownBy(() -> prices.evict("pen")).isInstanceOf(RedisException.class);
            assertThatThrownBy(prices::evictAll).isInstanceOf(RedisException.class);
        });
    }

    @Test
    void cacheThatIsAwareOfTransactionsEvictsAfterTheCommit() {
        runner.withPropertyValues(
                        "millrace.cache.caches.plain.transaction-aware=true",
                        "millrace.cache.defaults.redis-timeout=50ms")
                .run(context -> {
                    Cache cache = cache(context, "plain");
                    assertThat(cache).isInstanceOf(TransactionAwareCacheDecorator.class);
                    assertThat(cache(context, "lists")).isNotInstanceOf(TransactionAwareCacheDecorator.class);
                    TransactionSynchronizationManager.initSynchronization();
                    try {
                        cache.evict("pen"); // without a server, an eviction at once would throw

                        assertThatThrownBy(TransactionSynchronizationUtils::triggerAfterCommit)
                                .isInstanceOf(RedisException.class);
                    } finally {
                        TransactionSynchronizationManager.clear();
                    }
                });
    }

    @Test
    void withoutSpringTransactionsACacheCannotFollowThem() {
        ClassLoader without = new FilteredClassLoader(TransactionAwareCacheDecorator.class);

        assertThat(TransactionAware.isAvailable()).isTrue();
        assertThat(TransactionAware.isAvailable(without)).isFalse();
    }

    private static Cache cache(AssertableApplicationContext context, String name) {
        return Objects.requireNonNull(context.getBean(CacheManager.class).getCache(name));
    }
}
