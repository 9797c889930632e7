// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loaders that run on the threads of their callers. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CallerThreadTest {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final ManualWallClock time = new ManualWallClock();
    private final AtomicInteger loads = new AtomicInteger();

    private static CacheOptions.Builder options(boolean leased) {
        return RedisExtension.leased(leased ? Duration.ofSeconds(60) : Duration.ZERO);
    }

    private String load(String key) {
        return key + "#" + loads.incrementAndGet();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void loaderRunsOnTheThreadOfItsCaller(boolean leased) {
        Cache<String> cache = REDIS.cache(options(leased));
        AtomicReference<Thread> thread = new AtomicReference<>();

        String value = cache.getOnCallerThread("key", key -> {
            thread.set(Thread.currentThread());
            return load(key);
        });

        assertThat(thread).hasValue(Thread.currentThread());
        assertThat(value).isEqualTo("key#1");
        assertThat(cache.getIfPresent("key"))
                .as("the value is written before the return")
                .hasValue("key#1");
        assertThat(cache.getOnCallerThread("key", this::load)).isEqualTo("key#1");
        assertThat(cache.stats().loads()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void concurrentCallersOfTwoProcessesShareOneLoad(boolean leased) throws Exception {
        Cache<String> cache = REDIS.cache(options(leased));
        Cache<String> other = leased ? REDIS.cache(options(true)) : cache;
        AtomicInteger next = new AtomicInteger();

        List<String> values = ConcurrentCallers.callAll(100, () -> switch (next.getAndIncrement() % 3) {
            case 0 -> cache.getOnCallerThread("key", this::load);
            case 1 -> other.getOnCallerThread("key", this::load);
            default -> cache.get("key", this::load);
        });

        assertThat(values).containsOnly("key#1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void callerThatRunsItsLoaderStaysAndCallersThatWaitLeaveAtTheirDeadlines(boolean leased) throws Exception {
        Cache<String> cache = REDIS.cache(options(leased)
                .lease(leased ? Duration.ofSeconds(1) : Duration.ZERO)
                .redisTimeout(Duration.ofMillis(300))
                .deadline(Duration.ofMillis(300)));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<String> owner = CompletableFuture.supplyAsync(() -> cache.getOnCallerThread("key", key -> {
            begun.countDown();
            mayEnd.await();
            return load(key);
        }));
        begun.await();

        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> cache.get("key", this::load)).isInstanceOf(LoadTimedOutException.class);
            assertThatThrownBy(() -> cache.getOnCallerThread("key", this::load))
                    .isInstanceOf(LoadTimedOutException.class);
        }

        assertThat(owner).isNotDone();
        mayEnd.countDown();
        assertThat(owner.join()).isEqualTo("key#1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void callerGetsTheResultOfItsLoaderAfterTheLoadTimeout(boolean leased) {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(leased).loadTimeout(Duration.ofMillis(20)));
        Loader<String> slow = key -> {
            Eventually.is("the load has timed out", 1L, () -> cache.stats().abandonedLoaders());
            return "late";
        };

        String value = cache.getOnCallerThread("key", slow);
        Throwable failure = catchThrowable(() -> cache.getOnCallerThread("other", key -> {
            slow.load(key);
            throw new IllegalArgumentException("no such key");
        }));

        assertThat(value).isEqualTo("late");
        assertThat(failure).isInstanceOf(LoadFailedException.class).hasRootCauseMessage("no such key");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(client.call(Keys.exist("texts:key")))
                .as("the value is not cached")
                .isZero();
        assertThat(cache.stats().loadTimeouts()).isEqualTo(2);
        assertThat(cache.stats().abandonedLoaders()).isZero();
    }

    @Test
    void keyCanBeLoadedAgainWhileTheCallerStillRunsItsLoader() {
        Cache<String> cache = REDIS.cache(options(false).loadTimeout(Duration.ofMillis(20)));

        String value = cache.getOnCallerThread("key", key -> {
            Eventually.is("the load has timed out", 1L, () -> cache.stats().loadTimeouts());
            CompletableFuture<String> other = CompletableFuture.supplyAsync(() -> cache.get(key, name -> "newer"));
            assertThat(other.join()).isEqualTo("newer");
            return "older";
        });

        assertThat(value).isEqualTo("older");
        assertThat(cache.getIfPresent("key")).hasValue("newer");
    }

    @Test
    void callerGetsTheResultOfItsLoaderAlsoIfTheCacheIsClosedMeanwhile() {
        Cache<String> cache = REDIS.cache(options(false).redisTimeout(Duration.ofMillis(20)));

        String value = cache.getOnCallerThread("key", key -> {
            CompletableFuture.runAsync(cache::close).join();
            return load(key);
        });

        assertThat(value).isEqualTo("key#1");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThatThrownBy(() -> cache.getOnCallerThread("key", this::load)).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void interruptDuringTheLoaderIsKeptForTheCallerAndTheValueIsCached(boolean leased) {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(leased));

        String value = cache.getOnCallerThread("key", key -> {
            Thread.currentThread().interrupt();
            return load(key);
        });

        assertThat(Thread.interrupted()).isTrue();
        assertThat(value).isEqualTo("key#1");
        assertThat(client.call(Keys.exist("texts:key"))).isEqualTo(1);
        assertThat(cache.stats().errors()).isZero();
    }

    @Test
    void callerThatIsInterruptedWhileItWaitsForAPermitCallsNoLoader() throws Exception {
        Cache<String> cache = REDIS.cache(options(false).concurrentLoads(1));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<String> first = CompletableFuture.supplyAsync(() -> cache.get("first", key -> {
            begun.countDown();
            mayEnd.await();
            return key;
        }));
        begun.await();
        AtomicReference<Throwable> failure = new AtomicReference<>();
        AtomicReference<Boolean> flag = new AtomicReference<>(false);
        Thread caller = Thread.ofPlatform().start(() -> {
            failure.set(catchThrowable(() -> cache.getOnCallerThread("key", this::load)));
            flag.set(Thread.currentThread().isInterrupted());
        });
        Eventually.is(
                "the caller waits for a permit",
                true,
                () -> List.of(caller.getStackTrace()).stream()
                        .anyMatch(frame -> frame.getClassName().equals(LoadPermits.class.getName())
                                && frame.getMethodName().equals("await")));

        caller.interrupt();

        assertThat(caller.join(Duration.ofMinutes(1))).isTrue();
        assertThat(failure.get())
                .isInstanceOf(LoadInterruptedException.class)
                .hasMessage("the thread was interrupted while it waited to call its loader: cache=texts.");
        assertThat(flag).hasValue(true);
        assertThat(loads).hasValue(0);
        mayEnd.countDown();
        assertThat(first.join()).isEqualTo("first");
        assertThat(cache.getOnCallerThread("key", this::load)).isEqualTo("key#1");
    }

    @Test
    void failureOfTheLoaderIsTheCauseForAllCallers() {
        Cache<String> cache = REDIS.cache(options(false));
        IllegalArgumentException cause = new IllegalArgumentException("no such key");

        assertThatThrownBy(() -> cache.getOnCallerThread("key", key -> {
                    throw cause;
                }))
                .isInstanceOf(LoadFailedException.class)
                .hasMessageContaining("exception=java.lang.IllegalArgumentException")
                .hasCause(cause);
        assertThat(cache.stats().loadFailures()).isEqualTo(1);
        assertThat(cache.getOnCallerThread("key", this::load)).isEqualTo("key#1");
    }

    @Test
    void absenceOfAValueIsCached() {
        Cache<String> cache = REDIS.cache(options(false));

        assertThat(cache.findOnCallerThread("key", key -> Optional.empty())).isEmpty();
        assertThat(cache.findOnCallerThread("key", key -> Optional.of(load(key))))
                .isEmpty();

        assertThat(cache.stats().negativeHits()).isEqualTo(1);
        assertThat(cache.getOnCallerThread("key", this::load)).isEqualTo("key#1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void loaderThatLooksUpAnotherKeyNeedsOnePermit(boolean leased) {
        Cache<String> cache = REDIS.cache(options(leased).concurrentLoads(1));

        String page = cache.getOnCallerThread(
                "page",
                key -> "page with " + cache.getOnCallerThread("Ada", this::load) + " and "
                        + cache.get("Grace", this::load));

        assertThat(page).isEqualTo("page with Ada#1 and Grace#2");
        assertThat(cache.getOnCallerThread("next", this::load)).isEqualTo("next#3");
    }

    @Test
    void keysThatLoadEachOtherAreAnErrorAtOnce() {
        Cache<String> cache = REDIS.cache(options(false));

        for (String last : List.of("one", "two", "three")) {
            assertThatThrownBy(() -> cache.getOnCallerThread(
                            "one",
                            one -> cache.getOnCallerThread(
                                    "two",
                                    two -> cache.get("three", three -> cache.getOnCallerThread(last, this::load)))))
                    .isInstanceOf(LoadFailedException.class)
                    .rootCause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageStartingWith("a load waits for its own value: cache=texts.");
        }
        assertThat(loads).hasValue(0);
    }

    @Test
    void loadersOfTwoThreadsThatRequestEachOtherDoNotWaitForTheirDeadlines() throws Exception {
        Cache<String> cache = REDIS.cache(options(false));
        CountDownLatch bothRun = new CountDownLatch(2);
        AtomicInteger next = new AtomicInteger();

        List<Throwable> failures = ConcurrentCallers.callAll(2, () -> {
            boolean first = next.getAndIncrement() == 0;
            return catchThrowable(() -> cache.getOnCallerThread(first ? "one" : "two", key -> {
                bothRun.countDown();
                bothRun.await();
                return cache.getOnCallerThread(first ? "two" : "one", this::load);
            }));
        });

        assertThat(failures)
                .allSatisfy(failure -> assertThat(failure)
                        .isInstanceOf(LoadFailedException.class)
                        .rootCause()
                        .hasMessageStartingWith("a load waits for its own value: cache=texts."));
    }

    private Cache<String> staleCache() {
        return REDIS.closeAfterTest(Cache.builder(REDIS.client(), "texts", Codec.text())
                .options(RedisExtension.longTimeouts()
                        .jitter(0)
                        .timeToLive(Duration.ofMinutes(10))
                        .staleFor(Duration.ofMinutes(10))
                        .build())
                .clockAndRandom(time.withRandom(new Random(1)))
                .build());
    }

    @Test
    void oneCallerReplacesAStaleValueOnItsThreadAndTheOthersGetTheStaleValue() {
        Cache<String> cache = staleCache();
        cache.put("key", "stale");
        time.advance(Duration.ofMinutes(11));
        AtomicReference<Thread> thread = new AtomicReference<>();

        String value = cache.getOnCallerThread("key", key -> {
            thread.set(Thread.currentThread());
            assertThat(CompletableFuture.supplyAsync(() -> cache.getOnCallerThread(key, this::load))
                            .join())
                    .isEqualTo("stale");
            return "new";
        });

        assertThat(value).isEqualTo("new");
        assertThat(thread).hasValue(Thread.currentThread());
        assertThat(cache.getIfPresent("key")).hasValue("new");
        assertThat(loads).hasValue(0);
        assertThat(cache.stats().refreshes()).isEqualTo(1);
    }

    @Test
    void callerWhoseLoaderFailsGetsTheStaleValueAndTheNextCallerDoesNotLoadAtOnce() {
        Cache<String> cache = staleCache();
        cache.put("key", "stale");
        time.advance(Duration.ofMinutes(11));

        String value = cache.getOnCallerThread("key", key -> {
            throw new IllegalStateException("down");
        });

        assertThat(value).isEqualTo("stale");
        assertThat(cache.getOnCallerThread("key", this::load)).isEqualTo("stale");
        assertThat(cache.stats().loadFailures()).isEqualTo(1);
        assertThat(loads).hasValue(0);
    }

    @Test
    void changeDuringTheLoaderIsNotOverwritten() {
        Cache<String> cache = REDIS.cache(options(false));

        String value = cache.getOnCallerThread("key", key -> {
            cache.put(key, "newer");
            return "older";
        });

        assertThat(value).isEqualTo("older");
        assertThat(cache.getIfPresent("key")).hasValue("newer");
    }
}
