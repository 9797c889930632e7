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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

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
            assertThat(cache.getAll(
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

    @Test
    void contextOfTheCallerReachesTheLoaders() {
        Cache<String> cache = REDIS.closeAfterTest(
                builder().context(LoadThreadsTest::withTenantOfTheCaller).build());

        TENANT.set("Ada");
        try {
            assertThat(cache.get("single", LoadThreadsTest::tenant)).isEqualTo("single of Ada");
            assertThat(cache.getAsync("async", LoadThreadsTest::tenant).join()).isEqualTo("async of Ada");
            assertThat(cache.getAll(List.of("each"), LoadThreadsTest::tenant)).containsValue("each of Ada");
            assertThat(cache.getAll(List.of("bulk"), (keys, failures) -> Map.of("bulk", tenant("bulk")))
                            .values())
                    .containsValue("bulk of Ada");
        } finally {
            TENANT.remove();
        }
        assertThat(cache.get("later", LoadThreadsTest::tenant)).isEqualTo("later of none");
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
