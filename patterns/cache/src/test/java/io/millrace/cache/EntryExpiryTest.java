// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Strings;
import io.millrace.client.command.TimeToLive;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The expiry of entries, and the answers for expired entries. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class EntryExpiryTest {

    private static final Duration TEN_MINUTES = Duration.ofMinutes(10);

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final ManualWallClock time = new ManualWallClock();
    private final AtomicInteger loads = new AtomicInteger();

    private String load(String key) {
        return key + "#" + loads.incrementAndGet();
    }

    private Cache<String> cache(CacheOptions.Builder options) {
        return REDIS.closeAfterTest(Cache.builder(REDIS.client(), "texts", Codec.text())
                .options(options.jitter(0).build())
                .clockAndRandom(time.withRandom(new Random(1)))
                .build());
    }

    @Test
    void jitterSubtractsAtMostItsFractionFromTheTimeToLive() {
        EntryFormat<String> format = new HeaderFormat<>("texts", Codec.text());
        CacheOptions options = CacheOptions.builder()
                .timeToLive(Duration.ofSeconds(100))
                .negativeTimeToLive(Duration.ofSeconds(10))
                .jitter(0.2)
                .build();
        long seed = System.nanoTime();
        System.out.println("EntryExpiryTest: seed=" + seed);
        EntryEncoder<String> entryEncoder = new EntryEncoder<>(
                format, options, (key, value) -> options.timeToLive(), time.withRandom(new Random(seed)));

        List<Long> timesToLive = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            EncodedEntry encodedEntry = entryEncoder.value("key", "value");
            timesToLive.add(encodedEntry.expiryMillis());
            Entry<String> entry = Objects.requireNonNull(format.read("key", encodedEntry.bytes()));
            assertThat(entry.freshUntil()).isEqualTo(time.now() + encodedEntry.expiryMillis());
            assertThat(entryEncoder.negative("key").orElseThrow().expiryMillis())
                    .isBetween(8_000L, 10_000L);
        }

        assertThat(timesToLive).allMatch(millis -> millis >= 80_000 && millis <= 100_000);
        assertThat(timesToLive).anyMatch(millis -> millis < 82_000).anyMatch(millis -> millis > 98_000);
    }

    @Test
    void entriesHaveTheConfiguredTimeToLive() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(
                RedisExtension.longTimeouts().timeToLive(TEN_MINUTES).jitter(0.1));

        cache.put("put", "value");
        cache.put("own", "value", Duration.ofHours(1));
        cache.get("loaded", this::load);
        Eventually.is("the entry is written", 1L, () -> client.call(Keys.exist("texts:loaded")));

        assertThat(left(client, "put")).isBetween(Duration.ofMinutes(8), TEN_MINUTES);
        assertThat(left(client, "loaded")).isBetween(Duration.ofMinutes(8), TEN_MINUTES);
        assertThat(left(client, "own")).isBetween(Duration.ofMinutes(53), Duration.ofHours(1));
    }

    @Test
    void expiryPolicySetsTheTimeToLiveOfAnEntry() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.closeAfterTest(Cache.builder(client, "texts", Codec.text())
                .options(RedisExtension.longTimeouts().jitter(0).build())
                .expiryPolicy((key, value) -> Duration.ofMinutes(value.length()))
                .build());

        cache.put("key", "12345");
        cache.put("empty", "");

        assertThat(left(client, "key")).isBetween(Duration.ofSeconds(290), Duration.ofMinutes(5));
        Eventually.is("the shortest time to live is over", 0L, () -> client.call(Keys.exist("texts:empty")));
    }

    private static Duration left(RedisClient client, String key) {
        return client.call(Keys.timeToLive("texts:" + key)) instanceof TimeToLive.Expires(Duration in)
                ? in
                : Duration.ZERO;
    }

    @Test
    void negativeEntryHasItsOwnTimeToLive() {
        RedisClient client = REDIS.client();
        Cache<String> cache = cache(RedisExtension.longTimeouts().negativeTimeToLive(Duration.ofSeconds(30)));
        OptionalLoader<String> noValue = key -> {
            loads.incrementAndGet();
            return Optional.empty();
        };

        assertThat(cache.find("key", noValue)).isEmpty();
        Eventually.is("the entry is cached", 1L, () -> client.call(Keys.exist("texts:key")));
        assertThat(cache.find("key", noValue)).isEmpty();

        assertThat(loads).hasValue(1);
        assertThat(cache.stats().negativeHits()).isEqualTo(1);
        assertThat(left(client, "key")).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
        assertThat(cache.get("key", this::load))
                .as("get after a negative entry")
                .isEqualTo("key#2");
        Eventually.is("the value is cached", Optional.of("key#2"), () -> cache.find("key", noValue));
    }

    @Test
    void staleValueDisappearsWhenTheRefreshFindsNoValue() {
        Cache<String> cache = cache(
                RedisExtension.longTimeouts().negativeTimeToLive(Duration.ZERO).staleFor(TEN_MINUTES));
        cache.put("key", "stale");
        time.advance(TEN_MINUTES.plusSeconds(1));

        assertThat(cache.find("key", key -> Optional.empty())).hasValue("stale");

        Eventually.is("the stale value is gone", Optional.empty(), () -> cache.find("key", key -> Optional.empty()));
    }

    @Test
    void refreshThatWritesNoEntryIsNotRepeatedImmediately() {
        Cache<String> cache = REDIS.closeAfterTest(Cache.builder(REDIS.client(), "texts", Codec.text())
                .options(RedisExtension.longTimeouts()
                        .jitter(0)
                        .staleFor(TEN_MINUTES)
                        .build())
                .expiryPolicy((key, value) -> {
                    if (value.startsWith("key#")) {
                        throw new IllegalStateException("no time to live");
                    }
                    return TEN_MINUTES;
                })
                .clockAndRandom(time.withRandom(new Random(1)))
                .build());
        cache.put("key", "stale");
        time.advance(TEN_MINUTES.plusSeconds(1));

        assertThat(cache.get("key", this::load)).isEqualTo("stale");
        Eventually.is("the refresh has failed", 1L, () -> cache.stats().errors());
        for (int i = 0; i < 100; i++) {
            assertThat(cache.get("key", this::load)).isEqualTo("stale");
        }

        assertThat(loads.get()).isLessThan(10);
    }

    @Test
    void backgroundLoadsLeaveAPermitForALoadThatACallerWaitsFor() {
        Cache<String> cache =
                cache(RedisExtension.longTimeouts().staleFor(TEN_MINUTES).concurrentLoads(2));
        cache.put("one", "stale");
        cache.put("two", "stale");
        time.advance(TEN_MINUTES.plusSeconds(1));
        CountDownLatch mayEnd = new CountDownLatch(1);
        Loader<String> slow = key -> {
            mayEnd.await();
            return load(key);
        };

        cache.get("one", slow);
        cache.get("two", slow);

        assertThat(cache.get("missing", this::load)).isEqualTo("missing#1");
        mayEnd.countDown();
    }

    @Test
    void negativeEntryIsNotCachedIfItsTimeToLiveIsZero() {
        RedisClient client = REDIS.client();
        Cache<String> cache = cache(RedisExtension.longTimeouts().negativeTimeToLive(Duration.ZERO));

        assertThat(cache.find("key", key -> Optional.empty())).isEmpty();
        // A caller that arrives before the load is gone gets the answer of that load.
        Eventually.is(
                "the key is loaded again",
                Optional.of("key#1"),
                () -> cache.find("key", key -> Optional.of(load(key))));
        Eventually.is("the entry is cached", 1L, () -> client.call(Keys.exist("texts:key")));
    }

    @Test
    void staleValueIsServedWhileOneLoadReplacesTheValue() throws Exception {
        RedisClient client = REDIS.client();
        Cache<String> cache =
                cache(RedisExtension.longTimeouts().timeToLive(TEN_MINUTES).staleFor(Duration.ofMinutes(5)));
        cache.put("key", "old");
        assertThat(left(client, "key")).isBetween(Duration.ofMinutes(14), Duration.ofMinutes(15));
        CountDownLatch mayEnd = new CountDownLatch(1);
        Loader<String> slow = key -> {
            mayEnd.await();
            return load(key);
        };

        time.advance(TEN_MINUTES.minusMillis(1));
        assertThat(cache.get("key", slow)).isEqualTo("old");
        assertThat(cache.stats().staleServes()).isZero();
        time.advance(Duration.ofMillis(1));
        List<String> values = ConcurrentCallers.callAll(100, () -> cache.get("key", slow));
        mayEnd.countDown();
        Eventually.is("the new value is served", "key#1", () -> cache.get("key", slow));

        assertThat(values).containsOnly("old");
        assertThat(loads).hasValue(1);
        assertThat(cache.stats().staleServes()).isGreaterThanOrEqualTo(100);
        assertThat(cache.stats().refreshes()).isEqualTo(1);
        assertThat(cache.stats().misses()).isZero();
    }

    @Test
    void failedRefreshIsNotRepeatedImmediatelyAndTheStaleValueIsServed() {
        Cache<String> cache = cache(
                RedisExtension.longTimeouts().staleFor(Duration.ofMinutes(5)).failureTimeToLive(TEN_MINUTES));
        cache.put("key", "old");
        time.advance(TEN_MINUTES);
        Loader<String> failing = key -> {
            loads.incrementAndGet();
            throw new IOException("the service is down");
        };

        assertThat(cache.get("key", failing)).isEqualTo("old");
        Eventually.is("the refresh has failed", 1L, () -> cache.stats().loadFailures());
        for (int i = 0; i < 100; i++) {
            assertThat(cache.get("key", failing)).isEqualTo("old");
        }

        assertThat(loads.get()).as("loads within a second").isLessThan(10);
        Eventually.holds(
                "the refresh is repeated later", () -> cache.get("key", this::load), value -> value.startsWith("key#"));
    }

    @Test
    void cacheThatServesNoStaleValuesLoadsAStaleEntryAgain() {
        cache(RedisExtension.longTimeouts().staleFor(Duration.ofMinutes(5))).put("key", "old");
        Cache<String> strict = cache(RedisExtension.longTimeouts());
        time.advance(TEN_MINUTES);

        assertThat(strict.get("key", this::load)).isEqualTo("key#1");
        assertThat(strict.stats().staleServes()).isZero();
    }

    @Test
    void clockDifferencesDoNotMatterWhenOnlyRedisExpiresEntries() {
        Cache<String> cache = cache(RedisExtension.longTimeouts());
        cache.put("key", "value");
        time.advance(Duration.ofDays(1));

        assertThat(cache.get("key", this::load)).isEqualTo("value");
    }

    @Test
    void entryIsRefreshedOnceInItsRefreshAheadPeriod() throws Exception {
        Cache<String> cache = cache(RedisExtension.longTimeouts().refreshAhead(0.2));
        cache.put("key", "old");

        time.advance(Duration.ofSeconds(479));
        List<String> before = ConcurrentCallers.callAll(100, () -> cache.get("key", this::load));
        assertThat(cache.stats().refreshes()).isZero();
        time.advance(Duration.ofSeconds(1));
        List<String> after = ConcurrentCallers.callAll(100, () -> cache.get("key", this::load));
        Eventually.is("the new value is served", "key#1", () -> cache.get("key", this::load));

        assertThat(before).containsOnly("old");
        assertThat(after).containsAnyOf("old").isSubsetOf("old", "key#1");
        assertThat(loads).hasValue(1);
        assertThat(cache.stats().refreshes()).isEqualTo(1);
        assertThat(cache.stats().misses()).isZero();
        assertThat(cache.stats().staleServes()).isZero();
    }

    @Test
    void undecodableEntryIsCountedAsAMissAndLoadedAgain() {
        RedisClient client = REDIS.client();
        Cache<String> cache = cache(RedisExtension.longTimeouts());
        Codec<String> old = VersionedCodec.of(1, Codec.text());
        Cache<String> versioned = REDIS.closeAfterTest(Cache.of(
                client,
                "texts",
                VersionedCodec.of(2, Codec.text()),
                RedisExtension.longTimeouts().build()));
        REDIS.closeAfterTest(Cache.of(
                        client, "texts", old, RedisExtension.longTimeouts().build()))
                .put("versioned", "old");
        client.call(Strings.set("texts:foreign", "written by another application"));
        cache.put("one", "value of one");
        client.call(Keys.rename("texts:one", "texts:other"));

        assertThat(cache.get("foreign", this::load)).isEqualTo("foreign#1");
        assertThat(cache.get("other", this::load)).isEqualTo("other#2");
        assertThat(versioned.get("versioned", this::load)).isEqualTo("versioned#3");

        assertThat(cache.stats().undecodable()).isEqualTo(2);
        assertThat(cache.stats().misses()).isEqualTo(2);
        assertThat(cache.stats().errors()).isZero();
        assertThat(versioned.stats().undecodable()).isEqualTo(1);
    }

    @Test
    void redisKeyThatIsNotAStringIsCountedAsAnErrorAndOverwritten() {
        RedisClient client = REDIS.client();
        Cache<String> cache = cache(RedisExtension.longTimeouts());
        client.call(Lists.pushLeft("texts:key", "not a string"));

        assertThat(cache.get("key", this::load)).isEqualTo("key#1");
        Eventually.holds(
                "the key is overwritten",
                () -> {
                    assertThat(cache.get("key", this::load)).startsWith("key#");
                    return cache.stats();
                },
                now -> now.hits() > 0);
        assertThat(cache.stats().errors()).isPositive();
    }

    @Test
    void valueThatCannotBeEncodedIsServedAndNotCached() {
        Cache<String> cache = REDIS.closeAfterTest(Cache.of(
                REDIS.client(),
                "texts",
                new FailingCodec(),
                RedisExtension.longTimeouts().build()));

        assertThat(cache.get("key", this::load)).isEqualTo("key#1");
        Eventually.is("the encoding has failed", 1L, () -> cache.stats().errors());
        Eventually.is("the value is loaded again", "key#2", () -> cache.get("key", this::load));
        assertThatThrownBy(() -> cache.put("key", "value")).isInstanceOf(IllegalStateException.class);
    }

    private static final class FailingCodec implements Codec<String> {

        @Override
        public byte[] encode(String value) {
            throw new IllegalStateException("cannot be encoded");
        }

        @Override
        public String decode(byte[] bytes, int offset, int length) {
            return "never";
        }
    }

    @Test
    void optionsOutOfRangeAreRejected() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> CacheOptions.builder().timeToLive(Duration.ZERO).build())
                .withMessage("timeToLive=zero is out of range: 1 ms to 365 days.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CacheOptions.builder().jitter(Double.NaN).build())
                .withMessage("jitter=NaN is out of range: 0 to 1.");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> CacheOptions.builder().lease(Duration.ofMillis(1)).build())
                .withMessage("lease=1 ms is out of range: zero, or 100 ms to 1 h.");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        CacheOptions.builder().deadline(Duration.ofMillis(100)).build())
                .withMessage("redisTimeout=500 ms is out of range: 1 ms to 100 ms.");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        CacheOptions.builder().lease(Duration.ofSeconds(1)).build())
                .withMessage("the lease is too short for the Redis timeout: lease=1 s, redisTimeout=500 ms."
                        + " Set a lease of at least three times redisTimeout.");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> CacheOptions.builder().loadTimeout(Duration.ZERO).build())
                .withMessage("loadTimeout=zero is out of range: 1 ms to 24 h.");
        RedisClient client = REDIS.client();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Cache.of(client, "a{b}", Codec.text(), CacheOptions.defaults()))
                .withMessageStartingWith("invalid cache name: a{b}.");
    }
}
