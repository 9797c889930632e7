// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Many concurrent callers of one key share one load. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SingleFlightTest {

    private static final int ROUNDS = Integer.getInteger("millrace.singleFlightRounds", 20);
    private static final int CALLERS = 1_000;

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final AtomicInteger loads = new AtomicInteger();

    private String load(String key) {
        return key + "#" + loads.incrementAndGet();
    }

    @Test
    void thousandCallersOfAnExpiredKeyShareOneLoad() throws Exception {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(RedisExtension.longTimeouts());
        assertThat(cache.get("key", this::load)).isEqualTo("key#1");
        // Without this wait, the write could reach Redis after the first EXPIRE command and cancel the expiry.
        Eventually.is("the entry is written", 1L, () -> client.call(Keys.exist("texts:key")));

        for (int round = 1; round <= ROUNDS; round++) {
            String old = "key#" + round;
            String loaded = "key#" + (round + 1);
            boolean gone = round % 2 == 0;
            if (gone) {
                // Call remove of the cache in place of DEL. After a DEL, a caller could still join the last load and
                // get its value.
                cache.remove("key");
            } else {
                client.call(Keys.expire("texts:key", Duration.ofMillis(2)));
            }
            List<String> values = ConcurrentCallers.callAll(CALLERS, () -> cache.get("key", this::load));
            Eventually.is("the value is loaded again", loaded, () -> cache.get("key", this::load));

            // Without this wait, the next round could expire the key before the write.
            Eventually.is("the entry is written", 1L, () -> client.call(Keys.exist("texts:key")));

            assertThat(loads).as("round " + round).hasValue(round + 1);
            assertThat(values).isSubsetOf(gone ? List.of(loaded) : List.of(old, loaded));
        }
        CacheStats counts = cache.stats();
        System.out.println("SingleFlightTest: " + counts);
        assertThat(counts.loads()).isEqualTo(ROUNDS + 1);
        // Each of the other misses read Redis again, and found the value of a load that had already ended.
        assertThat(counts.misses()).isGreaterThanOrEqualTo(counts.waits() + counts.loads());
        assertThat(counts.errors()).isZero();
    }

    @Test
    void callerThatArrivesBetweenALoadAndItsWriteGetsTheLoadedValue() throws Exception {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(RedisExtension.longTimeouts().redisTimeout(Duration.ofSeconds(2)));

        REDIS.server().pause();
        List<String> values;
        try {
            values = ConcurrentCallers.callAll(100, () -> cache.get("key", this::load));
        } finally {
            REDIS.server().resume();
        }

        assertThat(values).containsOnly("key#1");
        Eventually.is("the entry is written", 1L, () -> client.call(Keys.exist("texts:key")));
    }

    @Test
    void loaderExceptionReachesEachCallerAndIsNotCached() throws Exception {
        Cache<String> cache = REDIS.cache(RedisExtension.longTimeouts());
        CountDownLatch mayFail = new CountDownLatch(1);
        IOException broken = new IOException("the service is down");
        Loader<String> failing = key -> {
            loads.incrementAndGet();
            mayFail.await();
            throw broken;
        };
        List<LoadFailedException> failures;
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<LoadFailedException>> callers = IntStream.range(0, 100)
                    .mapToObj(caller -> threads.submit(
                            () -> catchThrowableOfType(LoadFailedException.class, () -> cache.get("key", failing))))
                    .toList();
            Eventually.is("all callers wait", 99L, () -> cache.stats().waits());
            mayFail.countDown();
            failures = new ArrayList<>();
            for (Future<LoadFailedException> caller : callers) {
                failures.add(caller.get());
            }
        }

        assertThat(failures)
                .doesNotHaveDuplicates()
                .hasSize(100)
                .allSatisfy(failure -> assertThat(failure)
                        .hasCause(broken)
                        .hasMessageMatching(
                                "a load failed after \\d+ ms: cache=texts, exception=java.io.IOException. .*"));
        assertThat(loads).hasValue(1);
        assertThat(cache.stats().loadFailures()).isEqualTo(1);
        assertThat(cache.get("key", this::load)).isEqualTo("key#2");
    }

    @Test
    void failureIsCachedForItsTimeToLive() {
        Cache<String> cache = REDIS.cache(RedisExtension.longTimeouts().failureTimeToLive(Duration.ofMinutes(1)));
        RedisClient client = REDIS.client();
        Loader<String> failing = key -> {
            loads.incrementAndGet();
            throw new IOException("the service is down");
        };

        assertThatThrownBy(() -> cache.get("key", failing)).hasRootCauseInstanceOf(IOException.class);
        Eventually.is("the failure is cached", 1L, () -> client.call(Keys.exist("texts:key")));
        assertThatThrownBy(() -> cache.get("key", failing))
                .isInstanceOf(LoadFailedException.class)
                .hasNoCause()
                .hasMessageStartingWith("an earlier load failed and the failure is cached: cache=texts,"
                        + " exception=java.io.IOException.");
        assertThatThrownBy(() -> cache.getAll(List.of("key"), failing)).isInstanceOf(LoadFailedException.class);
        assertThat(loads).hasValue(1);
        cache.remove("key");

        assertThat(cache.get("key", this::load)).isEqualTo("key#2");
    }

    @Test
    void getStartsItsLoadOnlyAfterTheNegativeEntryOfFindIsWritten() throws Exception {
        int callers = 4 * Runtime.getRuntime().availableProcessors();
        Cache<String> cache = REDIS.cache(RedisExtension.longTimeouts());
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<Optional<String>> finding = CompletableFuture.supplyAsync(() -> cache.find("key", key -> {
            mayEnd.await();
            return Optional.empty();
        }));
        Queue<Thread> waiting = new ConcurrentLinkedQueue<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Eventually.is("the load has started", 1L, () -> cache.stats().misses());
            List<Future<String>> gets = IntStream.range(0, callers)
                    .mapToObj(caller -> threads.submit(() -> {
                        waiting.add(Thread.currentThread());
                        return cache.get("key", this::load);
                    }))
                    .toList();
            Eventually.is(
                    "all callers wait", (long) callers, () -> cache.stats().waits());

            REDIS.server().pause();
            long waits;
            try {
                mayEnd.countDown();
                assertThat(finding.get()).isEmpty();
                Eventually.is(
                        "all callers wait for the write",
                        (long) callers,
                        () -> waiting.stream()
                                .filter(SingleFlightTest::awaitsTheEndOfALoad)
                                .count());
                waits = cache.stats().waits();
            } finally {
                REDIS.server().resume();
            }

            for (Future<String> future : gets) {
                assertThat(future.get()).isEqualTo("key#1");
            }
            assertThat(waits).as("joins of the ended load").isEqualTo(callers);
        }
    }

    private static boolean awaitsTheEndOfALoad(Thread thread) {
        return Arrays.stream(thread.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("awaitGone"));
    }

    @Test
    void callerTimesOutAndTheLoadContinues() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(
                CacheOptions.builder().deadline(Duration.ofMillis(300)).redisTimeout(Duration.ofMillis(300)));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        Loader<String> slow = key -> {
            begun.countDown();
            mayEnd.await();
            return load(key);
        };
        Eventually.is("the loader runs", 0L, () -> {
            CompletableFuture<String> unused = cache.getAsync("key", slow);
            return begun.getCount();
        });
        long waits = cache.stats().waits();

        assertThatThrownBy(() -> cache.get("key", slow))
                .isInstanceOf(LoadTimedOutException.class)
                .hasMessageStartingWith("the caller got no value within 300 ms: cache=texts, awaited=load. ");
        assertThat(cache.stats().waits()).as("callers that joined the load").isGreaterThan(waits);
        mayEnd.countDown();

        Eventually.is("the loaded value is cached", 1L, () -> client.call(Keys.exist("texts:key")));
        assertThat(REDIS.cache(RedisExtension.longTimeouts()).get("key", this::load))
                .isEqualTo("key#1");
        assertThat(loads).hasValue(1);
    }

    @Test
    void concurrentLoadsAreLimited() throws Exception {
        Cache<String> cache = REDIS.cache(RedisExtension.longTimeouts().concurrentLoads(3));
        AtomicInteger running = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger next = new AtomicInteger();

        List<String> values = ConcurrentCallers.callAll(
                200,
                () -> cache.get("key" + next.incrementAndGet(), key -> {
                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                    LockSupport.parkNanos(1);
                    running.decrementAndGet();
                    return load(key);
                }));

        assertThat(values).doesNotHaveDuplicates().hasSize(200);
        assertThat(most.get()).isBetween(1, 3);
    }

    @Test
    void callerTimesOutIfItsLoadGetsNoPermit() {
        Cache<String> cache = REDIS.cache(CacheOptions.builder()
                .concurrentLoads(1)
                .deadline(Duration.ofMillis(300))
                .redisTimeout(Duration.ofMillis(300)));
        CountDownLatch mayEnd = new CountDownLatch(1);
        Loader<String> slow = key -> {
            mayEnd.await();
            return load(key);
        };

        assertThatThrownBy(() -> cache.get("one", slow)).isInstanceOf(LoadTimedOutException.class);
        assertThatThrownBy(() -> cache.get("two", slow)).isInstanceOf(LoadTimedOutException.class);
        assertThat(loads).hasValue(0);
        mayEnd.countDown();
        Eventually.holds("the first load has ended", cache::stats, now -> now.loads() >= 1);
        Eventually.holds("the second key is loaded", () -> answer(cache, "two"), value -> value.startsWith("two#"));
    }

    /** Returns the value, or the text of the exception. */
    private String answer(Cache<String> cache, String key) {
        try {
            return cache.get(key, this::load);
        } catch (LoadTimedOutException e) {
            return e.toString();
        }
    }

    @Test
    void interruptEndsTheWaitOfTheCallerButNotTheLoad() throws Exception {
        Cache<String> cache = REDIS.cache(RedisExtension.longTimeouts());
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread caller = Thread.startVirtualThread(() -> {
            Throwable failure = catchThrowable(() -> cache.get("key", key -> {
                begun.countDown();
                mayEnd.await();
                return load(key);
            }));
            thrown.complete(
                    Thread.currentThread().isInterrupted()
                            ? failure
                            : new AssertionError("the interrupt flag is cleared"));
        });

        begun.await();
        caller.interrupt();

        assertThat(thrown.get()).isInstanceOf(LoadInterruptedException.class);
        mayEnd.countDown();
        assertThat(cache.get("key", this::load)).isEqualTo("key#1");
    }

    @Test
    void closingTheCacheInterruptsLoadsAndWaitingCallersGetAnException() throws Exception {
        Cache<String> cache = REDIS.cache(RedisExtension.longTimeouts());
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        CompletableFuture<String> caller = CompletableFuture.supplyAsync(() -> cache.get("key", key -> {
            begun.countDown();
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException e) {
                interrupted.complete(true);
                throw e;
            }
            return "never";
        }));

        begun.await();
        cache.close();

        assertThat(interrupted.get()).isTrue();
        assertThatThrownBy(caller::join)
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the cache is closed: cache=texts. Close the cache after its last call.");
        assertThatIllegalStateException().isThrownBy(() -> cache.get("key", this::load));
    }

    @Test
    void loaderThatReturnsNullFails() {
        Cache<String> cache = REDIS.cache(RedisExtension.longTimeouts());

        assertThatThrownBy(() -> cache.get("key", key -> UncheckedNull.asString()))
                .isInstanceOf(LoadFailedException.class)
                .hasRootCauseMessage("the loader returned null. To cache the absence of a value, call find.");
    }

    /** A method without null annotations that returns null. */
    @NullUnmarked
    private static final class UncheckedNull {

        static String asString() {
            return null;
        }
    }
}
