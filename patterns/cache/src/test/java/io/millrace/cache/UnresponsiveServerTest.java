// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Reads and writes of many keys while the server does not answer. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class UnresponsiveServerTest {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final EntryFormat<String> format = new HeaderFormat<>("texts", Codec.text());

    private EntryStore<String> store(RedisClient client, Duration timeout, StatsCounter statsCounter) {
        RedisCircuit circuit = new RedisCircuit("texts", System::nanoTime);
        return new EntryStore<>(client, "texts", format, timeout, statsCounter, circuit);
    }

    @Test
    void readOfManyKeysStopsAfterTheFirstTimeout() {
        StatsCounter statsCounter = new StatsCounter();
        EntryStore<String> entryStore = store(REDIS.client(), Duration.ofMillis(300), statsCounter);
        List<String> keys =
                IntStream.range(0, 400_000).mapToObj(key -> "key" + key).toList();

        List<Entry<String>> entries;
        REDIS.server().pause();
        try {
            entries = entryStore.readAll(keys, () -> Duration.ofSeconds(60).toNanos());
        } finally {
            REDIS.server().resume();
        }

        assertThat(entries).hasSize(keys.size()).containsOnly(Entry.unreachable());
        assertThat(statsCounter.errors.sum()).isEqualTo(1);
    }

    @Test
    void readAfterTheDeadlineSendsNoCommand() {
        RedisClient client = REDIS.client();
        EntryStore<String> entryStore = store(client, Duration.ofSeconds(1), new StatsCounter());

        assertThat(entryStore.readAll(List.of("key"), () -> 0)).containsOnly(Entry.unreachable());
        assertThat(RedisExtension.calls(client, "mget")).isZero();
    }

    @Test
    void multiGetStartsNoLoadIfItsDeadlinePassesDuringTheRead() {
        Cache<String> cache = REDIS.cache(
                CacheOptions.builder().deadline(Duration.ofMillis(200)).redisTimeout(Duration.ofMillis(200)));

        REDIS.server().pause();
        try {
            assertThatThrownBy(() -> cache.getAll(List.of("one", "two"), key -> key))
                    .isInstanceOf(LoadTimedOutException.class)
                    .hasMessageStartingWith("the caller got no value within 200 ms: cache=texts, awaited=Redis.");
        } finally {
            REDIS.server().resume();
        }
        assertThat(cache.stats().loads()).isZero();
    }

    @Test
    void multiGetOpensTheCircuitAlsoIfItsDeadlineIsTheRedisTimeout() {
        FaultProxy proxy = REDIS.proxy();
        CacheOptions options = CacheOptions.builder()
                .deadline(Duration.ofMillis(500))
                .redisTimeout(Duration.ofMillis(500))
                .build();
        Cache<String> cache =
                REDIS.closeAfterTest(Cache.of(REDIS.client(proxy.port()), "texts", Codec.text(), options));

        proxy.stall(Direction.TO_SERVER);

        Eventually.is(
                "the loader answers",
                Map.of("key", "loaded key"),
                () -> cache.getEach(List.of("key"), key -> "loaded " + key).values());
        proxy.resume(Direction.TO_SERVER);
    }

    @Test
    void bulkLoadStopsClaimingAfterTheFirstUnansweredClaimAndBlocksNoPermit() {
        FaultProxy proxy = REDIS.proxy();
        RedisClient client = REDIS.client(proxy.port());
        CacheOptions options = CacheOptions.builder()
                .lease(Duration.ofMinutes(5))
                .redisTimeout(Duration.ofMillis(300))
                .deadline(Duration.ofSeconds(90))
                .concurrentLoads(1)
                .build();
        Cache<String> cache = REDIS.closeAfterTest(Cache.of(client, "texts", Codec.text(), options));
        List<String> keys =
                IntStream.range(0, 5_000).mapToObj(key -> "key" + key).toList();
        BulkLoader<String> failing = (all, failures) -> {
            throw new IllegalStateException("the database is down");
        };
        long before = client.stats().counts().submitted();

        proxy.stall(Direction.TO_SERVER);
        LookupResults<String> results = cache.getEach(keys, failing);

        assertThat(results.failures())
                .hasSize(5_000)
                .allSatisfy((key, failure) -> assertThat(failure).isInstanceOf(LoadFailedException.class));
        // Five reads, the three commands of each of the first 1,000 claims, and the deletions of these leases.
        assertThat(client.stats().counts().submitted() - before).isLessThan(10_000);
        assertThat(cache.get("other", key -> "loaded")).isEqualTo("loaded");
        proxy.resume(Direction.TO_SERVER);
    }

    @Test
    void loadWhoseWriteHasNotBegunCanBeDiscarded() throws Exception {
        RedisClient direct = REDIS.client();
        FaultProxy proxy = REDIS.proxy();
        RedisClient stalling = REDIS.client(proxy.port());
        EntryStore<String> entryStore = store(stalling, Duration.ofSeconds(10), new StatsCounter());
        InFlightLoads<String> inFlightLoads = new InFlightLoads<>();
        EncodedEntry encodedEntry = new EncodedEntry(new byte[] {1}, 60_000);
        List<LoadedEntry<String>> all = IntStream.range(0, 3_000)
                .mapToObj(
                        key -> inFlightLoads.join(new LookupRequest<>("key" + key, name -> Optional.of(name), true), 0))
                .map(joined -> new LoadedEntry<>(joined.load(), encodedEntry))
                .toList();

        proxy.stall(Direction.TO_SERVER);
        Thread writing =
                Thread.startVirtualThread(() -> new LoadedEntryWriter<>(inFlightLoads, entryStore, null).write(all));
        Eventually.holds(
                "the first entries are being written",
                () -> stalling.stats().counts().pending(),
                pending -> pending >= 1_000);
        Eventually.holds(
                "the writer waits for the replies", writing::getState, state -> state != Thread.State.RUNNABLE);
        boolean first = all.getFirst().load().tryDiscard();
        boolean last = all.getLast().load().tryDiscard();
        proxy.resume(Direction.TO_SERVER);
        writing.join();

        assertThat(first).as("the first load was discarded").isFalse();
        assertThat(last).as("the last load was discarded").isTrue();
        assertThat(direct.call(Keys.exist("texts:key0", "texts:key2998"))).isEqualTo(2);
        assertThat(direct.call(Keys.exist("texts:key2999"))).isZero();
        assertThat(inFlightLoads.isInFlight("key2998")).isFalse();
    }
}
