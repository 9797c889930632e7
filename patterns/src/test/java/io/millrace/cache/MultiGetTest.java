// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Keys;
import io.millrace.client.RedisClient;
import io.millrace.client.Server;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class MultiGetTest {

    private static final List<String> KEYS =
            IntStream.range(0, 1_000).mapToObj(key -> "key" + key).toList();

    @RegisterExtension
    static final Redis REDIS = new Redis();

    /** Well below the time for which what is loaded waits for what is loaded with it. */
    private static final Duration WAITS = Duration.ofMillis(150);

    private final AtomicInteger loads = new AtomicInteger();

    private String load(String key) {
        loads.incrementAndGet();
        return "value of " + key;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void allAreAskedForAtOnceAndTheMissingWrittenBackAtOnce(boolean leased) {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(Redis.patient().lease(leased ? Duration.ofSeconds(10) : Duration.ZERO));
        KEYS.subList(0, 900).forEach(key -> cache.put(key, "value of " + key));
        int setsBefore = Redis.calls(client, "set");

        Map<String, String> values = cache.getAll(KEYS, this::load);

        assertThat(values.keySet()).containsExactlyElementsOf(KEYS);
        assertThat(values).allSatisfy((key, value) -> assertThat(value).isEqualTo("value of " + key));
        assertThat(loads).hasValue(100);
        assertThat(Redis.calls(client, "mget")).isEqualTo(1);
        // By their names: a lease is a key as well.
        String[] entries = KEYS.stream().map(key -> "texts:" + key).toArray(String[]::new);
        Eventually.is("all are written", 1_000L, () -> client.call(Keys.exist(entries)));
        assertThat(cache.getAll(KEYS, this::load)).isEqualTo(values);
        assertThat(loads).hasValue(100);
        assertThat(Redis.calls(client, "mget")).isEqualTo(2);
        assertThat(cache.counts().hits()).isEqualTo(1_900);
        assertThat(cache.counts().misses()).isEqualTo(100);
        if (!leased) {
            assertThat(Redis.calls(client, "set") - setsBefore).isEqualTo(100);
            assertThat(Redis.calls(client, "get"))
                    .as("none is asked for by itself")
                    .isZero();
        }
    }

    @Test
    void whatIsWrittenBackGoesOutTogether() {
        RedisClient direct = REDIS.client();
        List<String> few = KEYS.subList(0, 30);
        AtomicLong begun = new AtomicLong();
        AtomicLong writtenBeforeTheLast = new AtomicLong();
        Duration took = WAITS;

        // What is loaded waits for so long only: a round that took longer says nothing.
        for (int round = 0; took.compareTo(WAITS) >= 0; round++) {
            assertThat(round).as("rounds that took longer than %s", WAITS).isLessThan(20);
            direct.call(Server.flush());
            loads.set(0);
            AtomicLong ended = new AtomicLong();
            Cache<String> cache = REDIS.cache(Redis.patient().concurrentLoads(1));
            Map<String, String> values = cache.getAll(few, key -> {
                begun.compareAndSet(0, System.nanoTime());
                if (loads.get() == few.size() - 1) {
                    writtenBeforeTheLast.set(direct.call(Server.size()));
                    ended.set(System.nanoTime());
                }
                return load(key);
            });
            assertThat(values).hasSize(30);
            Eventually.is("all are written", 30L, () -> direct.call(Server.size()));
            took = Duration.ofNanos(ended.get() - begun.getAndSet(0));
        }

        assertThat(writtenBeforeTheLast).hasValue(0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsLoadedDoesNotWaitForASlowOneForLong(boolean leased) {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(Redis.patient().lease(leased ? Duration.ofSeconds(10) : Duration.ZERO));
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<Map<String, String>> both =
                CompletableFuture.supplyAsync(() -> cache.getAll(List.of("slow", "fast"), key -> {
                    if (key.equals("slow")) {
                        mayEnd.await();
                    }
                    return load(key);
                }));

        Eventually.is("the fast one is written", 1L, () -> client.call(Keys.exist("texts:fast")));
        assertThat(client.call(Keys.exist("texts~lease:{texts:fast}"))).isZero();
        mayEnd.countDown();

        assertThat(both.join()).containsOnlyKeys("slow", "fast");
        Eventually.is("the slow one is written", 1L, () -> client.call(Keys.exist("texts:slow")));
    }

    @Test
    void moreThanAThousandKeysAreSeveralMultiGetsInOnePipeline() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(Redis.patient());
        List<String> keys =
                IntStream.range(0, 2_500).mapToObj(key -> "key" + key).toList();

        assertThat(cache.getAll(keys, this::load)).hasSize(2_500);
        assertThat(Redis.calls(client, "mget")).isEqualTo(3);
    }

    @Test
    void aKeyThatIsNamedTwiceIsLoadedOnceAndNoKeysAreNoCommand() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(Redis.patient());

        assertThat(cache.getAll(List.of("a", "b", "a"), this::load)).containsOnlyKeys("a", "b");
        assertThat(cache.getAll(List.of(), this::load)).isEmpty();

        assertThat(loads).hasValue(2);
        assertThat(Redis.calls(client, "mget")).isEqualTo(1);
    }

    @Test
    void callersOfOneKeyAndOfManyShareItsLoad() throws Exception {
        Cache<String> cache = REDIS.cache(Redis.patient());
        AtomicInteger turn = new AtomicInteger();

        List<String> values = Crowd.ask(
                200,
                () -> turn.getAndIncrement() % 2 == 0
                        ? cache.get("key7", this::load)
                        : String.valueOf(
                                cache.getAll(KEYS.subList(0, 20), this::load).get("key7")));

        assertThat(values).containsOnly("value of key7");
        assertThat(loads).hasValue(20);
    }

    @Test
    void oneThatFailsFailsTheCallAndTheOthersAreKept() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(Redis.patient());

        assertThatThrownBy(() -> cache.getAll(KEYS.subList(0, 20), key -> {
                    if (key.equals("key7")) {
                        throw new IOException("the service is down");
                    }
                    return load(key);
                }))
                .isInstanceOf(LoadFailedException.class)
                .hasRootCauseInstanceOf(IOException.class);
        Eventually.is("the others are written", 19L, () -> client.call(Server.size()));
    }

    @Test
    void aFailureThatIsKeptIsNotWrittenOverALaterValue() throws Exception {
        Cache<String> cache = REDIS.cache(Redis.patient().failureTimeToLive(Duration.ofMinutes(1)));
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<Map<String, String>> both =
                CompletableFuture.supplyAsync(() -> cache.getAll(List.of("failing", "slow"), key -> {
                    if (key.equals("failing")) {
                        throw new IOException("the service is down");
                    }
                    mayEnd.await();
                    return load(key);
                }));
        Eventually.is("one has failed", 1L, () -> cache.counts().loadFailures());

        assertThatThrownBy(() -> cache.get("failing", this::load)).isInstanceOf(LoadFailedException.class);
        cache.put("failing", "put");
        mayEnd.countDown();

        assertThatThrownBy(both::join).hasRootCauseInstanceOf(IOException.class);
        Eventually.is("the slow one is written", "value of slow", () -> cache.get("slow", this::load));
        cache.close();
        assertThat(REDIS.cache(Redis.patient()).get("failing", this::load)).isEqualTo("put");
        assertThat(loads).hasValue(1);
    }

    @Test
    void whatIsNotLoadedByTheDeadlineIsWrittenLater() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(
                CacheOptions.builder().deadline(Duration.ofMillis(300)).redisTimeout(Duration.ofMillis(300)));
        CountDownLatch mayEnd = new CountDownLatch(1);

        Eventually.holds(
                "they are loaded",
                () -> {
                    assertThatThrownBy(() -> cache.getAll(KEYS.subList(0, 20), key -> {
                                if (key.equals("key7")) {
                                    mayEnd.await();
                                }
                                return load(key);
                            }))
                            .isInstanceOf(LoadTimedOutException.class);
                    return loads.get();
                },
                number -> number >= 19);
        Eventually.is("the others are written", 19L, () -> client.call(Server.size()));
        mayEnd.countDown();
        Eventually.is("it is written too", 1L, () -> client.call(Keys.exist("texts:key7")));
    }
}
