// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Keys;
import io.millrace.client.Lists;
import io.millrace.client.RedisClient;
import io.millrace.client.Strings;
import io.millrace.client.TimeToLive;
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

/** How long entries live, and what is served at the end of their time. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class LifeTest {

    private static final Duration TEN_MINUTES = Duration.ofMinutes(10);

    @RegisterExtension
    static final Redis REDIS = new Redis();

    private final TimeOfDay time = new TimeOfDay();
    private final AtomicInteger loads = new AtomicInteger();

    private String load(String key) {
        return key + "#" + loads.incrementAndGet();
    }

    private Cache<String> cache(CacheOptions.Builder options) {
        return REDIS.closing(Cache.builder(REDIS.client(), "texts", Codec.text())
                .options(options.jitter(0).build())
                .surroundings(time.with(new Random(1)))
                .build());
    }

    @Test
    void jitterShortensALifeByItsShareAtMost() {
        EntryFormat<String> format = new EntryFormat<>("texts", Codec.text());
        CacheOptions options = CacheOptions.builder()
                .timeToLive(Duration.ofSeconds(100))
                .negativeTimeToLive(Duration.ofSeconds(10))
                .jitter(0.2)
                .build();
        long seed = System.nanoTime();
        System.out.println("LifeTest: seed=" + seed);
        Drafts<String> drafts =
                new Drafts<>(format, options, (key, value) -> options.timeToLive(), time.with(new Random(seed)));

        List<Long> lives = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            Draft draft = drafts.value("key", "value");
            lives.add(draft.millis());
            Entry<String> entry = Objects.requireNonNull(format.read("key", draft.bytes()));
            assertThat(entry.freshUntil()).isEqualTo(time.now() + draft.millis());
            assertThat(drafts.none("key").orElseThrow().millis()).isBetween(8_000L, 10_000L);
        }

        assertThat(lives).allMatch(life -> life >= 80_000 && life <= 100_000);
        assertThat(lives).anyMatch(life -> life < 82_000).anyMatch(life -> life > 98_000);
    }

    @Test
    void entriesLiveAsLongAsTheirCacheSays() {
        RedisClient client = REDIS.client();
        Cache<String> cache =
                REDIS.cache(Redis.patient().timeToLive(TEN_MINUTES).jitter(0.1));

        cache.put("put", "value");
        cache.put("own", "value", Duration.ofHours(1));
        cache.get("loaded", this::load);
        Eventually.is("it is written", 1L, () -> client.call(Keys.exist("texts:loaded")));

        assertThat(left(client, "put")).isBetween(Duration.ofMinutes(8), TEN_MINUTES);
        assertThat(left(client, "loaded")).isBetween(Duration.ofMinutes(8), TEN_MINUTES);
        assertThat(left(client, "own")).isBetween(Duration.ofMinutes(53), Duration.ofHours(1));
    }

    @Test
    void eachEntryMayHaveALifeOfItsOwn() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.closing(Cache.builder(client, "texts", Codec.text())
                .options(Redis.patient().jitter(0).build())
                .lifetime((key, value) -> Duration.ofMinutes(value.length()))
                .build());

        cache.put("key", "12345");
        cache.put("empty", "");

        assertThat(left(client, "key")).isBetween(Duration.ofSeconds(290), Duration.ofMinutes(5));
        Eventually.is("the shortest life is over", 0L, () -> client.call(Keys.exist("texts:empty")));
    }

    private static Duration left(RedisClient client, String key) {
        return client.call(Keys.timeToLive("texts:" + key)) instanceof TimeToLive.Expires(Duration in)
                ? in
                : Duration.ZERO;
    }

    @Test
    void thatThereIsNoValueIsKeptForATimeOfItsOwn() {
        RedisClient client = REDIS.client();
        Cache<String> cache = cache(Redis.patient().negativeTimeToLive(Duration.ofSeconds(30)));
        Finder<String> nothing = key -> {
            loads.incrementAndGet();
            return Optional.empty();
        };

        assertThat(cache.find("key", nothing)).isEmpty();
        Eventually.is("it is kept", 1L, () -> client.call(Keys.exist("texts:key")));
        assertThat(cache.find("key", nothing)).isEmpty();

        assertThat(loads).hasValue(1);
        assertThat(cache.counts().negativeHits()).isEqualTo(1);
        assertThat(left(client, "key")).isBetween(Duration.ofSeconds(20), Duration.ofSeconds(30));
        assertThat(cache.get("key", this::load)).as("who must have a value").isEqualTo("key#2");
        Eventually.is("it is kept", Optional.of("key#2"), () -> cache.find("key", nothing));
    }

    @Test
    void aStaleValueOfWhichThereIsNoMoreIsServedNoLonger() {
        Cache<String> cache =
                cache(Redis.patient().negativeTimeToLive(Duration.ZERO).staleFor(TEN_MINUTES));
        cache.put("key", "stale");
        time.advance(TEN_MINUTES.plusSeconds(1));

        assertThat(cache.find("key", key -> Optional.empty())).hasValue("stale");

        Eventually.is("it is gone", Optional.empty(), () -> cache.find("key", key -> Optional.empty()));
    }

    @Test
    void aRefreshThatCannotBeKeptIsNotRepeatedAtOnce() {
        Cache<String> cache = REDIS.closing(Cache.builder(REDIS.client(), "texts", Codec.text())
                .options(Redis.patient().jitter(0).staleFor(TEN_MINUTES).build())
                .lifetime((key, value) -> {
                    if (value.startsWith("key#")) {
                        throw new IllegalStateException("no life");
                    }
                    return TEN_MINUTES;
                })
                .surroundings(time.with(new Random(1)))
                .build());
        cache.put("key", "stale");
        time.advance(TEN_MINUTES.plusSeconds(1));

        assertThat(cache.get("key", this::load)).isEqualTo("stale");
        Eventually.is("it is loaded", 1L, () -> cache.counts().errors());
        for (int i = 0; i < 100; i++) {
            assertThat(cache.get("key", this::load)).isEqualTo("stale");
        }

        assertThat(loads.get()).isLessThan(10);
    }

    @Test
    void refreshesLeaveRoomForLoadsThatSomebodyWaitsFor() {
        Cache<String> cache = cache(Redis.patient().staleFor(TEN_MINUTES).concurrentLoads(2));
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
    void thatThereIsNoValueIsNotKeptUnlessForATime() {
        RedisClient client = REDIS.client();
        Cache<String> cache = cache(Redis.patient().negativeTimeToLive(Duration.ZERO));

        assertThat(cache.find("key", key -> Optional.empty())).isEmpty();
        // Who comes before the load is quite gone is answered by it.
        Eventually.is(
                "it is searched for again",
                Optional.of("key#1"),
                () -> cache.find("key", key -> Optional.of(load(key))));
        Eventually.is("it is kept", 1L, () -> client.call(Keys.exist("texts:key")));
    }

    @Test
    void aStaleValueIsServedWhileOneLoadIsUnderWay() throws Exception {
        RedisClient client = REDIS.client();
        Cache<String> cache = cache(Redis.patient().timeToLive(TEN_MINUTES).staleFor(Duration.ofMinutes(5)));
        cache.put("key", "old");
        assertThat(left(client, "key")).isBetween(Duration.ofMinutes(14), Duration.ofMinutes(15));
        CountDownLatch mayEnd = new CountDownLatch(1);
        Loader<String> slow = key -> {
            mayEnd.await();
            return load(key);
        };

        time.advance(TEN_MINUTES.minusMillis(1));
        assertThat(cache.get("key", slow)).isEqualTo("old");
        assertThat(cache.counts().staleServes()).isZero();
        time.advance(Duration.ofMillis(1));
        List<String> values = Crowd.ask(100, () -> cache.get("key", slow));
        mayEnd.countDown();
        Eventually.is("the new value is there", "key#1", () -> cache.get("key", slow));

        assertThat(values).containsOnly("old");
        assertThat(loads).hasValue(1);
        assertThat(cache.counts().staleServes()).isGreaterThanOrEqualTo(100);
        assertThat(cache.counts().refreshes()).isEqualTo(1);
        assertThat(cache.counts().misses()).isZero();
    }

    @Test
    void aStaleValueIsServedOnWhenItsLoadFailsWhichIsNotTriedAgainAtOnce() {
        Cache<String> cache =
                cache(Redis.patient().staleFor(Duration.ofMinutes(5)).failureTimeToLive(TEN_MINUTES));
        cache.put("key", "old");
        time.advance(TEN_MINUTES);
        Loader<String> failing = key -> {
            loads.incrementAndGet();
            throw new IOException("the service is down");
        };

        assertThat(cache.get("key", failing)).isEqualTo("old");
        Eventually.is("the load failed", 1L, () -> cache.counts().loadFailures());
        for (int i = 0; i < 100; i++) {
            assertThat(cache.get("key", failing)).isEqualTo("old");
        }

        assertThat(loads.get()).as("it rests for a second").isLessThan(10);
        Eventually.holds(
                "it is tried again later", () -> cache.get("key", this::load), value -> value.startsWith("key#"));
    }

    @Test
    void aCacheThatServesNothingStaleLoadsWhatAnotherKeptForLonger() {
        cache(Redis.patient().staleFor(Duration.ofMinutes(5))).put("key", "old");
        Cache<String> strict = cache(Redis.patient());
        time.advance(TEN_MINUTES);

        assertThat(strict.get("key", this::load)).isEqualTo("key#1");
        assertThat(strict.counts().staleServes()).isZero();
    }

    @Test
    void clocksThatDisagreeDoNoHarmWhereRedisAloneEndsALife() {
        Cache<String> cache = cache(Redis.patient());
        cache.put("key", "value");
        time.advance(Duration.ofDays(1));

        assertThat(cache.get("key", this::load)).isEqualTo("value");
    }

    @Test
    void anEntryIsLoadedAgainOnceInTheLastPartOfItsTime() throws Exception {
        Cache<String> cache = cache(Redis.patient().refreshAhead(0.2));
        cache.put("key", "old");

        time.advance(Duration.ofSeconds(479));
        List<String> before = Crowd.ask(100, () -> cache.get("key", this::load));
        assertThat(cache.counts().refreshes()).isZero();
        time.advance(Duration.ofSeconds(1));
        List<String> after = Crowd.ask(100, () -> cache.get("key", this::load));
        Eventually.is("the new value is there", "key#1", () -> cache.get("key", this::load));

        assertThat(before).containsOnly("old");
        assertThat(after).containsAnyOf("old").isSubsetOf("old", "key#1");
        assertThat(loads).hasValue(1);
        assertThat(cache.counts().refreshes()).isEqualTo(1);
        assertThat(cache.counts().misses()).isZero();
        assertThat(cache.counts().staleServes()).isZero();
    }

    @Test
    void anEntryThatCannotBeDecodedIsAMissAndCounted() {
        RedisClient client = REDIS.client();
        Cache<String> cache = cache(Redis.patient());
        Codec<String> old = Codec.versioned(1, Codec.text());
        Cache<String> versioned = REDIS.closing(Cache.of(
                client,
                "texts",
                Codec.versioned(2, Codec.text()),
                Redis.patient().build()));
        REDIS.closing(Cache.of(client, "texts", old, Redis.patient().build())).put("versioned", "old");
        client.call(Strings.set("texts:foreign", "written by somebody else"));
        cache.put("one", "value of one");
        client.call(Keys.rename("texts:one", "texts:other"));

        assertThat(cache.get("foreign", this::load)).isEqualTo("foreign#1");
        assertThat(cache.get("other", this::load)).isEqualTo("other#2");
        assertThat(versioned.get("versioned", this::load)).isEqualTo("versioned#3");

        assertThat(cache.counts().undecodable()).isEqualTo(2);
        assertThat(cache.counts().misses()).isEqualTo(2);
        assertThat(cache.counts().errors()).isZero();
        assertThat(versioned.counts().undecodable()).isEqualTo(1);
    }

    @Test
    void aKeyOfAnotherTypeIsAnErrorAndIsOverwritten() {
        RedisClient client = REDIS.client();
        Cache<String> cache = cache(Redis.patient());
        client.call(Lists.pushLeft("texts:key", "no string"));

        assertThat(cache.get("key", this::load)).isEqualTo("key#1");
        Eventually.holds(
                "it is overwritten",
                () -> {
                    assertThat(cache.get("key", this::load)).startsWith("key#");
                    return cache.counts();
                },
                now -> now.hits() > 0);
        assertThat(cache.counts().errors()).isPositive();
    }

    @Test
    void aValueThatCannotBeEncodedIsServedAndNotKept() {
        Cache<String> cache = REDIS.closing(
                Cache.of(REDIS.client(), "texts", new OneWay(), Redis.patient().build()));

        assertThat(cache.get("key", this::load)).isEqualTo("key#1");
        Eventually.is("it was tried", 1L, () -> cache.counts().errors());
        Eventually.is("it is loaded again", "key#2", () -> cache.get("key", this::load));
        assertThatThrownBy(() -> cache.put("key", "value")).isInstanceOf(IllegalStateException.class);
    }

    private static final class OneWay implements Codec<String> {

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
    void optionsOutOfTheirRangeAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> CacheOptions.builder().timeToLive(Duration.ZERO).build())
                .withMessage("timeToLive is out of range: PT0S. It is from PT0.001S to PT8760H.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> CacheOptions.builder().jitter(Double.NaN).build())
                .withMessage("jitter is out of range: NaN. It is from 0.0 to 1.0.");
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> CacheOptions.builder().lease(Duration.ofMillis(1)).build())
                .withMessage("lease is out of range: PT0.001S. It is zero or from PT0.1S to PT1H.");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        CacheOptions.builder().deadline(Duration.ofMillis(100)).build())
                .withMessage("redisTimeout is out of range: PT0.5S. It is from PT0.001S to PT0.1S.");
        RedisClient client = REDIS.client();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Cache.of(client, "a{b}", Codec.text(), CacheOptions.defaults()))
                .withMessageStartingWith("name is no name of a cache: a{b}.");
    }
}
