// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.ClientOptions;
import io.millrace.client.Codec;
import io.millrace.client.CommandListener;
import io.millrace.client.EndedCommand;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.RedisException;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lookups without a load, asynchronous lookups, and changes of many keys. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CacheChangesTest {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    /** Number of concurrent loads: the default number of permits. */
    private static final int LOADS = 64;

    private final AtomicInteger loads = new AtomicInteger();

    private static CacheOptions.Builder options(boolean leased) {
        return RedisExtension.leased(leased ? Duration.ofSeconds(60) : Duration.ZERO);
    }

    private String load(String key) {
        return key + "#" + loads.incrementAndGet();
    }

    private static Map<String, String> values(int count) {
        return IntStream.range(0, count).boxed().collect(Collectors.toMap(key -> "key" + key, key -> "value " + key));
    }

    @Test
    void getIfPresentReturnsCachedValuesAndLoadsNothing() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(false));
        cache.put("present", "value");
        Optional<String> none = cache.find("negative", key -> Optional.empty());
        Eventually.is("the negative entry is written", 1L, () -> client.call(Keys.exist("texts:negative")));

        assertThat(cache.getIfPresent("present")).hasValue("value");
        assertThat(cache.getIfPresent("negative")).isEqualTo(none).isEmpty();
        assertThat(cache.getIfPresent("absent")).isEmpty();

        assertThat(cache.stats().loads()).isEqualTo(1);
        assertThat(cache.stats().hits()).isEqualTo(1);
        assertThat(cache.stats().negativeHits()).isEqualTo(1);
        assertThat(cache.stats().misses()).isEqualTo(2);
    }

    @Test
    void getIfPresentReturnsEmptyIfRedisDoesNotAnswer() {
        FaultProxy proxy = REDIS.proxy();
        Cache<String> cache = REDIS.closeAfterTest(Cache.of(
                REDIS.client(proxy.port()),
                "texts",
                Codec.text(),
                CacheOptions.builder().redisTimeout(Duration.ofMillis(100)).build()));
        cache.put("present", "value");

        proxy.stall(Direction.TO_SERVER);
        Optional<String> found = cache.getIfPresent("present");
        proxy.resume(Direction.TO_SERVER);

        assertThat(found).isEmpty();
    }

    @Test
    void futureOfAnAsynchronousLookupCompletesWithTheValueOrTheFailure() {
        Cache<String> cache = REDIS.cache(options(false));
        CountDownLatch mayEnd = new CountDownLatch(1);

        CompletableFuture<String> slow = cache.getAsync("slow", key -> {
            mayEnd.await();
            return load(key);
        });
        CompletableFuture<String> failing = cache.getAsync("failing", key -> {
            throw new IllegalArgumentException("no such key");
        });

        assertThatThrownBy(failing::join)
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(LoadFailedException.class)
                .hasRootCauseMessage("no such key");
        assertThat(slow).isNotDone();
        mayEnd.countDown();
        assertThat(slow.join()).isEqualTo("slow#1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void putAllWritesAllValuesAndRemoveAllRemovesThem(boolean leased) {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(leased).timeToLive(Duration.ofMinutes(10)));
        Map<String, String> values = values(2_500);
        cache.put("other", "stays");

        cache.putAll(values);

        assertThat(client.call(Server.size())).isEqualTo(2_501);
        assertThat(cache.getAll(values.keySet(), this::load)).isEqualTo(values);
        assertThat(loads).hasValue(0);
        cache.removeAll(values.keySet());
        assertThat(client.call(Server.size())).isEqualTo(1);
        cache.putAll(Map.of());
        cache.removeAll(List.of());
        assertThat(cache.getIfPresent("other")).hasValue("stays");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void loadThatBeganBeforeAChangeOfManyKeysDoesNotWriteItsValue(boolean leased) throws Exception {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(leased));
        CountDownLatch begun = new CountDownLatch(3);
        CountDownLatch mayEnd = new CountDownLatch(1);
        List<CompletableFuture<String>> older = List.of("put", "removed", "cleared").stream()
                .map(name -> cache.getAsync(name, key -> {
                    begun.countDown();
                    mayEnd.await();
                    return "older";
                }))
                .toList();

        begun.await();
        cache.clear();
        cache.removeAll(List.of("removed"));
        cache.putAll(Map.of("put", "newer"));
        mayEnd.countDown();
        older.forEach(future -> assertThat(future.join()).isEqualTo("older"));
        cache.close();

        assertThat(client.call(Strings.get("texts:removed"))).isEmpty();
        assertThat(client.call(Strings.get("texts:cleared"))).isEmpty();
        assertThat(REDIS.cache(options(leased)).getIfPresent("put")).hasValue("newer");
    }

    @ParameterizedTest
    @ValueSource(strings = {"texts", "a*b?c", "[x]^-\\"})
    void clearRemovesTheEntriesAndLeasesOfThisCacheOnly(String name) {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.closeAfterTest(
                Cache.of(client, name, Codec.text(), options(true).build()));
        cache.putAll(values(2_500));
        client.call(Strings.set(name + "~lease:{" + name + ":key}", "token"));
        client.call(Strings.set("other:key", "stays"));
        client.call(Strings.set(name + "s:key", "stays"));

        cache.clear();

        assertThat(client.call(Server.size())).isEqualTo(2);
        assertThat(client.call(Keys.exist("other:key", name + "s:key"))).isEqualTo(2);
        assertThat(cache.get("key1", this::load)).isEqualTo("key1#1");
    }

    @Test
    void clearRemovesTheValuesOfOtherProcessesWhoseLoadsEndDuringTheScan() throws Exception {
        RedisClient direct = REDIS.client();
        Cache<String> other = REDIS.cache(options(true));
        REDIS.closeAfterTest(
                        Cache.of(direct, "filler", Codec.text(), options(false).build()))
                .putAll(values(10_000));
        CountDownLatch begun = new CountDownLatch(LOADS);
        CountDownLatch mayEnd = new CountDownLatch(1);
        List<CompletableFuture<String>> older = IntStream.range(0, LOADS)
                .mapToObj(number -> other.getAsync("key" + number, key -> {
                    begun.countDown();
                    mayEnd.await();
                    return "older";
                }))
                .toList();
        String[] entries = IntStream.range(0, LOADS)
                .mapToObj(number -> "texts:key" + number)
                .toArray(String[]::new);
        Runnable endLoads = () -> {
            mayEnd.countDown();
            older.forEach(CompletableFuture::join);
            Eventually.is(
                    "each value is written or refused",
                    (long) LOADS,
                    () -> direct.call(Keys.exist(entries)) + other.stats().refusedWrites());
        };

        begun.await();
        cacheThatRunsAtItsFifthScan(endLoads).clear();

        assertThat(mayEnd.getCount()).as("the loads have ended during the scan").isZero();
        assertThat(direct.call(Keys.exist(entries))).isZero();
    }

    private static Cache<String> cacheThatRunsAtItsFifthScan(Runnable action) {
        AtomicInteger scans = new AtomicInteger();
        CommandListener listener = new CommandListener() {
            @Override
            public @Nullable Object submitted(String name) {
                if (name.equals("SCAN") && scans.incrementAndGet() == 5) {
                    action.run();
                }
                return null;
            }

            @Override
            public void ended(EndedCommand command) {}
        };
        RedisClient client = REDIS.closeAfterTest(RedisClient.connect(
                ClientOptions.builder(RedisUri.parse(REDIS.server().uri()))
                        .connectTimeout(Duration.ofSeconds(60))
                        .commandListener(listener)
                        .build()));
        return REDIS.closeAfterTest(
                Cache.of(client, "texts", Codec.text(), options(true).build()));
    }

    @Test
    void clearEmptiesTheNearCache() {
        Cache<String> cache = REDIS.closeAfterTest(Cache.builder(REDIS.client(), "texts", Codec.text())
                .options(options(false).build())
                .near(NearCacheOptions.entries(1_000).withPingInterval(Duration.ofSeconds(10)))
                .build());
        cache.put("key", "value");
        Eventually.holds(
                "the entry is kept in this process",
                () -> {
                    assertThat(cache.get("key", this::load)).isEqualTo("value");
                    return cache.stats().nearHits();
                },
                hits -> hits > 0);

        cache.clear();

        assertThat(cache.getIfPresent("key")).isEmpty();
    }

    @Test
    void changesOfManyKeysThrowIfRedisDoesNotAnswer() {
        FaultProxy proxy = REDIS.proxy();
        Cache<String> cache = REDIS.closeAfterTest(Cache.of(
                REDIS.client(proxy.port()),
                "texts",
                Codec.text(),
                CacheOptions.builder().redisTimeout(Duration.ofMillis(100)).build()));

        proxy.stall(Direction.TO_SERVER);

        assertThatThrownBy(() -> cache.putAll(Map.of("key", "value"))).isInstanceOf(RedisException.class);
        assertThatThrownBy(() -> cache.removeAll(List.of("key"))).isInstanceOf(RedisException.class);
        assertThatThrownBy(cache::clear).isInstanceOf(RedisException.class);
        assertThat(cache.stats().errors()).isEqualTo(3);
        proxy.resume(Direction.TO_SERVER);
    }

    @Test
    void loadingCacheUsesItsLoaderForEachLookup() {
        try (LoadingCache<String> cache = Cache.loading(
                REDIS.client(), "texts", Codec.text(), options(false).build(), this::load)) {
            assertThat(cache.get("one")).isEqualTo("one#1");
            assertThat(cache.getAsync("two").join()).isEqualTo("two#2");
            assertThat(cache.getAll(List.of("one", "two")).keySet()).containsExactly("one", "two");
            assertThat(cache.getEach(List.of("three")).values()).isEqualTo(Map.of("three", "three#3"));
            cache.remove("one");
            assertThat(cache.cache().getIfPresent("one")).isEmpty();
        }
    }
}
