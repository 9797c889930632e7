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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loaders that exceed the load timeout. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class LoadTimeoutTest {

    /** Longer than the short loaders of these tests take on a busy machine. */
    private static final Duration LOAD_TIMEOUT = Duration.ofSeconds(1);

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    /** Ends the loaders that ignore interrupts. */
    private final CountDownLatch mayReturn = new CountDownLatch(1);

    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger loads = new AtomicInteger();

    @AfterEach
    void endLoaders() {
        mayReturn.countDown();
        Eventually.is("all loaders have returned", 0, running::get);
    }

    private static CacheOptions.Builder options(boolean leased) {
        return RedisExtension.leased(leased ? Duration.ofSeconds(60) : Duration.ZERO)
                .loadTimeout(LOAD_TIMEOUT);
    }

    private String load(String key) {
        return key + "#" + loads.incrementAndGet();
    }

    /** Waits until it is interrupted. */
    private String hang(String key) throws InterruptedException {
        running.incrementAndGet();
        try {
            new CountDownLatch(1).await();
            return key;
        } finally {
            running.decrementAndGet();
        }
    }

    /** Ignores interrupts. */
    private String ignoreInterrupts(String key) {
        running.incrementAndGet();
        try {
            while (true) {
                try {
                    mayReturn.await();
                    return "late " + key;
                } catch (InterruptedException e) {
                    // This loader ignores interrupts on purpose.
                }
            }
        } finally {
            running.decrementAndGet();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void hungLoaderIsInterruptedAndItsKeyCanBeLoadedAgain(boolean leased) throws Exception {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(leased));
        Cache<String> other = REDIS.cache(options(leased));

        List<Throwable> failures =
                ConcurrentCallers.callAll(10, () -> catchThrowable(() -> cache.get("key", this::hang)));

        assertThat(failures)
                .allSatisfy(failure -> assertThat(failure)
                        .isInstanceOf(LoadTimedOutException.class)
                        .hasMessage("the loader did not return within 1000 ms and was interrupted: cache=texts."
                                + " Give the calls of the loader a timeout, or increase loadTimeout."));
        Eventually.is("the loader has returned", 0, running::get);
        Eventually.is("the lease is released", 0L, () -> client.call(Keys.exist("texts~lease:{texts:key}")));
        assertThat(other.get("key", this::load)).isEqualTo("key#1");
        assertThat(cache.get("key", this::load)).startsWith("key#");
        assertThat(cache.stats().loadTimeouts()).isPositive();
        Eventually.is("no loader is abandoned", 0L, () -> cache.stats().abandonedLoaders());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void hungLoadersThatHoldAllPermitsDoNotStopOtherKeys(boolean leased) {
        Cache<String> cache = REDIS.cache(options(leased).concurrentLoads(2));

        for (String key : List.of("one", "two")) {
            assertThatThrownBy(() -> cache.get(key, this::ignoreInterrupts)).isInstanceOf(LoadTimedOutException.class);
        }

        assertThat(running).hasValue(2);
        assertThat(cache.stats().abandonedLoaders()).isEqualTo(2);
        for (int key = 0; key < 10; key++) {
            assertThat(cache.get("key" + key, this::load)).startsWith("key" + key + "#");
        }
        assertThat(cache.get("one", this::load)).startsWith("one#");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void valueOfALoaderThatReturnsAfterItsTimeoutIsNotCached(boolean leased) {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(leased));

        assertThatThrownBy(() -> cache.get("key", this::ignoreInterrupts)).isInstanceOf(LoadTimedOutException.class);
        mayReturn.countDown();
        Eventually.is("the loader has returned", 0L, () -> cache.stats().abandonedLoaders());
        cache.close();

        assertThat(client.call(Keys.exist("texts:key"))).isZero();
    }

    @Test
    void loadsAreRefusedWhileSixteenAbandonedLoadersRun() {
        Cache<String> cache = REDIS.cache(options(false));
        List<String> keys = IntStream.range(0, AbandonedLoaders.LIMIT)
                .mapToObj(key -> "hung" + key)
                .toList();

        Map<String, CacheException> failures =
                cache.getEach(keys, this::ignoreInterrupts).failures();

        assertThat(failures)
                .hasSize(16)
                .allSatisfy((key, failure) -> assertThat(failure).isInstanceOf(LoadTimedOutException.class));
        assertThat(cache.stats().abandonedLoaders()).isEqualTo(16);
        assertThatThrownBy(() -> cache.get("key", this::load))
                .isInstanceOf(LoadRefusedException.class)
                .hasMessageStartingWith("a load was refused: cache=texts, abandonedLoaders=16, limit=16.");
        assertThat(loads).hasValue(0);
        cache.put("cached", "value");
        assertThat(cache.get("cached", this::load)).isEqualTo("value");
        mayReturn.countDown();
        Eventually.is("the loaders have returned", 0L, () -> cache.stats().abandonedLoaders());
        assertThat(cache.get("key", this::load)).isEqualTo("key#1");
    }

    @Test
    void abandonedLoadersAboveTheLimitKeepTheirPermits() {
        AbandonedLoaders abandoned = new AbandonedLoaders(new StatsCounter());

        for (int i = 0; i < AbandonedLoaders.LIMIT; i++) {
            assertThat(abandoned.add()).as("the permit may be released").isTrue();
        }
        assertThat(abandoned.add()).isFalse();
    }

    @Test
    void refusalNamesTheNumberOfAbandonedLoaders() throws Exception {
        AbandonedLoaders abandoned = new AbandonedLoaders(new StatsCounter());
        for (int i = 0; i < 20; i++) {
            boolean unused = abandoned.add();
        }

        assertThat(abandoned.refusing()).hasValue(20);
        for (int i = 0; i < 5; i++) {
            abandoned.remove();
        }
        assertThat(abandoned.refusing()).isEmpty();
    }

    @Test
    void onlySixteenOfManyHungLoadersReleaseTheirPermits() {
        StatsCounter statsCounter = new StatsCounter();
        LoadAdmission admission = new LoadAdmission(17);
        LoadTimeouts<String> timeouts = new LoadTimeouts<>(
                new InFlightLoads<>(),
                admission,
                new AbandonedLoaders(statsCounter),
                "texts",
                null,
                statsCounter,
                Duration.ofMillis(1),
                System::nanoTime);
        REDIS.closeAfterTest(timeouts::close);

        for (int i = 0; i < 17; i++) {
            Load<String> load = newLoad();
            assertThat(admission.tryAcquire(load)).isTrue();
            LoadTimeouts.RunningCall<String> unused = timeouts.begin(List.of(load));
        }
        Eventually.is("all calls have timed out", 17L, statsCounter.loadTimeouts::sum);
        timeouts.close();

        Eventually.is("sixteen permits are free", 16, () -> free(admission));
    }

    private static Load<String> newLoad() {
        return new Load<>(new LookupRequest<>("key", Optional::of, false), false, new LoaderCall());
    }

    /** Returns the number of free permits. */
    private static int free(LoadAdmission admission) {
        List<Load<String>> loads = new ArrayList<>();
        for (Load<String> load = newLoad(); admission.tryAcquire(load); load = newLoad()) {
            loads.add(load);
        }
        loads.forEach(admission::release);
        return loads.size();
    }

    @Test
    void backgroundLoadThatHangsReleasesItsPermit() {
        ManualWallClock time = new ManualWallClock();
        CacheOptions options = options(false)
                .concurrentLoads(1)
                .jitter(0)
                .staleFor(Duration.ofMinutes(5))
                .build();
        Cache<String> cache = REDIS.closeAfterTest(Cache.builder(REDIS.client(), "texts", Codec.text())
                .options(options)
                .clockAndRandom(time.withRandom(new Random(1)))
                .build());
        cache.put("key", "old");
        time.advance(options.timeToLive());

        assertThat(cache.get("key", this::ignoreInterrupts)).isEqualTo("old");
        Eventually.is(
                "the background load has timed out", 1L, () -> cache.stats().loadTimeouts());

        assertThat(cache.get("other", this::load)).isEqualTo("other#1");
        Eventually.holds(
                "another background load runs", () -> cache.get("key", this::load), value -> value.startsWith("key#"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void hungBulkLoaderEndsTheLoadsOfAllItsKeys(boolean leased) {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(leased).concurrentLoads(1));
        BulkLoader<String> hanging = (keys, failures) -> Map.of("one", hang("one"));

        Map<String, CacheException> failures =
                cache.getEach(List.of("one", "two"), hanging).failures();

        assertThat(failures)
                .containsOnlyKeys("one", "two")
                .allSatisfy((key, failure) -> assertThat(failure).isInstanceOf(LoadTimedOutException.class));
        assertThat(cache.stats().loadTimeouts()).isEqualTo(1);
        assertThat(cache.get("two", this::load)).isEqualTo("two#1");
        String[] leases = {"texts~lease:{texts:one}", "texts~lease:{texts:two}"};
        Eventually.is("the leases are released", 0L, () -> client.call(Keys.exist(leases)));
    }

    @Test
    void loaderWithinItsTimeoutIsNotInterrupted() {
        Cache<String> cache = REDIS.cache(RedisExtension.longTimeouts().loadTimeout(Duration.ofSeconds(60)));

        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        String value = cache.get("key", key -> {
            interrupted.complete(Thread.currentThread().isInterrupted());
            return load(key);
        });

        assertThat(value).isEqualTo("key#1");
        assertThat(interrupted.join()).isFalse();
        assertThat(cache.stats().loadTimeouts()).isZero();
    }
}
