// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Strings;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Entries that other programs can read and write. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class PlainFormatTest {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final AtomicInteger loads = new AtomicInteger();

    private record Price(String currency, int cents) {}

    private static CacheOptions.Builder options() {
        return RedisExtension.longTimeouts().timeToLive(Duration.ofMinutes(10)).jitter(0);
    }

    private static <V> CacheBuilder<V> plain(Codec<V> codec, CacheOptions.Builder options) {
        return Cache.builder(REDIS.client(), "texts", codec)
                .options(options.build())
                .format(Format.PLAIN);
    }

    private static <V> Cache<V> cache(Codec<V> codec) {
        return REDIS.closeAfterTest(plain(codec, options()).build());
    }

    private String load(String key) {
        return key + "#" + loads.incrementAndGet();
    }

    private static void awaitEntry(RedisClient client, String key) {
        Eventually.is("the entry is written", 1L, () -> client.call(Keys.exist("texts:" + key)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void redisContainsTheValueAloneWithItsTimeToLive(boolean leased) {
        RedisClient client = REDIS.client();
        CacheOptions.Builder options = leased ? RedisExtension.leased(Duration.ofSeconds(60)) : options();
        Cache<String> cache = REDIS.closeAfterTest(
                plain(Codec.text(), options.timeToLive(Duration.ofMinutes(10)).jitter(0))
                        .build());

        cache.get("loaded", this::load);
        awaitEntry(client, "loaded");
        cache.put("put", "value", Duration.ofHours(1));

        assertThat(client.call(Strings.get("texts:loaded"))).hasValue("loaded#1");
        assertThat(client.call(Strings.get("texts:put"))).hasValue("value");
        assertThat(millisLeft(client, "loaded")).isBetween(540_000L, 600_000L);
        assertThat(millisLeft(client, "put")).isBetween(3_540_000L, 3_600_000L);
        assertThat(cache.get("loaded", this::load)).isEqualTo("loaded#1");
    }

    private static long millisLeft(RedisClient client, String key) {
        return client.call(Command.of("PTTL", "texts:" + key).as(Replies::integer));
    }

    @Test
    void valueOfAnotherProgramIsAHit() {
        Cache<String> cache = cache(Codec.text());
        REDIS.client().call(Strings.set("texts:foreign", "written by another program"));

        assertThat(cache.get("foreign", this::load)).isEqualTo("written by another program");
        assertThat(cache.getAll(List.of("foreign"), this::load)).containsValue("written by another program");
        assertThat(cache.stats().hits()).isEqualTo(2);
    }

    @Test
    void recordsAreReadableAsJsonAndBytesAsBytes() {
        RedisClient client = REDIS.client();
        Cache<Price> prices = cache(JsonCodec.of(Price.class));
        Cache<byte[]> bytes = cache(Codec.bytes());

        prices.put("price", new Price("EUR", 199));
        bytes.put("bytes", new byte[] {0, 1, (byte) 0xff});

        assertThat(client.call(Strings.get("texts:price"))).hasValue("{\"currency\":\"EUR\",\"cents\":199}");
        assertThat(prices.getIfPresent("price")).hasValue(new Price("EUR", 199));
        assertThat(bytes.getIfPresent("bytes"))
                .hasValueSatisfying(value -> assertThat(value).containsExactly(0, 1, 0xff));
        assertThat(client.call(Strings.get("texts:bytes".getBytes(StandardCharsets.UTF_8))))
                .hasValueSatisfying(value -> assertThat(value).containsExactly(0, 1, 0xff));
    }

    @Test
    void undecodableValueIsCountedAsAMissAndLoadedAgain() {
        Cache<Price> cache = cache(JsonCodec.of(Price.class));
        REDIS.client().call(Strings.set("texts:key", "not JSON"));

        assertThat(cache.get("key", key -> new Price("EUR", 1))).isEqualTo(new Price("EUR", 1));
        assertThat(cache.stats().undecodable()).isEqualTo(1);
    }

    @Test
    void absenceOfAValueIsNotCached() {
        RedisClient client = REDIS.client();
        Cache<String> cache = cache(Codec.text());

        assertThat(cache.find("key", key -> Optional.empty())).isEmpty();
        assertThat(cache.find("key", key -> Optional.of(load(key)))).hasValue("key#1");

        awaitEntry(client, "key");
        assertThat(client.call(Strings.get("texts:key"))).hasValue("key#1");
    }

    @Test
    void nearCacheDropsAPlainEntryThatAnotherProgramChanges() {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.closeAfterTest(plain(Codec.text(), options())
                .near(NearCacheOptions.entries(100).withPingInterval(Duration.ofSeconds(10)))
                .build());
        cache.put("key", "value");
        Eventually.holds(
                "the entry is kept in this process",
                () -> {
                    assertThat(cache.get("key", this::load)).isEqualTo("value");
                    return cache.stats().nearHits();
                },
                hits -> hits > 0);

        client.call(Strings.set("texts:key", "changed"));

        Eventually.is("the change is seen", "changed", () -> cache.get("key", this::load));
    }

    @Test
    void optionsThatNeedAHeaderAreRefused() {
        Duration minute = Duration.ofMinutes(1);
        assertRefused(plain(Codec.text(), options().staleFor(minute)), "staleFor");
        assertRefused(plain(Codec.text(), options().refreshAhead(0.1)), "refreshAhead");
        assertRefused(plain(Codec.text(), options().failureTimeToLive(minute)), "failureTimeToLive");
        assertRefused(plain(Codec.text(), options().negativeTimeToLive(minute.multipliedBy(5))), "negativeTimeToLive");
        assertRefused(plain(VersionedCodec.of(1, Codec.text()), options()), "VersionedCodec");
    }

    private static void assertRefused(CacheBuilder<?> builder, String setting) {
        assertThatIllegalArgumentException()
                .isThrownBy(builder::build)
                .withMessage("the plain format does not support " + setting + ": cache=texts, format=PLAIN."
                        + " Use Format.WITH_HEADER, or leave out " + setting + ".");
    }
}
