// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Strings;
import io.millrace.client.command.TimeToLive;
import io.millrace.client.exception.RedisException;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Values that are written only if their keys have no value. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class PutIfAbsentTest {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final ManualWallClock time = new ManualWallClock();

    private static CacheOptions.Builder options(boolean leased) {
        return RedisExtension.leased(leased ? Duration.ofSeconds(60) : Duration.ZERO);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void firstValueStays(boolean leased) {
        Cache<String> cache = REDIS.cache(options(leased));

        assertThat(cache.putIfAbsent("key", "first")).isEmpty();
        assertThat(cache.putIfAbsent("key", "second")).hasValue("first");

        assertThat(cache.getIfPresent("key")).hasValue("first");
        assertThat(cache.stats().writes()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneOfManyConcurrentCallersWrites(boolean leased) throws Exception {
        Cache<String> cache = REDIS.cache(options(leased));
        AtomicInteger next = new AtomicInteger();

        List<Optional<String>> found =
                ConcurrentCallers.callAll(64, () -> cache.putIfAbsent("key", "value " + next.getAndIncrement()));

        assertThat(found).filteredOn(Optional::isEmpty).hasSize(1);
        assertThat(found).filteredOn(Optional::isPresent).containsOnly(cache.getIfPresent("key"));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneOfManyConcurrentCallersReplacesAnEntryThatIsNoValue(boolean leased) throws Exception {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(leased));
        AtomicInteger next = new AtomicInteger();
        for (int round = 0; round < 20; round++) {
            client.call(Strings.set("texts:key", "not an entry " + round));

            List<Optional<String>> found =
                    ConcurrentCallers.callAll(64, () -> cache.putIfAbsent("key", "value " + next.getAndIncrement()));

            assertThat(found).filteredOn(Optional::isEmpty).hasSize(1);
            assertThat(found).filteredOn(Optional::isPresent).containsOnly(cache.getIfPresent("key"));
        }
    }

    @Test
    void timeToLiveOfTheEntryCanBeSet() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(false).jitter(0));

        assertThat(cache.putIfAbsent("short", "value", Duration.ofSeconds(30))).isEmpty();
        assertThat(cache.putIfAbsent("usual", "value")).isEmpty();

        assertThat(left(client, "short")).isBetween(Duration.ZERO, Duration.ofSeconds(30));
        assertThat(left(client, "usual")).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(10));
        assertThatThrownBy(() -> cache.putIfAbsent("none", "value", Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("timeToLive");
    }

    private static Duration left(RedisClient client, String key) {
        return client.call(Keys.timeToLive("texts:" + key)) instanceof TimeToLive.Expires(Duration left)
                ? left
                : Duration.ZERO;
    }

    @Test
    void entriesThatAreNoValuesAreReplaced() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.closeAfterTest(Cache.builder(client, "texts", Codec.text())
                .options(options(false)
                        .staleFor(Duration.ofMinutes(10))
                        .failureTimeToLive(Duration.ofMinutes(1))
                        .build())
                .clockAndRandom(time.withRandom(new Random(1)))
                .build());
        assertThat(cache.find("negative", key -> Optional.empty())).isEmpty();
        assertThatThrownBy(() -> cache.get("failure", key -> {
                    throw new IllegalStateException("down");
                }))
                .isInstanceOf(LoadFailedException.class);
        cache.put("stale", "stale");
        client.call(Strings.set("texts:undecodable", "not an entry"));
        client.call(Strings.set("texts:empty", ""));
        Eventually.is(
                "all entries are written",
                5L,
                () -> client.call(Keys.exist(
                        "texts:negative", "texts:failure", "texts:stale", "texts:undecodable", "texts:empty")));
        time.advance(Duration.ofMinutes(11));

        for (String key : List.of("negative", "failure", "stale", "undecodable", "empty")) {
            assertThat(cache.putIfAbsent(key, "new")).as(key).isEmpty();
            assertThat(cache.getIfPresent(key)).as(key).hasValue("new");
        }
    }

    @Test
    void emptyStringOfThePlainFormatIsAValue() {
        Cache<String> cache = REDIS.closeAfterTest(Cache.builder(REDIS.client(), "texts", Codec.text())
                .options(options(false).build())
                .format(Format.PLAIN)
                .build());
        cache.put("key", "");

        assertThat(cache.putIfAbsent("key", "new")).hasValue("");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void loadThatBeganEarlierDoesNotOverwriteTheValue(boolean leased) throws Exception {
        Cache<String> cache = REDIS.cache(options(leased));
        Cache<String> other = leased ? REDIS.cache(options(true)) : cache;
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<String> older = other.getAsync("key", key -> {
            begun.countDown();
            mayEnd.await();
            return "older";
        });
        begun.await();

        assertThat(cache.putIfAbsent("key", "newer")).isEmpty();
        mayEnd.countDown();

        assertThat(older.join()).isEqualTo("older");
        other.close();
        assertThat(REDIS.cache(options(leased)).getIfPresent("key")).hasValue("newer");
    }

    @Test
    void nearCacheDropsTheEntryThatIsReplaced() {
        Cache<String> cache = REDIS.closeAfterTest(Cache.builder(REDIS.client(), "texts", Codec.text())
                .options(options(false).build())
                .near(NearCacheOptions.entries(1_000).withPingInterval(Duration.ofSeconds(10)))
                .build());
        assertThat(cache.find("key", key -> Optional.empty())).isEmpty();
        Eventually.holds(
                "the negative entry is kept in this process",
                () -> {
                    assertThat(cache.find("key", key -> Optional.empty())).isEmpty();
                    return cache.stats().nearHits();
                },
                hits -> hits > 0);

        assertThat(cache.putIfAbsent("key", "value")).isEmpty();

        assertThat(cache.getIfPresent("key")).hasValue("value");
    }

    @Test
    void valueIsNotWrittenInSilenceIfRedisDoesNotAnswer() {
        FaultProxy proxy = REDIS.proxy();
        Cache<String> cache = REDIS.closeAfterTest(Cache.of(
                REDIS.client(proxy.port()),
                "texts",
                Codec.text(),
                CacheOptions.builder().redisTimeout(Duration.ofMillis(100)).build()));

        proxy.stall(Direction.TO_SERVER);

        assertThatThrownBy(() -> cache.putIfAbsent("key", "value")).isInstanceOf(RedisException.class);
        assertThat(cache.stats().errors()).isEqualTo(1);
        proxy.resume(Direction.TO_SERVER);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyConfirmedEntryIsCounted(boolean leased) {
        Cache<String> cache = REDIS.cache(options(leased));

        cache.put("put", "value");
        cache.putAll(Map.of("one", "value", "two", "value"));
        assertThat(cache.getOnCallerThread("loaded", key -> "value")).isEqualTo("value");
        assertThat(cache.getAll(List.of("three", "four"), key -> "value")).hasSize(2);
        assertThat(cache.warmUp(Map.of("warm", "value").entrySet().iterator()).written())
                .isEqualTo(1);

        Eventually.is("all entries are counted", 7L, () -> cache.stats().writes());
        assertThat(cache.name()).isEqualTo("texts");
        assertThat(cache.options().concurrentLoads()).isEqualTo(64);
    }
}
