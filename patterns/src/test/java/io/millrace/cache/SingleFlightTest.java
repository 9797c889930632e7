// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.Keys;
import io.millrace.client.RedisClient;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
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

/** Many callers of one key, and one load. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SingleFlightTest {

    private static final int ROUNDS = 200;
    private static final int CALLERS = 1_000;

    @RegisterExtension
    static final Redis REDIS = new Redis();

    private final AtomicInteger loads = new AtomicInteger();

    private String load(String key) {
        return key + "#" + loads.incrementAndGet();
    }

    @Test
    void thousandCallersAtTheMomentOfExpiryAreOneLoad() throws Exception {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(Redis.patient());
        assertThat(cache.get("key", this::load)).isEqualTo("key#1");
        // Or else it may be written after the first round has told it to expire, and does not.
        Eventually.is("it is written", 1L, () -> client.call(Keys.exist("texts:key")));

        for (int round = 1; round <= ROUNDS; round++) {
            String old = "key#" + round;
            String fresh = "key#" + (round + 1);
            boolean gone = round % 2 == 0;
            if (gone) {
                // Not deleted past the cache: who comes before the last load is quite gone would be answered by it.
                cache.remove("key");
            } else {
                client.call(Keys.expire("texts:key", Duration.ofMillis(2)));
            }
            List<String> values = Crowd.ask(CALLERS, () -> cache.get("key", this::load));
            Eventually.is("the value is loaded again", fresh, () -> cache.get("key", this::load));

            // Or else the next round would end what is written a moment later.
            Eventually.is("it is written", 1L, () -> client.call(Keys.exist("texts:key")));

            assertThat(loads).as("round " + round).hasValue(round + 1);
            assertThat(values).isSubsetOf(gone ? List.of(fresh) : List.of(old, fresh));
        }
        CacheCounts counts = cache.counts();
        System.out.println("SingleFlightTest: " + counts);
        assertThat(counts.loads()).isEqualTo(ROUNDS + 1);
        // The rest found, when they looked once more, that a load had come and gone.
        assertThat(counts.misses()).isGreaterThanOrEqualTo(counts.waits() + counts.loads());
        assertThat(counts.errors()).isZero();
    }

    @Test
    void whoComesBetweenALoadAndItsWritingGetsItsValue() throws Exception {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(Redis.patient().redisTimeout(Duration.ofSeconds(2)));

        REDIS.server().pause();
        List<String> values;
        try {
            values = Crowd.ask(100, () -> cache.get("key", this::load));
        } finally {
            REDIS.server().resume();
        }

        assertThat(values).containsOnly("key#1");
        Eventually.is("the entry is there", 1L, () -> client.call(Keys.exist("texts:key")));
    }

    @Test
    void aLoadersExceptionReachesEachCallerOnceAndIsNotKept() throws Exception {
        Cache<String> cache = REDIS.cache(Redis.patient());
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
            Eventually.is("all wait", 99L, () -> cache.counts().waits());
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
        assertThat(cache.counts().loadFailures()).isEqualTo(1);
        assertThat(cache.get("key", this::load)).isEqualTo("key#2");
    }

    @Test
    void aFailureIsKeptForItsTimeIfThatIsWanted() {
        Cache<String> cache = REDIS.cache(Redis.patient().failureTimeToLive(Duration.ofMinutes(1)));
        RedisClient client = REDIS.client();
        Loader<String> failing = key -> {
            loads.incrementAndGet();
            throw new IOException("the service is down");
        };

        assertThatThrownBy(() -> cache.get("key", failing)).hasRootCauseInstanceOf(IOException.class);
        Eventually.is("the failure is kept", 1L, () -> client.call(Keys.exist("texts:key")));
        assertThatThrownBy(() -> cache.get("key", failing))
                .isInstanceOf(LoadFailedException.class)
                .hasNoCause()
                .hasMessageStartingWith(
                        "a load failed before, and that is kept: cache=texts, exception=java.io.IOException.");
        assertThatThrownBy(() -> cache.getAll(List.of("key"), failing)).isInstanceOf(LoadFailedException.class);
        assertThat(loads).hasValue(1);
        cache.remove("key");

        assertThat(cache.get("key", this::load)).isEqualTo("key#2");
    }

    @Test
    void whoMustHaveAValueWaitsUntilALoadThatFoundNoneIsWritten() throws Exception {
        int callers = 4 * Runtime.getRuntime().availableProcessors();
        Cache<String> cache = REDIS.cache(Redis.patient());
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<Optional<String>> finding = CompletableFuture.supplyAsync(() -> cache.find("key", key -> {
            mayEnd.await();
            return Optional.empty();
        }));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Eventually.is("it is searched for", 1L, () -> cache.counts().misses());
            List<Future<String>> gets = IntStream.range(0, callers)
                    .mapToObj(caller -> threads.submit(() -> cache.get("key", this::load)))
                    .toList();
            Eventually.is("all wait", (long) callers, () -> cache.counts().waits());

            REDIS.server().pause();
            long waits;
            try {
                mayEnd.countDown();
                assertThat(finding.get()).isEmpty();
                LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
                waits = cache.counts().waits();
            } finally {
                REDIS.server().resume();
            }

            for (Future<String> one : gets) {
                assertThat(one.get()).isEqualTo("key#1");
            }
            assertThat(waits).as("nobody joins the same load again and again").isEqualTo(callers);
        }
    }

    @Test
    void eachCallerHasADeadlineOfItsOwnAndTheLoadGoesOn() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(
                CacheOptions.builder().deadline(Duration.ofMillis(300)).redisTimeout(Duration.ofMillis(300)));
        CountDownLatch mayEnd = new CountDownLatch(1);
        Loader<String> slow = key -> {
            mayEnd.await();
            return load(key);
        };

        assertThatThrownBy(() -> cache.get("key", slow))
                .isInstanceOf(LoadTimedOutException.class)
                .hasMessageStartingWith("no value after 300 ms: cache=texts, awaited=load. ");
        assertThatThrownBy(() -> cache.get("key", slow)).isInstanceOf(LoadTimedOutException.class);
        assertThat(cache.counts().waits())
                .as("the second waits for the same load")
                .isEqualTo(1);
        mayEnd.countDown();

        Eventually.is("what it brings is kept", 1L, () -> client.call(Keys.exist("texts:key")));
        assertThat(REDIS.cache(Redis.patient()).get("key", this::load)).isEqualTo("key#1");
        assertThat(loads).hasValue(1);
    }

    @Test
    void onlySoManyLoadsAreUnderWayAndOthersWaitForRoom() throws Exception {
        Cache<String> cache = REDIS.cache(Redis.patient().concurrentLoads(3));
        AtomicInteger underWay = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger next = new AtomicInteger();

        List<String> values = Crowd.ask(
                200,
                () -> cache.get("key" + next.incrementAndGet(), key -> {
                    most.accumulateAndGet(underWay.incrementAndGet(), Math::max);
                    LockSupport.parkNanos(1);
                    underWay.decrementAndGet();
                    return load(key);
                }));

        assertThat(values).doesNotHaveDuplicates().hasSize(200);
        assertThat(most.get()).isBetween(1, 3);
    }

    @Test
    void whoFindsNoRoomInTimeIsToldSo() {
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
        Eventually.holds("there is room", cache::counts, now -> now.loads() >= 1);
        Eventually.holds("the second is loaded", () -> answer(cache, "two"), value -> value.startsWith("two#"));
    }

    /** A value, or why there is none. */
    private String answer(Cache<String> cache, String key) {
        try {
            return cache.get(key, this::load);
        } catch (LoadTimedOutException e) {
            return e.toString();
        }
    }

    @Test
    void anInterruptEndsTheWaitAndNotTheLoad() throws Exception {
        Cache<String> cache = REDIS.cache(Redis.patient());
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<Throwable> thrown = new CompletableFuture<>();
        Thread caller = Thread.startVirtualThread(() -> {
            Throwable why = catchThrowable(() -> cache.get("key", key -> {
                begun.countDown();
                mayEnd.await();
                return load(key);
            }));
            thrown.complete(Thread.currentThread().isInterrupted() ? why : new AssertionError("flag is gone"));
        });

        begun.await();
        caller.interrupt();

        assertThat(thrown.get()).isInstanceOf(LoadInterruptedException.class);
        mayEnd.countDown();
        assertThat(cache.get("key", this::load)).isEqualTo("key#1");
    }

    @Test
    void closingInterruptsLoadsAndTellsThoseThatWait() throws Exception {
        Cache<String> cache = REDIS.cache(Redis.patient());
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
                .hasMessageContaining("the cache is closed: cache=texts");
        assertThatIllegalStateException().isThrownBy(() -> cache.get("key", this::load));
    }

    @Test
    void aLoaderThatGivesNullHasFailed() {
        Cache<String> cache = REDIS.cache(Redis.patient());

        assertThatThrownBy(() -> cache.get("key", key -> Nothing.asString()))
                .isInstanceOf(LoadFailedException.class)
                .hasRootCauseMessage("a loader gave null; a Finder may say that there is no value");
    }

    /** What code that knows nothing of null annotations gives. */
    @NullUnmarked
    private static final class Nothing {

        static String asString() {
            return null;
        }
    }
}
