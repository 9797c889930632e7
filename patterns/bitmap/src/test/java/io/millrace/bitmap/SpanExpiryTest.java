// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Server;
import io.millrace.client.command.TimeToLive;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The keys of a span expire a fixed time after the end of the span. The times are times of the server. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SpanExpiryTest {

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private static final String HEADER = "{site}:activity";
    private static final Duration ACCURACY = Duration.ofSeconds(20);

    /** Ids of several chunks, dense enough for blocks of bits. */
    private static LongStream manyIds() {
        return LongStream.concat(LongStream.range(0, 20_000), LongStream.of(1L << 20, 1L << 24));
    }

    @ParameterizedTest
    @EnumSource
    void keysOfASpanExpireAtTheSameTimeHoweverTheyWereMarked(Encoding encoding) {
        RedisClient client = REDIS.client();
        Duration after = Duration.ofDays(30);
        Activity active = Activity.of(
                client, "site", ActivityOptions.keptForever().encoding(encoding).expireAfter(after));
        Instant now = client.call(Server.time());
        LocalDate today = LocalDate.ofInstant(now, ZoneOffset.UTC);
        Instant expected = Span.day(today).end(ZoneOffset.UTC).plus(after);

        active.mark("single", 10_000_000, today);
        active.mark("batch", List.of(Mark.on(1, today), Mark.on(1L << 22, today)));
        active.load("load", Span.day(today), manyIds());
        active.mark("load", 77_777, today);

        Set<String> keys = REDIS.keys(client);
        keys.stream().filter(key -> !key.equals(HEADER)).forEach(key -> assertExpires(client, key, expected));
        assertThat(keys).contains(HEADER).hasSizeGreaterThanOrEqualTo(4);
        assertThat(client.call(Keys.timeToLive(HEADER))).isEqualTo(new TimeToLive.Unlimited());
    }

    @ParameterizedTest
    @EnumSource
    void lateMarkDoesNotRenewTheExpiry(Encoding encoding) {
        RedisClient client = REDIS.client();
        Instant now = client.call(Server.time());
        LocalDate lastWeek = LocalDate.ofInstant(now, ZoneOffset.UTC).minusDays(7);
        Span day = Span.day(lastWeek);
        Activity active = Activity.of(
                client, "site", ActivityOptions.keptForever().encoding(encoding).expireAfter(Duration.ofDays(10)));
        active.load("login", day, manyIds());
        Instant expected = day.end(ZoneOffset.UTC).plus(Duration.ofDays(10));

        assertThat(active.mark("login", 30_000, lastWeek)).isTrue();
        assertThat(active.load("login", day, LongStream.range(0, 25_000))).isEqualTo(new LoadCounts(25_000, 5_000));

        REDIS.keys(client).stream()
                .filter(key -> !key.equals(HEADER))
                .forEach(key -> assertExpires(client, key, expected));
    }

    @ParameterizedTest
    @EnumSource
    void markAfterTheExpiryIsNotStored(Encoding encoding) {
        RedisClient client = REDIS.client();
        LocalDate longAgo = LocalDate.of(2020, 2, 29);
        Span day = Span.day(longAgo);
        Activity active = Activity.of(
                client, "site", ActivityOptions.keptForever().encoding(encoding).expireAfter(Duration.ofMillis(1)));

        assertThat(active.mark("login", 1, longAgo)).isFalse();
        assertThat(active.mark("login", List.of(Mark.on(1, longAgo), Mark.on(2, longAgo))))
                .isZero();
        assertThat(active.load("login", day, manyIds())).isEqualTo(new LoadCounts(20_002, 0));
        assertThat(active.mark("login", 1, LocalDate.of(1960, 1, 1))).isFalse();

        assertThat(REDIS.keys(client)).containsExactly(HEADER);
        assertThat(active.count(SetExpression.active("login", day))).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void marksAreGoneAfterTheExpiry(Encoding encoding) {
        RedisClient client = REDIS.client();
        Instant now = client.call(Server.time());
        Span lastHour = Span.of(Granularity.HOUR, now, ZoneOffset.UTC).plus(-1);
        Duration after = Duration.between(lastHour.end(ZoneOffset.UTC), now).plusSeconds(3);
        Activity active = Activity.of(
                client,
                "site",
                ActivityOptions.keptForever()
                        .granularity(Granularity.HOUR)
                        .encoding(encoding)
                        .expireAfter(after));

        assertThat(active.mark("login", 1, lastHour.start())).isTrue();
        assertThat(active.contains("login", lastHour, 1)).isTrue();

        Eventually.holds("the marks are gone", () -> !active.contains("login", lastHour, 1));
        assertThat(REDIS.keys(client)).containsExactly(HEADER);
    }

    @Test
    void dayEndsAtMidnightInTheZoneOfTheActivity() {
        RedisClient client = REDIS.client();
        ZoneId auckland = ZoneId.of("Pacific/Auckland");
        Instant now = client.call(Server.time());
        Activity active = Activity.of(
                client, "site", ActivityOptions.keptForever().zone(auckland).expireAfter(Duration.ofDays(2)));

        active.mark("login", 1, now);

        LocalDate today = LocalDate.ofInstant(now, auckland);
        Instant expected = today.plusDays(1).atStartOfDay(auckland).toInstant().plus(Duration.ofDays(2));
        assertExpires(client, HEADER + ":login:" + today + ":0", expected);
        assertExpires(client, HEADER + ":login:" + today + ":chunks", expected);
    }

    @Test
    void keysWithoutTheOptionNeverExpire() {
        RedisClient client = REDIS.client();
        Activity active = Activity.of(client, "site", ActivityOptions.keptForever());

        active.mark("login", 1, LocalDate.of(2020, 2, 29));

        assertThat(REDIS.keys(client))
                .hasSize(3)
                .allSatisfy(key -> assertThat(client.call(Keys.timeToLive(key))).isEqualTo(new TimeToLive.Unlimited()));
    }

    @Test
    void illegalExpiryIsRejected() {
        assertThatThrownBy(() -> ActivityOptions.keptForever().expireAfter(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("expireAfter=-1 ms is out of range: zero, or 1 ms to 36,500 days.");
    }

    private static void assertExpires(RedisClient client, String key, Instant expected) {
        Instant now = client.call(Server.time());
        assertThat(client.call(Keys.timeToLive(key)))
                .as(key)
                .isInstanceOfSatisfying(
                        TimeToLive.Expires.class,
                        expiry -> assertThat(expiry.left().toMillis())
                                .isCloseTo(Duration.between(now, expected).toMillis(), within(ACCURACY.toMillis())));
    }
}
