// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Codec;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The executor and the context of loads. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class LoadThreadsTest {

    private static final ThreadLocal<String> TENANT = ThreadLocal.withInitial(() -> "none");

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    /** Carries the tenant of the calling thread to the thread of the load. */
    private static Runnable withTenantOfTheCaller(Runnable task) {
        String tenant = TENANT.get();
        return () -> {
            TENANT.set(tenant);
            try {
                task.run();
            } finally {
                TENANT.remove();
            }
        };
    }

    private static CacheBuilder<String> builder() {
        return Cache.builder(REDIS.client(), "texts", Codec.text())
                .options(RedisExtension.longTimeouts().build());
    }

    private static String tenant(String key) {
        return key + " of " + TENANT.get();
    }

    @Test
    void loadersRunOnTheExecutorOfTheCache() {
        try (ExecutorService threads =
                Executors.newFixedThreadPool(2, task -> new Thread(task, "a thread of the user"))) {
            Cache<String> cache =
                    REDIS.closeAfterTest(builder().executor(threads).build());

            assertThat(cache.get("key", key -> Thread.currentThread().getName()))
                    .isEqualTo("a thread of the user");
            assertThat(cache.getAll(
                                    List.of("one", "two"),
                                    key -> Thread.currentThread().getName())
                            .values())
                    .containsOnly("a thread of the user");
            assertThat(cache.getEach(
                                    List.of("three"),
                                    (keys, failures) -> Map.of(
                                            "three", Thread.currentThread().getName()))
                            .values())
                    .containsValue("a thread of the user");
        }
    }

    @Test
    void threadOfTheExecutorIsNotInterruptedAfterTheLoadThatTimedOut() throws Exception {
        try (ExecutorService threads =
                Executors.newSingleThreadExecutor(task -> new Thread(task, "a thread of the user"))) {
            Cache<String> cache = REDIS.closeAfterTest(Cache.builder(REDIS.client(), "texts", Codec.text())
                    .options(RedisExtension.longTimeouts()
                            .loadTimeout(Duration.ofMillis(100))
                            .build())
                    .executor(threads)
                    .build());

            assertThatThrownBy(() -> cache.get("key", key -> {
                        new CountDownLatch(1).await();
                        return key;
                    }))
                    .isInstanceOf(LoadTimedOutException.class);

            assertThat(threads.submit(() -> Thread.currentThread().isInterrupted())
                            .get())
                    .isFalse();
        }
    }

    @Test
    void loadThatTheExecutorRejectsFailsAndTheKeyCanBeLoadedAgain() {
        ExecutorService closed = Executors.newSingleThreadExecutor();
        closed.close();
        boolean[] rejects = {true};
        Cache<String> cache = REDIS.closeAfterTest(builder()
                .executor(task -> {
                    if (rejects[0]) {
                        closed.execute(task);
                    } else {
                        Thread.startVirtualThread(task);
                    }
                })
                .build());

        assertThatThrownBy(() -> cache.get("key", key -> "not called"))
                .isInstanceOf(LoadFailedException.class)
                .hasCauseInstanceOf(RejectedExecutionException.class);
        rejects[0] = false;

        assertThat(cache.get("key", key -> "loaded")).isEqualTo("loaded");
    }

    /** Returns an executor that drops tasks while {@code drops[0]} is true. */
    private static Executor dropping(boolean[] drops) {
        return task -> {
            if (!drops[0]) {
                Thread.startVirtualThread(task);
            }
        };
    }

    /** Returns the value, or the text of the exception. */
    private static String answer(Cache<String> cache, String key) {
        try {
            return cache.get(key, missing -> "loaded " + missing);
        } catch (LoadTimedOutException e) {
            return e.toString();
        }
    }

    @Test
    void loadThatTheExecutorDropsIsEndedByACallerWhoseDeadlinePasses() {
        boolean[] drops = {true};
        CacheOptions options = CacheOptions.builder()
                .deadline(Duration.ofMillis(300))
                .redisTimeout(Duration.ofMillis(300))
                .build();
        Cache<String> cache = REDIS.closeAfterTest(
                builder().options(options).executor(dropping(drops)).build());

        Eventually.holds(
                "the caller waits for a thread",
                () -> answer(cache, "key"),
                answer -> answer.contains("awaited=a thread of the executor."));
        assertThat(cache.getEach(List.of("one", "two"), (keys, failures) -> Map.of())
                        .failures())
                .containsOnlyKeys("one", "two");
        drops[0] = false;

        for (String key : List.of("key", "one", "two")) {
            Eventually.is("the key is loaded", "loaded " + key, () -> answer(cache, key));
        }
    }

    @Test
    void backgroundLoadThatTheExecutorDropsHoldsNoPermit() {
        boolean[] drops = {true};
        ManualWallClock time = new ManualWallClock();
        CacheOptions options = RedisExtension.longTimeouts()
                .concurrentLoads(2)
                .jitter(0)
                .staleFor(Duration.ofMinutes(5))
                .build();
        Cache<String> cache = REDIS.closeAfterTest(builder()
                .options(options)
                .executor(dropping(drops))
                .clockAndRandom(time.withRandom(new Random(1)))
                .build());
        cache.put("key", "old");
        time.advance(options.timeToLive());
        CountDownLatch both = new CountDownLatch(2);

        assertThat(cache.get("key", key -> "not called")).isEqualTo("old");
        drops[0] = false;

        assertThat(cache.getAll(List.of("one", "two"), key -> {
                    both.countDown();
                    both.await(); // needs two permits at the same time
                    return key;
                }))
                .containsOnlyKeys("one", "two");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void backgroundLoadThatTheExecutorDropsIsReplaced(boolean bulk) {
        boolean[] drops = {true};
        ManualWallClock time = new ManualWallClock();
        CacheOptions options = RedisExtension.longTimeouts()
                .deadline(Duration.ofSeconds(1))
                .redisTimeout(Duration.ofSeconds(1))
                .jitter(0)
                .staleFor(Duration.ofMinutes(5))
                .build();
        Cache<String> cache = REDIS.closeAfterTest(builder()
                .options(options)
                .executor(dropping(drops))
                .clockAndRandom(time.withRandom(new Random(1)))
                .build());
        BulkLoader<String> loader = (keys, failures) -> Map.of("key", "loaded key");
        cache.put("key", "old");
        time.advance(options.timeToLive());

        Eventually.is("a background load is dropped", 1L, () -> {
            String unused = answer(cache, "key");
            return cache.stats().staleServes();
        });
        drops[0] = false;

        Eventually.is(
                "the value is refreshed",
                "loaded key",
                () -> bulk ? cache.getEach(List.of("key"), loader).values().get("key") : answer(cache, "key"));
    }

    @Test
    void contextOfTheCallerReachesBackgroundLoads() {
        ManualWallClock time = new ManualWallClock();
        CacheOptions options = RedisExtension.longTimeouts()
                .jitter(0)
                .staleFor(Duration.ofMinutes(5))
                .build();
        Cache<String> cache = REDIS.closeAfterTest(builder()
                .options(options)
                .context(LoadThreadsTest::withTenantOfTheCaller)
                .clockAndRandom(time.withRandom(new Random(1)))
                .build());
        cache.put("key", "old");
        time.advance(options.timeToLive());

        TENANT.set("Ada");
        try {
            assertThat(cache.get("key", LoadThreadsTest::tenant)).isEqualTo("old");
        } finally {
            TENANT.remove();
        }

        Eventually.is("the background load has ended", "key of Ada", () -> cache.get("key", LoadThreadsTest::tenant));
    }

    @Test
    void contextOfTheCallerReachesTheLoaders() {
        Cache<String> cache = REDIS.closeAfterTest(
                builder().context(LoadThreadsTest::withTenantOfTheCaller).build());

        TENANT.set("Ada");
        try {
            assertThat(cache.get("single", LoadThreadsTest::tenant)).isEqualTo("single of Ada");
            assertThat(cache.getAsync("async", LoadThreadsTest::tenant).join()).isEqualTo("async of Ada");
            assertThat(cache.findAsync("found", key -> Optional.of(tenant(key))).join())
                    .contains("found of Ada");
            assertThat(cache.findAsync("nothing", key -> Optional.empty()).join())
                    .isEmpty();
            assertThat(cache.getAll(List.of("each"), LoadThreadsTest::tenant)).containsValue("each of Ada");
            assertThat(cache.getEach(List.of("bulk"), (keys, failures) -> Map.of("bulk", tenant("bulk")))
                            .values())
                    .containsValue("bulk of Ada");
        } finally {
            TENANT.remove();
        }
        assertThat(cache.get("later", LoadThreadsTest::tenant)).isEqualTo("later of none");
    }

    @Test
    void forgetfulContextFunctionHasAMessageThatSaysWhatToDo() {
        Cache<String> cache =
                REDIS.closeAfterTest(builder().context(task -> () -> {}).build());

        assertThatThrownBy(() -> cache.get("key", key -> "not called"))
                .hasRootCauseMessage("the context function of the cache returned a Runnable that does not run the load."
                        + " The Runnable must call the run method of its argument.");
    }

    @Test
    void faultyContextFunctionFailsTheLoadAndBlocksNoKey() {
        UnaryOperator<Runnable> throwing = task -> {
            throw new IllegalArgumentException("no context");
        };
        UnaryOperator<Runnable> forgetful = task -> () -> {};
        for (UnaryOperator<Runnable> faulty : List.of(throwing, forgetful)) {
            Cache<String> cache = REDIS.closeAfterTest(builder().context(faulty).build());

            for (int attempt = 0; attempt < 2; attempt++) {
                assertThatThrownBy(() -> cache.get("key", key -> "not called")).isInstanceOf(LoadFailedException.class);
            }
            CompletableFuture<String> future = cache.getAsync("key", key -> "not called");
            assertThatThrownBy(future::join).isInstanceOf(RuntimeException.class);
        }
    }
}
