// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cache.CacheStats;
import io.millrace.cache.LoadFailedException;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.spring.Prices.Price;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.cache.Cache;
import org.springframework.cache.support.SimpleValueWrapper;

/** Tests cached methods of a context with a real server. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CacheManagerTest {

    private static EmbeddedRedis server;

    private ApplicationContextRunner runner;

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void prepare() {
        try (RedisClient client = RedisClient.connect(RedisUri.parse(server.uri()))) {
            client.call(Server.flush());
        }
        runner = TestRunners.of(server.uri())
                .withConfiguration(AutoConfigurations.of(MillraceCacheAutoConfiguration.class))
                .withPropertyValues("millrace.cache.enabled=true")
                .withUserConfiguration(CachingConfiguration.class);
    }

    private static Cache cache(AssertableApplicationContext context, String name) {
        Cache found = context.getBean(MillraceCacheManager.class).getCache(name);
        assertThat(found).isNotNull();
        return Objects.requireNonNull(found);
    }

    private static Optional<String> stored(AssertableApplicationContext context, String key) {
        return context.getBean(RedisClient.class).call(Strings.get(key));
    }

    @Test
    void resultOfAMethodIsStoredAsJsonWithoutClassNamesAndReadBack() {
        runner.run(context -> {
            Prices prices = context.getBean(Prices.class);

            Price first = prices.plain("pen");

            assertThat(prices.plain("pen")).isEqualTo(first).isEqualTo(new Price("pen", 1, List.of("a")));
            assertThat(prices.calls()).isEqualTo(1);
            assertThat(stored(context, "plain:pen").orElseThrow())
                    .contains("{\"product\":\"pen\",\"cents\":1,\"tags\":[\"a\"]}")
                    .doesNotContain("Price");
        });
    }

    @Test
    void genericTypesAreReadBackAndArgumentsWithCommasDiffer() {
        runner.run(context -> {
            Prices prices = context.getBean(Prices.class);

            Map<String, List<Price>> first = prices.lists("a, b", 1);

            assertThat(prices.lists("a, b", 1)).isEqualTo(first);
            assertThat(first.get("a, b")).singleElement().isInstanceOf(Price.class);
            assertThat(stored(context, "lists:\"a, b\",1")).isPresent();
        });
    }

    @Test
    void putEvictAndClearChangeTheCache() {
        runner.run(context -> {
            Prices prices = context.getBean(Prices.class);
            prices.plain("pen");

            assertThat(prices.put("pen").cents()).isEqualTo(2);
            assertThat(prices.plain("pen").cents()).isEqualTo(2);
            prices.evict("pen");
            assertThat(prices.plain("pen").cents()).isEqualTo(4);
            prices.evictAll();
            assertThat(prices.plain("pen").cents()).isEqualTo(6);
        });
    }

    @Test
    void nullIsCachedForItsOwnTimeUnlessThisTimeIsZero() {
        runner.run(context -> {
            Prices prices = context.getBean(Prices.class);
            assertThat(prices.nothing("pen")).isNull();
            assertThat(prices.nothing("pen")).isNull();
            assertThat(prices.calls()).isEqualTo(1);
            assertThat(context.getBean(RedisClient.class)
                            .call(Keys.timeToLive("nulls:pen"))
                            .toString())
                    .contains("PT5");
        });
        runner.withPropertyValues("millrace.cache.caches.nulls.negative-time-to-live=0s")
                .run(context -> {
                    Prices prices = context.getBean(Prices.class);
                    prices.evictAll();
                    cache(context, "nulls").clear();
                    assertThat(prices.nothing("ink")).isNull();
                    assertThat(prices.nothing("ink")).isNull();
                    assertThat(prices.calls()).isEqualTo(3);
                });
    }

    @Test
    void nullOfASynchronizedMethodIsNotCachedIfItsTimeIsZero() {
        runner.withPropertyValues("millrace.cache.caches.nulls.negative-time-to-live=0s")
                .run(context -> {
                    Prices prices = context.getBean(Prices.class);

                    assertThat(prices.nothingSync("pen")).isNull();
                    assertThat(prices.nothingFuture("ink").join()).isNull();
                    assertThat(prices.nothingMono("gum").block()).isNull();

                    assertThat(stored(context, "nulls:pen")).isEmpty();
                    assertThat(stored(context, "nulls:ink")).isEmpty();
                    assertThat(stored(context, "nulls:gum")).isEmpty();
                    assertThat(prices.nothingSync("pen")).isNull();
                    assertThat(prices.calls()).isEqualTo(4);
                });
    }

    @Test
    void nullOfASynchronizedMethodIsCachedForItsOwnTime() {
        runner.run(context -> {
            Prices prices = context.getBean(Prices.class);

            assertThat(prices.nothingSync("pen")).isNull();
            assertThat(prices.nothingFuture("pen").join()).isNull();
            assertThat(prices.nothingMono("pen").block()).isNull();

            assertThat(prices.calls()).isEqualTo(1);
        });
    }

    @Test
    void putOfANullRemovesTheOldValueIfTheTimeOfNullIsZero() {
        runner.withPropertyValues("millrace.cache.caches.nulls.negative-time-to-live=0s")
                .run(context -> {
                    Prices prices = context.getBean(Prices.class);
                    assertThat(prices.putOrNothing("pen", "old")).isEqualTo("old");
                    assertThat(stored(context, "nulls:pen")).isPresent();

                    assertThat(prices.putOrNothing("pen", null)).isNull();

                    assertThat(stored(context, "nulls:pen")).isEmpty();
                });
    }

    @Test
    void optionalsAndPrimitivesAreCached() {
        runner.run(context -> {
            Prices prices = context.getBean(Prices.class);

            assertThat(prices.optional("pen")).contains("pen");
            assertThat(prices.optional("pen")).contains("pen");
            assertThat(prices.optional("")).isEmpty();
            assertThat(prices.optional("")).isEmpty();
            assertThat(prices.calls()).isEqualTo(2);
            assertThat(prices.primitive(7)).isEqualTo(prices.primitive(7));
            assertThat(stored(context, "longs:7")).isPresent();
        });
    }

    @Test
    void synchronizedMethodRunsOnceOnTheThreadOfItsCaller() throws Exception {
        runner.run(context -> {
            Prices prices = context.getBean(Prices.class);
            try (ExecutorService callers = Executors.newFixedThreadPool(8)) {
                List<Future<String>> results = new ArrayList<>();
                List<Thread> threads = new ArrayList<>();
                Callable<String> call = () -> {
                    synchronized (threads) {
                        threads.add(Thread.currentThread());
                    }
                    return prices.sync("pen");
                };
                for (int i = 0; i < 8; i++) {
                    results.add(callers.submit(call));
                }
                while (prices.calls() == 0) {
                    Thread.onSpinWait();
                }
                prices.openGate();
                for (Future<String> result : results) {
                    assertThat(result.get()).isEqualTo("pen");
                }
                assertThat(prices.calls()).isEqualTo(1);
                assertThat(threads).contains(prices.caller());
            }
        });
    }

    @Test
    void exceptionOfASynchronizedMethodReachesItsCallerUnchanged() {
        runner.run(context -> {
            Prices prices = context.getBean(Prices.class);

            assertThatThrownBy(() -> prices.failing("pen"))
                    .isExactlyInstanceOf(IllegalStateException.class)
                    .hasMessage("no price of pen");
            assertThatThrownBy(() -> prices.failing("pen")).hasMessage("no price of pen");
            assertThat(prices.calls()).isEqualTo(2);
        });
    }

    @Test
    void checkedExceptionOfASynchronizedMethodReachesItsCallerUnchanged() {
        runner.run(context -> {
            assertThatThrownBy(() -> context.getBean(Prices.class).unreadable("pen"))
                    .isExactlyInstanceOf(IOException.class)
                    .hasMessage("no file of pen");
            assertThatThrownBy(() -> cache(context, "failing").get("ink", () -> {
                        throw new IOException("no file of ink");
                    }))
                    .isInstanceOf(Cache.ValueRetrievalException.class)
                    .cause()
                    .isExactlyInstanceOf(IOException.class)
                    .hasMessage("no file of ink");
        });
    }

    @Test
    void cachedFailureOfASynchronizedMethodNamesItsException() {
        runner.withPropertyValues("millrace.cache.caches.failing.failure-time-to-live=1m")
                .run(context -> {
                    Prices prices = context.getBean(Prices.class);
                    assertThatThrownBy(() -> prices.failing("pen")).hasMessage("no price of pen");
                    assertThatThrownBy(() -> prices.unreadable("ink")).hasMessage("no file of ink");

                    assertThatThrownBy(() -> prices.failing("pen"))
                            .isInstanceOf(LoadFailedException.class)
                            .hasMessageContaining("exception=java.lang.IllegalStateException");
                    assertThatThrownBy(() -> prices.unreadable("ink"))
                            .isInstanceOf(LoadFailedException.class)
                            .hasMessageContaining("exception=java.io.IOException");
                    assertThat(prices.calls()).isEqualTo(2);
                });
    }

    @Test
    void futureAndMonoOfASynchronizedMethodAreComputedOnce() {
        runner.run(context -> {
            Prices prices = context.getBean(Prices.class);
            List<CompletableFuture<Price>> futures = new ArrayList<>();
            List<CompletableFuture<String>> monos = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                futures.add(prices.future("pen"));
                monos.add(prices.mono("pen").toFuture());
            }
            while (prices.calls() < 2) {
                Thread.onSpinWait();
            }
            prices.openGate();

            assertThat(futures)
                    .allSatisfy(future -> assertThat(future.join().product()).isEqualTo("pen"));
            assertThat(monos).allSatisfy(mono -> assertThat(mono.join()).isEqualTo("pen"));
            assertThat(prices.future("pen").join()).isEqualTo(futures.getFirst().join());
            assertThat(prices.mono("pen").block()).isEqualTo("pen");
            assertThat(prices.calls()).isEqualTo(2);
        });
    }

    @Test
    void plainFutureAndFluxAreCachedAsSpringDefines() {
        runner.run(context -> {
            Prices prices = context.getBean(Prices.class);

            assertThat(prices.plainFuture("pen").join()).isEqualTo("pen");
            assertThat(prices.plainFuture("pen").join()).isEqualTo("pen");
            assertThat(prices.flux("pen").collectList().block()).containsExactly("pen", "pen");
            assertThat(prices.flux("pen").collectList().block()).containsExactly("pen", "pen");
            assertThat(prices.calls()).isEqualTo(2);
        });
    }

    @Test
    void exceptionOfAFutureReachesItsCallerUnchanged() {
        runner.run(context -> assertThatThrownBy(
                        () -> context.getBean(Prices.class).failingFuture("pen").join())
                .isInstanceOf(CompletionException.class)
                .cause()
                .isExactlyInstanceOf(IllegalStateException.class)
                .hasMessage("no price of pen"));
    }

    @Test
    void cacheOfSpringHasAllItsOperations() {
        runner.run(context -> {
            Cache cache = cache(context, "optionals");

            assertThat(cache.getName()).isEqualTo("optionals");
            assertThat(cache.getNativeCache()).isInstanceOf(io.millrace.cache.Cache.class);
            assertThat(cache.get("k")).isNull();
            assertThat(cache.putIfAbsent("k", "v")).isNull();
            assertThat(cache.putIfAbsent("k", "w")).isEqualTo(new SimpleValueWrapper("v"));
            assertThat(cache.get("k", String.class)).isEqualTo("v");
            assertThatThrownBy(() -> cache.get("k", Integer.class)).isInstanceOf(IllegalStateException.class);
            assertThat(cache.get("n", () -> "loaded")).isEqualTo("loaded");
            cache.put("null", null);
            assertThat(cache.get("null")).isEqualTo(new SimpleValueWrapper(null));
            cache.evict("k");
            assertThat(cache.get("k")).isNull();
            assertThat(cache.invalidate()).isFalse();
            assertThat(cache.get("n")).isNull();
        });
    }

    @Test
    void keysOfACacheOverrideTheDefaults() {
        runner.withPropertyValues(
                        "millrace.cache.defaults.time-to-live=1h",
                        "millrace.cache.defaults.jitter=0",
                        "millrace.cache.caches.plain.time-to-live=5m",
                        "millrace.cache.caches.plain.version=2")
                .run(context -> {
                    context.getBean(Prices.class).plain("pen");
                    context.getBean(Prices.class).plainFuture("pen").join();

                    assertThat(nativeCache(context, "plain").options().timeToLive())
                            .isEqualTo(Duration.ofMinutes(5));
                    assertThat(nativeCache(context, "lists").options().timeToLive())
                            .isEqualTo(Duration.ofHours(1));
                    assertThat(nativeCache(context, "plain").options().jitter()).isZero();
                });
        runner.withPropertyValues("millrace.cache.caches.plain.version=3").run(context -> {
            Prices prices = context.getBean(Prices.class);
            prices.plain("pen");
            assertThat(prices.calls()).as("the entry has another version").isEqualTo(1);
        });
    }

    private static io.millrace.cache.Cache<?> nativeCache(AssertableApplicationContext context, String name) {
        return (io.millrace.cache.Cache<?>) cache(context, name).getNativeCache();
    }

    @Test
    void nearCacheAnswersWithoutTheServer() {
        runner.withPropertyValues("millrace.cache.caches.plain.near.entries=100")
                .run(context -> {
                    Prices prices = context.getBean(Prices.class);
                    MillraceCacheManager manager = context.getBean(MillraceCacheManager.class);

                    // The invalidation of the own write may arrive after the first reads.
                    while (stats(manager).nearHits() == 0) {
                        prices.plain("pen");
                    }

                    assertThat(prices.calls()).isEqualTo(1);
                });
    }

    private static CacheStats stats(MillraceCacheManager manager) {
        return Objects.requireNonNull(manager.stats().get("plain"));
    }

    @Test
    void statsOfAllCachesAreCounted() {
        runner.run(context -> {
            context.getBean(Prices.class).plain("pen");
            context.getBean(Prices.class).plain("pen");

            MillraceCacheManager manager = context.getBean(MillraceCacheManager.class);
            assertThat(manager.stats().keySet()).containsAll(manager.getCacheNames());
            CacheStats stats = stats(manager);
            assertThat(stats.hits()).isEqualTo(1);
            assertThat(stats.misses()).isEqualTo(1);
        });
    }
}
