// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.CacheOptions;
import io.millrace.cache.NearCacheOptions;
import io.millrace.cache.NearCacheOptions.Limit;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that each option of a cache has a key, and that each key sets its option. No two values are equal. */
class CacheKeysTest {

    /** The size of the near cache. Its keys are {@code near.entries} and {@code near.bytes}. */
    private static final Set<String> SIZE = Set.of("limit", "maximum");

    static Stream<Arguments> keys() {
        return Stream.of(
                key("time-to-live=3m", CacheOptions::timeToLive, Duration.ofMinutes(3)),
                key("jitter=0.3", CacheOptions::jitter, 0.3),
                key("negative-time-to-live=4m", CacheOptions::negativeTimeToLive, Duration.ofMinutes(4)),
                key("failure-time-to-live=5s", CacheOptions::failureTimeToLive, Duration.ofSeconds(5)),
                key("stale-for=6m", CacheOptions::staleFor, Duration.ofMinutes(6)),
                key("refresh-ahead=0.2", CacheOptions::refreshAhead, 0.2),
                key("lease=7s", CacheOptions::lease, Duration.ofSeconds(7)),
                key("deadline=8s", CacheOptions::deadline, Duration.ofSeconds(8)),
                key("load-timeout=9s", CacheOptions::loadTimeout, Duration.ofSeconds(9)),
                key("redis-timeout=100ms", CacheOptions::redisTimeout, Duration.ofMillis(100)),
                key("concurrent-loads=11", CacheOptions::concurrentLoads, 11),
                near("near.entries=12", CacheKeysTest::size, Limit.ENTRIES + " 12"),
                near("near.bytes=13KB", CacheKeysTest::size, Limit.BYTES + " " + 13 * 1_024),
                near("near.ping-interval=14s", NearCacheOptions::pingInterval, Duration.ofSeconds(14)),
                near("near.buffer=1500", NearCacheOptions::buffer, 1_500));
    }

    private static Arguments key(String pair, Function<CacheOptions, Object> option, Object expected) {
        Function<CacheSettings, Object> setting = settings -> option.apply(settings.options());
        return Arguments.of(pair, setting, expected);
    }

    private static Arguments near(String pair, Function<NearCacheOptions, Object> option, Object expected) {
        Function<CacheSettings, Object> setting = settings -> option.apply(settings.near());
        return Arguments.of(pair, setting, expected);
    }

    private static Object size(NearCacheOptions near) {
        return near.limit() + " " + near.maximum();
    }

    private static CacheSettings settings(Map<String, String> keys) {
        return CacheSettings.of(TestCaches.keys(keys).of("a"), CacheProperties.prefix("a"));
    }

    @ParameterizedTest
    @MethodSource("keys")
    void valueOfAKeyIsAnOptionOfTheCache(String pair, Function<CacheSettings, Object> setting, Object expected) {
        String key = pair.substring(0, pair.indexOf('='));
        String value = pair.substring(pair.indexOf('=') + 1);

        assertThat(setting.apply(settings(Map.of()))).as("default").isNotEqualTo(expected);
        assertThat(List.of("defaults.", "caches.a."))
                .allSatisfy(level -> assertThat(setting.apply(settings(Map.of("millrace.cache." + level + key, value))))
                        .isEqualTo(expected));
    }

    @Test
    void eachOptionOfTheCacheHasAKey() {
        Set<String> tested =
                Set.copyOf(keys().map(arguments -> (String) arguments.get()[0])
                        .map(pair -> pair.substring(0, pair.indexOf('=')))
                        .map(key -> key.replace("near.", ""))
                        .toList());

        assertThat(Stream.of(CacheOptions.class, NearCacheOptions.class)
                        .flatMap(type -> Arrays.stream(type.getRecordComponents()))
                        .map(RecordComponent::getName)
                        .filter(name -> !SIZE.contains(name))
                        .map(name -> name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT)))
                .isNotEmpty()
                .allSatisfy(option -> assertThat(tested).contains(option));
    }
}
