// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Codec;
import io.millrace.client.exception.RedisException;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Entries that are read without a lookup, and the origins of looked-up values. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CachedEntryTest {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private LoadingCache<String> cache(CacheOptions.Builder options) {
        return Cache.builder(REDIS.client(), "entries", Codec.text())
                .options(options.jitter(0).build())
                .buildLoading(key -> key + "!");
    }

    @Test
    void lookupTellsALoadedValueFromACachedOne() {
        try (LoadingCache<String> cache = cache(CacheOptions.builder().timeToLive(Duration.ofHours(1)))) {
            CachedEntry<String> loaded = cache.lookup("loaded");
            Eventually.is("the value is cached", 1L, () -> cache.cache().stats().writes());
            CachedEntry<String> cached = cache.lookup("loaded");

            assertThat(loaded)
                    .isEqualTo(
                            new CachedEntry<>(Optional.of("loaded!"), CachedEntry.State.LOADED, Optional.empty(), 0));
            assertThat(cached.state()).isEqualTo(CachedEntry.State.FRESH);
            assertThat(cached.value()).contains("loaded!");
            assertThat(cached.timeLeft().orElseThrow()).isBetween(Duration.ofMinutes(50), Duration.ofHours(1));
            assertThat(cached.bytes()).isGreaterThan("loaded!".length());
        }
    }

    @ParameterizedTest
    @CsvSource({"0, LOADED", "3600, NEGATIVE"})
    void loadedAbsenceIsNoCachedAbsence(int negativeSeconds, CachedEntry.State second) {
        CacheOptions options = CacheOptions.builder()
                .negativeTimeToLive(Duration.ofSeconds(negativeSeconds))
                .build();
        try (LoadingCache<String> cache = Cache.builder(REDIS.client(), "entries", Codec.text())
                .options(options)
                .buildFinding(key -> Optional.empty())) {
            CachedEntry<String> first = cache.lookup("absent");
            Eventually.is(
                    "the absence is cached, if absences are cached",
                    negativeSeconds > 0,
                    () -> cache.cache().entry("absent").isPresent());

            assertThat(first)
                    .isEqualTo(new CachedEntry<>(Optional.empty(), CachedEntry.State.LOADED, Optional.empty(), 0));
            assertThat(cache.lookup("absent").state()).isEqualTo(second);
        }
    }

    @Test
    void emptyPlainTextInRedisIsACachedValue() {
        try (Cache<String> cache = Cache.builder(REDIS.client(), "entries", Codec.text())
                .format(Format.PLAIN)
                .build()) {
            cache.put("empty", "");

            assertThat(cache.entry("empty"))
                    .contains(new CachedEntry<>(Optional.of(""), CachedEntry.State.FRESH, Optional.empty(), 0));
        }
    }

    @Test
    void interruptedReaderOfAnEntryGetsTheExceptionOfTheCache() {
        try (LoadingCache<String> cache = cache(CacheOptions.builder())) {
            REDIS.server().pause();
            try {
                Thread.currentThread().interrupt();

                assertThatThrownBy(() -> cache.cache().entry("k")).isInstanceOf(LoadInterruptedException.class);
                assertThat(Thread.interrupted()).isTrue();
            } finally {
                REDIS.server().resume();
            }
        }
    }

    @Test
    void staleValueHasANegativeTimeLeft() {
        CacheOptions.Builder options =
                CacheOptions.builder().timeToLive(Duration.ofMillis(1)).staleFor(Duration.ofHours(1));
        try (LoadingCache<String> cache = cache(options)) {
            cache.cache().put("stale", "old");
            Eventually.holds(
                    "the time to live has ended",
                    () -> cache.cache().entry("stale").orElseThrow(),
                    entry -> entry.timeLeft().orElseThrow().isNegative());

            CachedEntry<String> entry = cache.cache().entry("stale").orElseThrow();

            assertThat(entry.state()).isEqualTo(CachedEntry.State.STALE);
            assertThat(entry.value()).contains("old");
        }
    }

    @Test
    void readingAnEntryCountsNoLookupAndLoadsNothing() {
        try (LoadingCache<String> cache = cache(CacheOptions.builder())) {
            assertThat(cache.cache().entry("absent")).isEmpty();
            assertThat(cache.cache().stats().lookups()).isZero();
            assertThat(cache.cache().stats().loads()).isZero();
        }
    }

    @Test
    void entryOfAServerThatDoesNotAnswerIsAFailure() {
        try (LoadingCache<String> cache = cache(CacheOptions.builder().redisTimeout(Duration.ofMillis(50)))) {
            REDIS.server().pause();
            try {
                assertThatThrownBy(() -> cache.cache().entry("k")).isInstanceOf(RedisException.class);
            } finally {
                REDIS.server().resume();
            }
        }
    }
}
