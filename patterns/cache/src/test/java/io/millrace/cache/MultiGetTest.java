// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
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
    static final RedisExtension REDIS = new RedisExtension();

    private final AtomicInteger loads = new AtomicInteger();

    private String load(String key) {
        loads.incrementAndGet();
        return "value of " + key;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void keysAreReadInOneMgetAndMissingKeysAreWrittenTogether(boolean leased) {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(RedisExtension.leased(leased ? Duration.ofSeconds(10) : Duration.ZERO));
        KEYS.subList(0, 900).forEach(key -> cache.put(key, "value of " + key));
        int setsBefore = RedisExtension.calls(client, "set");

        Map<String, String> values = cache.getAll(KEYS, this::load);

        assertThat(values.keySet()).containsExactlyElementsOf(KEYS);
        assertThat(values).allSatisfy((key, value) -> assertThat(value).isEqualTo("value of " + key));
        assertThat(loads).hasValue(100);
        assertThat(RedisExtension.calls(client, "mget")).isEqualTo(1);
        // Count the entries by name, because leases are keys too.
        String[] entries = KEYS.stream().map(key -> "texts:" + key).toArray(String[]::new);
        Eventually.is("all entries are written", 1_000L, () -> client.call(Keys.exist(entries)));
        assertThat(cache.getAll(KEYS, this::load)).isEqualTo(values);
        assertThat(loads).hasValue(100);
        assertThat(RedisExtension.calls(client, "mget")).isEqualTo(2);
        assertThat(cache.stats().hits()).isEqualTo(1_900);
        assertThat(cache.stats().misses()).isEqualTo(100);
        if (!leased) {
            assertThat(RedisExtension.calls(client, "set") - setsBefore).isEqualTo(100);
            assertThat(RedisExtension.calls(client, "get")).as("single reads").isZero();
        }
    }

    @Test
    void loadedEntriesAreWrittenTogetherWhenTheLastLoadHasEnded() {
        RedisClient client = REDIS.client();
        InFlightLoads<String> inFlightLoads = new InFlightLoads<>();
        EntryStore<String> entryStore = new EntryStore<>(
                client,
                "texts",
                new HeaderFormat<>("texts", Codec.text()),
                Duration.ofSeconds(30),
                new StatsCounter(),
                new RedisCircuit("texts", System::nanoTime));
        LoadedEntryWriter<String> writer = new LoadedEntryWriter<>(inFlightLoads, entryStore, null);
        WriteBatch<String> batch = new WriteBatch<>(writer, Duration.ofHours(1));
        EncodedEntry encodedEntry = new EncodedEntry(new byte[] {1}, 60_000);
        List<LoadedEntry<String>> entries = KEYS.subList(0, 30).stream()
                .map(key -> inFlightLoads.join(new LookupRequest<>(key, name -> Optional.of(name), true), 0))
                .map(joined -> new LoadedEntry<>(joined.load(), encodedEntry))
                .toList();
        entries.forEach(entry -> batch.expect(entry.load()));
        batch.allExpected();

        entries.subList(0, 29).forEach(entry -> assertThat(batch.offer(entry)).isTrue());
        assertThat(RedisExtension.calls(client, "set")).isZero();
        assertThat(batch.offer(entries.getLast())).isTrue();

        Eventually.is("all entries are written", 30L, () -> client.call(Server.size()));
        Eventually.is(
                "all loads have ended",
                true,
                () -> entries.stream()
                        .noneMatch(
                                entry -> inFlightLoads.isInFlight(entry.load().key())));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void loadedEntryIsWrittenBeforeASlowLoadEnds(boolean leased) {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(RedisExtension.leased(leased ? Duration.ofSeconds(10) : Duration.ZERO));
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<Map<String, String>> both =
                CompletableFuture.supplyAsync(() -> cache.getAll(List.of("slow", "fast"), key -> {
                    if (key.equals("slow")) {
                        mayEnd.await();
                    }
                    return load(key);
                }));

        Eventually.is("the fast entry is written", 1L, () -> client.call(Keys.exist("texts:fast")));
        assertThat(client.call(Keys.exist("texts~lease:{texts:fast}"))).isZero();
        mayEnd.countDown();

        assertThat(both.join()).containsOnlyKeys("slow", "fast");
        Eventually.is("the slow entry is written", 1L, () -> client.call(Keys.exist("texts:slow")));
    }

    @Test
    void moreThanAThousandKeysAreReadInSeveralMgets() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(RedisExtension.longTimeouts());
        List<String> keys =
                IntStream.range(0, 2_500).mapToObj(key -> "key" + key).toList();

        assertThat(cache.getAll(keys, this::load)).hasSize(2_500);
        assertThat(RedisExtension.calls(client, "mget")).isEqualTo(3);
    }

    @Test
    void duplicateKeyIsLoadedOnceAndEmptyListSendsNoCommand() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(RedisExtension.longTimeouts());

        assertThat(cache.getAll(List.of("a", "b", "a"), this::load)).containsOnlyKeys("a", "b");
        assertThat(cache.getAll(List.of(), this::load)).isEmpty();

        assertThat(loads).hasValue(2);
        assertThat(RedisExtension.calls(client, "mget")).isEqualTo(1);
    }

    @Test
    void resultsKeepTheOrderOfTheLookupForAllKindsOfEntries() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(RedisExtension.longTimeouts().failureTimeToLive(Duration.ofMinutes(1)));
        Loader<String> failing = key -> {
            throw new IOException("the service is down");
        };
        cache.put("hit1", "first");
        cache.put("hit2", "second");
        assertThat(cache.find("negative", key -> Optional.empty())).isEmpty();
        assertThatThrownBy(() -> cache.get("failed", failing)).isInstanceOf(LoadFailedException.class);
        client.call(Strings.set("texts:foreign", "not an entry"));
        Eventually.is("the entries are written", 2L, () -> client.call(Keys.exist("texts:negative", "texts:failed")));

        LookupResults<String> results =
                cache.getEach(List.of("failed", "hit2", "foreign", "negative", "hit1", "hit2", "absent"), this::load);

        assertThat(results.values())
                .containsExactly(
                        Map.entry("hit2", "second"),
                        Map.entry("foreign", "value of foreign"),
                        Map.entry("negative", "value of negative"),
                        Map.entry("hit1", "first"),
                        Map.entry("absent", "value of absent"));
        assertThat(results.failures()).containsOnlyKeys("failed");
        assertThat(cache.stats().hits()).isEqualTo(2);
        assertThat(cache.stats().undecodable()).isEqualTo(1);
        assertThat(cache.stats().negativeHits()).isEqualTo(1);
    }

    @Test
    void concurrentGetAndGetAllOfAKeyCauseOneLoad() throws Exception {
        Cache<String> cache = REDIS.cache(RedisExtension.longTimeouts());
        AtomicInteger turn = new AtomicInteger();

        List<String> values = ConcurrentCallers.callAll(
                200,
                () -> turn.getAndIncrement() % 2 == 0
                        ? cache.get("key7", this::load)
                        : String.valueOf(
                                cache.getAll(KEYS.subList(0, 20), this::load).get("key7")));

        assertThat(values).containsOnly("value of key7");
        assertThat(loads).hasValue(20);
    }

    @Test
    void getAllThrowsIfOneLoadFailsAndCachesTheOtherValues() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(RedisExtension.longTimeouts());

        assertThatThrownBy(() -> cache.getAll(KEYS.subList(0, 20), key -> {
                    if (key.equals("key7")) {
                        throw new IOException("the service is down");
                    }
                    return load(key);
                }))
                .isInstanceOf(LoadFailedException.class)
                .hasRootCauseInstanceOf(IOException.class);
        Eventually.is("the other entries are written", 19L, () -> client.call(Server.size()));
    }

    @Test
    void cachedFailureDoesNotOverwriteALaterValue() throws Exception {
        Cache<String> cache = REDIS.cache(RedisExtension.longTimeouts().failureTimeToLive(Duration.ofMinutes(1)));
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<Map<String, String>> both =
                CompletableFuture.supplyAsync(() -> cache.getAll(List.of("failing", "slow"), key -> {
                    if (key.equals("failing")) {
                        throw new IOException("the service is down");
                    }
                    mayEnd.await();
                    return load(key);
                }));
        Eventually.is("one load has failed", 1L, () -> cache.stats().loadFailures());

        assertThatThrownBy(() -> cache.get("failing", this::load)).isInstanceOf(LoadFailedException.class);
        cache.put("failing", "put");
        mayEnd.countDown();

        assertThatThrownBy(both::join).hasRootCauseInstanceOf(IOException.class);
        Eventually.is("the slow entry is written", "value of slow", () -> cache.get("slow", this::load));
        cache.close();
        assertThat(REDIS.cache(RedisExtension.longTimeouts()).get("failing", this::load))
                .isEqualTo("put");
        assertThat(loads).hasValue(1);
    }

    @Test
    void valueLoadedAfterTheDeadlineIsWritten() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(
                CacheOptions.builder().deadline(Duration.ofMillis(300)).redisTimeout(Duration.ofMillis(300)));
        CountDownLatch mayEnd = new CountDownLatch(1);

        Eventually.holds(
                "the other keys are loaded",
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
        Eventually.is("the other entries are written", 19L, () -> client.call(Server.size()));
        mayEnd.countDown();
        Eventually.is("the last entry is written", 1L, () -> client.call(Keys.exist("texts:key7")));
    }
}
