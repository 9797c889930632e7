// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Keys;
import io.millrace.client.exception.RedisException;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random programs of concurrent callers on a few keys. Each key has a version, which grows with each change. A loaded
 * value consists of the key and its version at that time, as in {@code 7#12}. The test fails if an answer belongs to
 * another key, or is older than a removal that ended before the read began.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class RandomOperationsTest {

    private static final int KEYS = 12;
    private static final int CALLERS = 8;
    private static final int STEPS = Integer.getInteger("millrace.cacheSteps", 400);

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final AtomicLongArray source = new AtomicLongArray(KEYS);

    private final ReentrantLock[] writers =
            IntStream.range(0, KEYS).mapToObj(key -> new ReentrantLock()).toArray(ReentrantLock[]::new);
    private final AtomicInteger outdated = new AtomicInteger();

    /** For each key, the minimum version that a read may return if the read begins now. */
    private final AtomicLongArray floor = new AtomicLongArray(KEYS);

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noValueIsServedUnderAnotherKey(boolean leased) throws Exception {
        Random random = random("leased=" + leased);
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(leased));

        run(() -> new Program(client, cache, new Random(random.nextLong()), true));

        assertThat(cache.stats().undecodable())
                .as("entries read under another key")
                .isPositive();
        assertAllCasesOccurred(cache.stats());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noValueIsServedAfterItsRemoval(boolean leased) throws Exception {
        Random random = random("leased=" + leased);
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(leased));

        run(() -> new Program(client, cache, new Random(random.nextLong()), false));

        assertThat(outdated).hasValue(0);
        assertAllCasesOccurred(cache.stats());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noValueIsServedByTheNearCacheAfterItsRemoval(boolean leased) throws Exception {
        Random random = random("near, leased=" + leased);
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.closeAfterTest(Cache.builder(client, "texts", Codec.text())
                .options(options(leased).build())
                .near(NearCacheOptions.entries(KEYS))
                .build());

        run(() -> new Program(client, cache, new Random(random.nextLong()), false));

        assertThat(outdated).hasValue(0);
        assertThat(cache.stats().nearHits()).isPositive();
    }

    @Test
    void valueOlderThanARemovalDoesNotStayInRedisIfLeasesAreEnabled() throws Exception {
        Random random = random("two caches");
        RedisClient client = REDIS.client();
        List<Cache<String>> caches = List.of(REDIS.cache(options(true)), REDIS.cache(options(true)));
        Cache<String> third = REDIS.cache(options(true));

        for (int round = 0; round < 3; round++) {
            run(() -> new Program(client, caches.get(random.nextInt(2)), new Random(random.nextLong()), false));
            for (int key = 0; key < KEYS; key++) {
                String lease = "texts~lease:{texts:" + key + "}";
                Eventually.is("no load is in progress", 0L, () -> client.call(Keys.exist(lease)));
                String value = third.get(Integer.toString(key), this::load);
                assertThat(version(key, value)).isGreaterThanOrEqualTo(floor.get(key));
            }
        }
    }

    private static Random random(String description) {
        long seed = System.nanoTime();
        System.out.println("RandomOperationsTest: " + description + ", seed=" + seed);
        return new Random(seed);
    }

    private static void assertAllCasesOccurred(CacheStats counts) {
        assertThat(counts.errors()).isZero();
        assertThat(counts.hits()).isPositive();
        assertThat(counts.loads()).isPositive();
        assertThat(counts.waits()).isPositive();
    }

    private static CacheOptions.Builder options(boolean leased) {
        return CacheOptions.builder()
                .deadline(Duration.ofSeconds(60))
                .redisTimeout(Duration.ofSeconds(20))
                .lease(leased ? Duration.ofSeconds(60) : Duration.ZERO);
    }

    private static void run(Supplier<Program> programs) throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> callers = new ArrayList<>();
            for (int caller = 0; caller < CALLERS; caller++) {
                callers.add(threads.submit(programs.get()));
            }
            for (Future<?> caller : callers) {
                caller.get();
            }
        }
    }

    private String load(String key) {
        String value = key + "#" + source.get(Integer.parseInt(key));
        LockSupport.parkNanos(1);
        return value;
    }

    private static long version(int key, String value) {
        assertThat(value).startsWith(key + "#");
        return Long.parseLong(value.substring(value.indexOf('#') + 1));
    }

    /**
     * Runs one caller. If {@code mixing} is true, the caller also renames entries. A rename may bring back an old
     * entry.
     */
    private final class Program implements Runnable {

        private final RedisClient client;
        private final Cache<String> cache;
        private final Random random;
        private final boolean mixing;

        Program(RedisClient client, Cache<String> cache, Random random, boolean mixing) {
            this.client = client;
            this.cache = cache;
            this.random = random;
            this.mixing = mixing;
        }

        @Override
        public void run() {
            for (int step = 0; step < STEPS; step++) {
                int index = random.nextInt(KEYS);
                switch (random.nextInt(20)) {
                    case 0, 1 -> remove(index);
                    case 2 -> client.call(Keys.delete("texts:" + index));
                    case 3 -> client.call(Keys.expire("texts:" + index, Duration.ofMillis(1)));
                    case 4 -> mix(index, random.nextInt(KEYS));
                    case 5, 6 -> getAll();
                    case 7 -> check(index, floor.get(index), find(index));
                    default ->
                        check(
                                index,
                                floor.get(index),
                                cache.get(Integer.toString(index), RandomOperationsTest.this::load));
                }
            }
        }

        private void remove(int index) {
            writers[index].lock(); // the order of two concurrent puts is undefined
            try {
                long version = source.incrementAndGet(index);
                if (random.nextInt(4) == 0) {
                    cache.put(Integer.toString(index), index + "#" + version);
                } else {
                    cache.remove(Integer.toString(index));
                }
                floor.set(index, version);
            } finally {
                writers[index].unlock();
            }
        }

        private void mix(int from, int to) {
            if (!mixing) {
                return;
            }
            try {
                client.call(Command.of("RENAME", "texts:" + from, "texts:" + to));
            } catch (RedisException e) {
                assertThat(e).hasMessageContaining("no such key");
            }
        }

        private String find(int index) {
            return cache.find(Integer.toString(index), key -> Optional.of(load(key)))
                    .orElseThrow();
        }

        private void getAll() {
            long[] floors = IntStream.range(0, KEYS).mapToLong(floor::get).toArray();
            List<String> keys =
                    random.ints(4, 0, KEYS).mapToObj(Integer::toString).toList();
            Map<String, String> values = cache.getAll(keys, RandomOperationsTest.this::load);
            values.forEach((key, value) -> check(Integer.parseInt(key), floors[Integer.parseInt(key)], value));
        }

        private void check(int index, long floorBefore, String value) {
            long version = version(index, value);
            if (version < floorBefore) {
                outdated.incrementAndGet();
            }
        }
    }
}
