// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Strings;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Loads with leases while few load permits are available. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class LeaseAndPermitTest {

    private static final List<String> KEYS =
            IntStream.range(0, 100).mapToObj(key -> "key" + key).toList();

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    /** Keys with a slow load in progress. */
    private final Set<String> slowKeys = ConcurrentHashMap.newKeySet();

    private final CountDownLatch mayEnd = new CountDownLatch(1);

    private static CacheOptions.Builder leased() {
        return RedisExtension.leased(CacheProcess.LONG_LEASE);
    }

    private String slow(String key) throws InterruptedException {
        slowKeys.add(key);
        mayEnd.await();
        return "slow " + key;
    }

    @Test
    void loadThatHasNoPermitTakesNoLease() {
        Cache<String> narrow = REDIS.cache(leased().concurrentLoads(2));
        Cache<String> wide = REDIS.cache(leased());
        CompletableFuture<Map<String, String>> all =
                CompletableFuture.supplyAsync(() -> narrow.getAll(KEYS, this::slow));
        Eventually.is("two loads run", 2, slowKeys::size);
        Eventually.is("all keys are misses", 100L, () -> narrow.stats().misses());

        CompletableFuture<Map<String, String>> others =
                CompletableFuture.supplyAsync(() -> wide.getAll(KEYS, key -> key));
        Eventually.is(
                "the other process loads the other keys",
                98L,
                () -> wide.stats().loads());
        mayEnd.countDown();

        Map<String, String> expected = KEYS.stream()
                .collect(Collectors.toMap(key -> key, key -> slowKeys.contains(key) ? "slow " + key : key));
        assertThat(all.join()).isEqualTo(others.join()).isEqualTo(expected);
        assertThat(slowKeys).as("keys that the first cache loads").hasSize(2);
    }

    @Test
    void loadThatWaitsForAnotherProcessHoldsNoPermit() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(leased().concurrentLoads(1));
        client.call(Strings.set("texts~lease:{texts:waiting}", "other"));
        CompletableFuture<String> waiting = CompletableFuture.supplyAsync(() -> cache.get("waiting", key -> "mine"));
        // The claim sends one PTTL. Each later read of the lease sends one more PTTL.
        Eventually.holds("the load waits", () -> RedisExtension.calls(client, "pttl"), looks -> looks >= 2);

        assertThat(cache.get("other", key -> "loaded")).isEqualTo("loaded");
        CompletableFuture<String> slow = CompletableFuture.supplyAsync(() -> cache.get("slow", this::slow));
        Eventually.is("the permit is taken", 1, slowKeys::size);
        REDIS.cache(leased()).put("waiting", "other");

        assertThat(waiting.join()).isEqualTo("other");
        mayEnd.countDown();
        assertThat(slow.join()).isEqualTo("slow slow");
    }

    @Test
    void manyLoadsThatWaitForLeasesReadRedisRarely() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(leased());
        List<String> keys =
                IntStream.range(0, 1_000).mapToObj(key -> "key" + key).toList();
        String[] leases =
                keys.stream().map(key -> "texts~lease:{texts:" + key + "}").toArray(String[]::new);
        for (String lease : leases) {
            client.call(Strings.set(lease, "other"));
        }

        CompletableFuture<Map<String, String>> all =
                CompletableFuture.supplyAsync(() -> cache.getAll(keys, key -> key));
        // Each claim sends one PTTL, and each later read one more.
        Eventually.holds("all loads wait", () -> RedisExtension.calls(client, "pttl"), looks -> looks >= 4_000);
        long began = System.nanoTime();
        int before = RedisExtension.calls(client, "pttl");
        Eventually.holds(
                "the loads read Redis", () -> RedisExtension.calls(client, "pttl"), looks -> looks >= before + 10_000);
        int reads = RedisExtension.calls(client, "pttl") - before;
        double seconds = (System.nanoTime() - began) / 1e9;
        client.call(Keys.delete(leases));

        assertThat(all.join()).hasSize(1_000);
        // The pause of each load is at least 100 ms: half of 1,000 times 200 microseconds.
        assertThat((double) reads).isLessThanOrEqualTo(1_000 * (10 * seconds + 1));
    }

    @Test
    void refusedWritesOfAMultiGetAreCounted() {
        Cache<String> cache = REDIS.cache(leased());
        List<String> keys = List.of("one", "two");
        CompletableFuture<Map<String, String>> all =
                CompletableFuture.supplyAsync(() -> cache.getAll(keys, this::slow));
        Eventually.is("both loads run", 2, slowKeys::size);

        REDIS.cache(leased()).removeAll(keys);
        mayEnd.countDown();

        assertThat(all.join()).containsOnlyKeys(keys);
        Eventually.is("the refused writes are counted", 2L, () -> cache.stats().refusedWrites());
    }

    @Test
    void loadThatWaitsForAPermitGetsTheValueOfAnotherProcess() {
        Cache<String> cache = REDIS.cache(leased().concurrentLoads(1));
        CompletableFuture<String> slow = CompletableFuture.supplyAsync(() -> cache.get("slow", this::slow));
        Eventually.is("the permit is taken", 1, slowKeys::size);
        CompletableFuture<String> waiting = CompletableFuture.supplyAsync(() -> cache.get("waiting", key -> "mine"));
        Eventually.is("the key is a miss", 2L, () -> cache.stats().misses());

        REDIS.cache(leased()).put("waiting", "other");

        assertThat(waiting).succeedsWithin(TIMEOUT).isEqualTo("other");
        assertThat(slow).isNotDone();
        mayEnd.countDown();
        assertThat(slow.join()).isEqualTo("slow slow");
        assertThat(cache.stats().loads()).isEqualTo(1);
    }

    @Test
    void loadThatWaitsForAPermitStillReadsRedisAfterTheLeaseEnds() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(leased().concurrentLoads(1));
        client.call(Strings.set("texts~lease:{texts:waiting}", "other"));
        CompletableFuture<String> waiting = CompletableFuture.supplyAsync(() -> cache.get("waiting", key -> "mine"));
        Eventually.holds("the load waits", () -> RedisExtension.calls(client, "pttl"), looks -> looks >= 2);
        CompletableFuture<String> slow = CompletableFuture.supplyAsync(() -> cache.get("slow", this::slow));
        Eventually.is("the permit is taken", 1, slowKeys::size);

        client.call(Keys.delete("texts~lease:{texts:waiting}"));
        int before = RedisExtension.calls(client, "pttl");
        // One read of the lease may be in flight already; a later read finds that the lease is free.
        Eventually.holds(
                "the load reads Redis again", () -> RedisExtension.calls(client, "pttl"), looks -> looks >= before + 3);
        REDIS.cache(leased()).put("waiting", "other");

        assertThat(waiting).succeedsWithin(TIMEOUT).isEqualTo("other");
        assertThat(slow).isNotDone();
        mayEnd.countDown();
        assertThat(slow.join()).isEqualTo("slow slow");
    }
}
