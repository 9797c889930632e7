// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Strings;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lookups of many keys with partial results, and bulk loaders. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class BulkLoadTest {

    private static final List<String> THREE = List.of("one", "two", "three");

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    /** The keys of each call of the bulk loader. */
    private final Queue<Set<String>> calls = new ConcurrentLinkedQueue<>();

    private static CacheOptions.Builder options(boolean leased) {
        return RedisExtension.leased(leased ? Duration.ofSeconds(60) : Duration.ZERO);
    }

    private Map<String, String> loadAll(Set<String> keys, BulkFailures failures) {
        calls.add(keys);
        return keys.stream().collect(Collectors.toMap(key -> key, key -> "value of " + key));
    }

    /** A bulk loader that fails for the key {@code two}. */
    private Map<String, String> loadOddKeys(Set<String> keys, BulkFailures failures) {
        failures.add("two", new IOException("two is not available"));
        return Map.of("one", "value of one", "three", "value of three");
    }

    private static void awaitEntries(RedisClient client, String... keys) {
        String[] entries = Arrays.stream(keys).map(key -> "texts:" + key).toArray(String[]::new);
        Eventually.is("the entries are written", (long) keys.length, () -> client.call(Keys.exist(entries)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void missingKeysAreLoadedWithOneCallAndCached(boolean leased) {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(leased));
        cache.put("two", "value of two");

        LookupResults<String> results = cache.getEach(THREE, this::loadAll);

        assertThat(results.isComplete()).isTrue();
        assertThat(results.values())
                .containsExactly(
                        Map.entry("one", "value of one"),
                        Map.entry("two", "value of two"),
                        Map.entry("three", "value of three"));
        assertThat(calls).containsExactly(Set.of("one", "three"));
        awaitEntries(client, "one", "three");
        assertThat(cache.getEach(THREE, this::loadAll)).isEqualTo(results);
        assertThat(calls).hasSize(1);
        assertThat(cache.stats().loads()).isEqualTo(1);
        String[] leases = {"texts~lease:{texts:one}", "texts~lease:{texts:three}"};
        Eventually.is("no lease is left", 0L, () -> client.call(Keys.exist(leases)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void failedKeyDoesNotHideTheValuesOfOtherKeys(boolean leased) {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(leased));

        LookupResults<String> results = cache.getEach(THREE, this::loadOddKeys);

        assertThat(results.values()).isEqualTo(Map.of("one", "value of one", "three", "value of three"));
        assertThat(results.failures()).containsOnlyKeys("two");
        assertThat(results.failures().get("two"))
                .isInstanceOf(LoadFailedException.class)
                .hasCauseInstanceOf(IOException.class);
        assertThatThrownBy(results::valuesOrThrow).isInstanceOf(LoadFailedException.class);
        assertThatThrownBy(() -> cache.getAll(THREE, this::loadOddKeys))
                .isInstanceOf(LoadFailedException.class)
                .hasCauseInstanceOf(IOException.class);
        awaitEntries(client, "one", "three");
        Eventually.is("the lease is released", 0L, () -> client.call(Keys.exist("texts~lease:{texts:two}")));
        assertThat(cache.get("two", key -> "later")).isEqualTo("later");
    }

    @Test
    void failedLoadOfOneKeyDoesNotHideTheValuesOfOtherKeys() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(false));

        LookupResults<String> results = cache.getEach(THREE, key -> {
            if (key.equals("two")) {
                throw new IOException("two is not available");
            }
            return "value of " + key;
        });

        assertThat(results.values()).isEqualTo(Map.of("one", "value of one", "three", "value of three"));
        assertThat(results.failures()).containsOnlyKeys("two");
        awaitEntries(client, "one", "three");
    }

    @Test
    void keyWithoutAResultIsCachedAsANegativeEntry() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(false));

        LookupResults<String> results =
                cache.getEach(THREE, (keys, failures) -> Map.of("one", "value of one", "unknown", "ignored"));

        assertThat(results.values()).containsOnlyKeys("one");
        assertThat(results.failures()).isEmpty();
        awaitEntries(client, "one", "two", "three");
        assertThat(cache.find("two", key -> Optional.of("not called"))).isEmpty();
        assertThat(client.call(Keys.exist("texts:unknown"))).isZero();
        assertThat(cache.getAll(THREE, this::loadAll)).isEqualTo(Map.of("one", "value of one"));
        assertThat(calls).isEmpty();
    }

    @Test
    void exceptionOfTheBulkLoaderIsTheFailureOfAllItsKeys() {
        Cache<String> cache = REDIS.cache(options(false));
        cache.put("one", "value of one");
        BulkLoader<String> failing = (keys, failures) -> {
            throw new IOException("the database is down");
        };

        LookupResults<String> results = cache.getEach(THREE, failing);

        assertThat(results.values()).containsOnlyKeys("one");
        assertThat(results.failures().keySet()).containsExactly("two", "three");
        assertThat(cache.stats().loadFailures()).isEqualTo(1);
    }

    @Test
    void failureOfAKeyThatWasNotRequestedIsRejected() {
        Cache<String> cache = REDIS.cache(options(false));
        BulkLoader<String> faulty = (keys, failures) -> {
            failures.add("four", new IOException("four is not available"));
            return Map.of();
        };

        LookupResults<String> results = cache.getEach(THREE, faulty);

        assertThat(results.failures())
                .hasSize(3)
                .allSatisfy((key, failure) -> assertThat(failure)
                        .hasRootCauseMessage(
                                "a bulk loader reported a failure for a key that it was not asked for: keys=3."
                                        + " Report failures only for the keys of the call."));
    }

    @Test
    void singleLookupJoinsABulkLoad() throws Exception {
        Cache<String> cache = REDIS.cache(options(false));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<LookupResults<String>> all =
                CompletableFuture.supplyAsync(() -> cache.getEach(THREE, (keys, failures) -> {
                    begun.countDown();
                    mayEnd.await();
                    return loadAll(keys, failures);
                }));
        begun.await();
        CompletableFuture<String> single = CompletableFuture.supplyAsync(() -> cache.get("two", key -> "not called"));

        Eventually.is("the single lookup waits", 1L, () -> cache.stats().waits());
        mayEnd.countDown();

        assertThat(single.join()).isEqualTo("value of two");
        assertThat(all.join().values()).containsOnlyKeys(THREE);
        assertThat(cache.stats().loads()).isEqualTo(1);
    }

    @Test
    void keyThatAnotherProcessLoadsIsNotPassedToTheBulkLoader() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(true));
        client.call(Strings.set("texts~lease:{texts:two}", "other"));

        CompletableFuture<LookupResults<String>> all =
                CompletableFuture.supplyAsync(() -> cache.getEach(THREE, this::loadAll));
        awaitEntries(client, "one", "three");
        REDIS.cache(options(true)).put("two", "value of the other process");

        assertThat(all.join().values())
                .containsExactly(
                        Map.entry("one", "value of one"),
                        Map.entry("two", "value of the other process"),
                        Map.entry("three", "value of three"));
        assertThat(calls).containsExactly(Set.of("one", "three"));
    }

    @Test
    void keyWhoseOtherProcessGivesUpIsLoadedAlone() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(true));
        client.call(Strings.set("texts~lease:{texts:two}", "other"));

        CompletableFuture<LookupResults<String>> all =
                CompletableFuture.supplyAsync(() -> cache.getEach(THREE, this::loadAll));
        awaitEntries(client, "one", "three");
        client.call(Keys.delete("texts~lease:{texts:two}"));

        assertThat(all.join().values()).containsEntry("two", "value of two");
        assertThat(calls).containsExactly(Set.of("one", "three"), Set.of("two"));
    }

    @Test
    void bulkLoaderThatReturnsNullFailsWithTheSameMessageForOneKey() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(true));
        client.call(Strings.set("texts~lease:{texts:two}", "other"));
        BulkLoader<String> faulty = (keys, failures) -> UncheckedNull.asMap();

        CompletableFuture<LookupResults<String>> all =
                CompletableFuture.supplyAsync(() -> cache.getEach(THREE, faulty));
        Eventually.is("the first call has failed", 1L, () -> cache.stats().loadFailures());
        client.call(Keys.delete("texts~lease:{texts:two}"));

        assertThat(all.join().failures())
                .containsOnlyKeys(THREE)
                .allSatisfy((key, failure) -> assertThat(failure)
                        .hasRootCauseMessage("the bulk loader returned null."
                                + " To report that no key has a value, return an empty map."));
    }

    /** A method without null annotations that returns null. */
    @NullUnmarked
    private static final class UncheckedNull {

        static Map<String, String> asMap() {
            return null;
        }
    }

    @Test
    void staleKeysAreRefreshedWithOneCallOfTheBulkLoader() {
        ManualWallClock time = new ManualWallClock();
        CacheOptions options =
                options(false).jitter(0).staleFor(Duration.ofMinutes(5)).build();
        Cache<String> cache = REDIS.closeAfterTest(Cache.builder(REDIS.client(), "texts", Codec.text())
                .options(options)
                .clockAndRandom(time.withRandom(new Random(1)))
                .build());
        Map<String, String> old = THREE.stream().collect(Collectors.toMap(key -> key, key -> "old"));
        cache.putAll(old);
        time.advance(options.timeToLive());

        assertThat(cache.getAll(THREE, this::loadAll)).isEqualTo(old);

        Map<String, String> expected = THREE.stream().collect(Collectors.toMap(key -> key, key -> "value of " + key));
        Eventually.is("the values are refreshed", expected, () -> cache.getAll(THREE, this::loadAll));
        assertThat(calls).containsExactly(Set.copyOf(THREE));
        assertThat(cache.stats().refreshes()).isEqualTo(1);
    }

    private static BulkLoads<String> bulkLoads() {
        EntryFormat<String> format = new HeaderFormat<>("texts", Codec.text());
        CacheOptions options = RedisExtension.longTimeouts().build();
        StatsCounter statsCounter = new StatsCounter();
        InFlightLoads<String> inFlightLoads = new InFlightLoads<>();
        EntryStore<String> entryStore = new EntryStore<>(
                REDIS.client(),
                "texts",
                format,
                options.redisTimeout(),
                statsCounter,
                new RedisCircuit("texts", System::nanoTime));
        LoadAdmission admission = new LoadAdmission(1);
        AbandonedLoaders abandoned = new AbandonedLoaders(statsCounter);
        LoadTimeouts<String> timeouts = new LoadTimeouts<>(
                inFlightLoads,
                admission,
                abandoned,
                "texts",
                null,
                statsCounter,
                options.loadTimeout(),
                System::nanoTime);
        REDIS.closeAfterTest(timeouts::close);
        EntryEncoder<String> encoder =
                new EntryEncoder<>(format, options, (key, value) -> options.timeToLive(), ClockAndRandom.SYSTEM);
        return new BulkLoads<>(
                inFlightLoads,
                entryStore,
                null,
                new LoaderInvoker<>(encoder, entryStore, timeouts, ClockAndRandom.SYSTEM, statsCounter),
                new LoadedEntryWriter<>(inFlightLoads, entryStore, null),
                admission,
                abandoned,
                new LoadTiming(ClockAndRandom.SYSTEM, options.deadline()),
                LoadThreads.DEFAULT);
    }

    /** Returns new loads of the three keys, which share one call. */
    private static List<Load<String>> newLoads(boolean background) {
        LoaderCall call = new LoaderCall();
        return THREE.stream()
                .map(key -> new LookupRequest<String>(key, missing -> Optional.empty(), true))
                .map(request -> new Load<>(request, background, call))
                .toList();
    }

    @Test
    void bulkLoaderGetsItsKeysInTheOrderOfTheLookup() {
        List<InFlightLoads.JoinedLoad<String>> joined = newLoads(false).stream()
                .map(load ->
                        new InFlightLoads.JoinedLoad<>(load, true, load.key().equals("one")))
                .toList();

        bulkLoads().start(joined, this::loadAll);

        Eventually.is("the bulk loader is called", 1, calls::size);
        assertThat(calls.element()).containsExactly("one", "two", "three");
    }

    @Test
    void backgroundLoadsWhoseWriteFailsCoolDown() {
        RedisClient client = REDIS.client();
        List<Load<String>> loads = newLoads(true);
        List<InFlightLoads.JoinedLoad<String>> joined = loads.stream()
                .map(load -> new InFlightLoads.JoinedLoad<>(load, true, false))
                .toList();
        client.call(Command.of("CONFIG SET", "min-replicas-to-write", "1")); // the server refuses writes
        try {
            bulkLoads().start(joined, this::loadAll);
            Eventually.is("all loads are gone", true, () -> loads.stream().allMatch(Load::isGone));
        } finally {
            client.call(Command.of("CONFIG SET", "min-replicas-to-write", "0"));
        }

        assertThat(loads).as("loads in their cooldown").allMatch(Load::isOver);
    }

    @Test
    void bulkLoadOfManyKeysIsWrittenInSeveralPipelines() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(true));
        List<String> keys =
                IntStream.range(0, 2_500).mapToObj(key -> "key" + key).toList();

        LookupResults<String> results = cache.getEach(keys, this::loadAll);

        assertThat(results.values()).hasSize(2_500);
        assertThat(calls).hasSize(1);
        awaitEntries(client, keys.toArray(String[]::new));
    }
}
