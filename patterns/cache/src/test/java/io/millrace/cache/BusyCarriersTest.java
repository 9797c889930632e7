// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Loaders that compute without blocking, and so occupy all carrier threads. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class BusyCarriersTest {

    /** The Redis timeout is a third of the lease, which is longer than a command takes on a busy machine. */
    private static final Duration LEASE = Duration.ofMillis(2_400);

    /** Twice the number of carriers, so that some loads wait for a carrier after their claims. */
    private static final int LOADS = 2 * Runtime.getRuntime().availableProcessors();

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static String compute(String key) {
        long end = System.nanoTime() + 2 * LEASE.toNanos();
        while (System.nanoTime() - end < 0) {
            Thread.onSpinWait();
        }
        return "value of " + key;
    }

    @Test
    void circuitClosesWhileLoadersOccupyAllCarriers() throws Exception {
        FaultProxy proxy = REDIS.proxy();
        CacheOptions options = CacheOptions.builder()
                .redisTimeout(Duration.ofMillis(500))
                .deadline(Duration.ofSeconds(90))
                .loadTimeout(Duration.ofMinutes(5))
                .build();
        Cache<String> cache =
                REDIS.closeAfterTest(Cache.of(REDIS.client(proxy.port()), "texts", Codec.text(), options));
        AtomicInteger running = new AtomicInteger();
        AtomicBoolean mayEnd = new AtomicBoolean();
        Loader<String> busy = key -> {
            running.incrementAndGet();
            while (!mayEnd.get()) {
                Thread.onSpinWait();
            }
            return key;
        };
        proxy.stall(Direction.TO_SERVER);
        Eventually.is("the circuit is open", true, () -> isBypassed(cache));

        List<Future<String>> futures = new ArrayList<>();
        try (ExecutorService callers = Executors.newCachedThreadPool()) {
            try {
                IntStream.range(0, LOADS)
                        .forEach(key -> futures.add(callers.submit(() -> cache.get("key" + key, busy))));
                Eventually.holds("all carriers are busy", running::get, count -> count >= LOADS / 2);
                proxy.resume(Direction.TO_SERVER);

                Eventually.is("the circuit is closed", false, () -> isBypassed(cache));
            } finally {
                mayEnd.set(true);
            }
            for (Future<String> future : futures) {
                assertThat(future.get()).startsWith("key");
            }
        }
    }

    /** Whether a lookup skips Redis. */
    private static boolean isBypassed(Cache<String> cache) {
        long before = cache.stats().bypasses();
        Optional<String> unused = cache.getIfPresent("absent");
        return cache.stats().bypasses() > before;
    }

    @Test
    void loadsThatComputeForLongerThanTheirLeaseAreCached() throws Exception {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(RedisExtension.leased(LEASE));
        List<String> keys =
                IntStream.range(0, LOADS).mapToObj(key -> "key" + key).toList();

        List<String> values = new ArrayList<>();
        try (ExecutorService callers = Executors.newCachedThreadPool()) {
            List<Future<String>> futures = keys.stream()
                    .map(key -> callers.submit(() -> cache.get(key, BusyCarriersTest::compute)))
                    .toList();
            for (Future<String> future : futures) {
                values.add(future.get());
            }
        }

        assertThat(values)
                .containsExactlyElementsOf(
                        keys.stream().map(key -> "value of " + key).toList());
        String[] entries = keys.stream().map(key -> "texts:" + key).toArray(String[]::new);
        Eventually.is("all entries are written", (long) LOADS, () -> client.call(Keys.exist(entries)));
        assertThat(cache.stats().refusedWrites()).isZero();
        assertThat(cache.stats().loads()).isEqualTo(LOADS);
    }
}
