// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Keys;
import io.millrace.client.RedisClient;
import io.millrace.client.Strings;
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

/** Which loads have a lease, and which have room among the concurrent ones. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class LoadRoomTest {

    private static final List<String> KEYS =
            IntStream.range(0, 100).mapToObj(key -> "key" + key).toList();

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    static final Redis REDIS = new Redis();

    /** Keys that are loaded slowly. */
    private final Set<String> slowly = ConcurrentHashMap.newKeySet();

    private final CountDownLatch mayEnd = new CountDownLatch(1);

    private static CacheOptions.Builder leased() {
        return Redis.patient().lease(LoadingProcess.LONG_LEASE);
    }

    private String slow(String key) throws InterruptedException {
        slowly.add(key);
        mayEnd.await();
        return "slow " + key;
    }

    @Test
    void whoHasNoRoomYetKeepsNoKeyFromOtherProcesses() {
        Cache<String> narrow = REDIS.cache(leased().concurrentLoads(2));
        Cache<String> wide = REDIS.cache(leased());
        CompletableFuture<Map<String, String>> all =
                CompletableFuture.supplyAsync(() -> narrow.getAll(KEYS, this::slow));
        Eventually.is("two have room", 2, slowly::size);
        Eventually.is("all are asked for", 100L, () -> narrow.counts().misses());

        CompletableFuture<Map<String, String>> others =
                CompletableFuture.supplyAsync(() -> wide.getAll(KEYS, key -> key));
        Eventually.is("another process loads the rest", 98L, () -> wide.counts().loads());
        mayEnd.countDown();

        Map<String, String> expected =
                KEYS.stream().collect(Collectors.toMap(key -> key, key -> slowly.contains(key) ? "slow " + key : key));
        assertThat(all.join()).isEqualTo(others.join()).isEqualTo(expected);
        assertThat(slowly).as("loaded by the first").hasSize(2);
    }

    @Test
    void whoWaitsForAnotherProcessTakesNoRoomAndNeedsNone() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(leased().concurrentLoads(1));
        client.call(Strings.set("texts~lease:{texts:waiting}", "another's"));
        CompletableFuture<String> waiting = CompletableFuture.supplyAsync(() -> cache.get("waiting", key -> "mine"));
        // The second look of a load that waits: the first is its claim.
        Eventually.holds("it waits", () -> Redis.calls(client, "pttl"), looks -> looks >= 2);

        assertThat(cache.get("other", key -> "loaded")).isEqualTo("loaded");
        CompletableFuture<String> slow = CompletableFuture.supplyAsync(() -> cache.get("slow", this::slow));
        Eventually.is("the room is taken", 1, slowly::size);
        REDIS.cache(leased()).put("waiting", "another's");

        assertThat(waiting.join()).isEqualTo("another's");
        mayEnd.countDown();
        assertThat(slow.join()).isEqualTo("slow slow");
    }

    @Test
    void whoWaitsForRoomIsAnsweredByWhatAnotherProcessBrings() {
        Cache<String> cache = REDIS.cache(leased().concurrentLoads(1));
        CompletableFuture<String> slow = CompletableFuture.supplyAsync(() -> cache.get("slow", this::slow));
        Eventually.is("the room is taken", 1, slowly::size);
        CompletableFuture<String> waiting = CompletableFuture.supplyAsync(() -> cache.get("waiting", key -> "mine"));
        Eventually.is("it is asked for", 2L, () -> cache.counts().misses());

        REDIS.cache(leased()).put("waiting", "another's");

        assertThat(waiting).succeedsWithin(PATIENCE).isEqualTo("another's");
        assertThat(slow).isNotDone();
        mayEnd.countDown();
        assertThat(slow.join()).isEqualTo("slow slow");
        assertThat(cache.counts().loads()).isEqualTo(1);
    }

    @Test
    void whoWaitsForRoomAfterAnotherProcessHasDiedGoesOnLooking() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(leased().concurrentLoads(1));
        client.call(Strings.set("texts~lease:{texts:waiting}", "another's"));
        CompletableFuture<String> waiting = CompletableFuture.supplyAsync(() -> cache.get("waiting", key -> "mine"));
        Eventually.holds("it waits", () -> Redis.calls(client, "pttl"), looks -> looks >= 2);
        CompletableFuture<String> slow = CompletableFuture.supplyAsync(() -> cache.get("slow", this::slow));
        Eventually.is("the room is taken", 1, slowly::size);

        client.call(Keys.delete("texts~lease:{texts:waiting}"));
        int before = Redis.calls(client, "pttl");
        // The first may have been on its way, the second finds that nobody has the lease.
        Eventually.holds("it looks on", () -> Redis.calls(client, "pttl"), looks -> looks >= before + 3);
        REDIS.cache(leased()).put("waiting", "another's");

        assertThat(waiting).succeedsWithin(PATIENCE).isEqualTo("another's");
        assertThat(slow).isNotDone();
        mayEnd.countDown();
        assertThat(slow.join()).isEqualTo("slow slow");
    }
}
