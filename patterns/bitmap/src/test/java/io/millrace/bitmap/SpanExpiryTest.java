// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.command.TimeToLive;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
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

    /** A strong reference, because the garbage collector may remove a logger and its handlers. */
    private static final Logger LOGGER = Logger.getLogger("io.millrace.bitmap");

    private final Records records = new Records();

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
        Activity active =
                Activity.of(client, "site", ActivityOptions.keptFor(after).encoding(encoding));
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
                client, "site", ActivityOptions.keptFor(Duration.ofDays(10)).encoding(encoding));
        active.load("login", day, manyIds());
        Instant expected = day.end(ZoneOffset.UTC).plus(Duration.ofDays(10));

        assertThat(active.mark("login", 30_000, lastWeek)).isTrue();
        assertThat(active.load("login", day, LongStream.range(0, 25_000))).isEqualTo(new LoadCounts(25_000, 5_000, 0));

        REDIS.keys(client).stream()
                .filter(key -> !key.equals(HEADER))
                .forEach(key -> assertExpires(client, key, expected));
    }

    @ParameterizedTest
    @EnumSource
    void markAfterTheExpiryIsNotStoredButCounted(Encoding encoding) {
        RedisClient client = REDIS.client();
        LocalDate longAgo = LocalDate.of(2020, 2, 29);
        Span day = Span.day(longAgo);
        Activity active = Activity.of(
                client, "site", ActivityOptions.keptFor(Duration.ofMillis(1)).encoding(encoding));
        LOGGER.addHandler(records);

        assertThat(active.mark("login", 1, longAgo)).isFalse();
        assertThat(active.mark("login", List.of(Mark.on(1, longAgo), Mark.on(2, longAgo))))
                .isZero();
        assertThat(active.load("login", day, manyIds())).isEqualTo(new LoadCounts(20_002, 0, 20_002));
        assertThat(active.mark("login", 1, LocalDate.of(1960, 1, 1))).isFalse();

        assertThat(REDIS.keys(client)).containsExactly(HEADER);
        assertThat(active.count(SetExpression.active("login", day))).isZero();
        assertThat(active.expiredMarks()).isEqualTo(1 + 2 + 20_002 + 1);
        assertThat(records.texts)
                .containsExactly("marks were not stored, because their spans have expired: name=site, expired=1."
                        + " Add only marks of younger spans, or keep the spans longer (Activity.keepFor).");
    }

    @AfterEach
    void removeHandler() {
        LOGGER.removeHandler(records);
    }

    /** The server would allocate 500 MB, and delete them again. */
    @Test
    void lateMarkOfALargeIdAllocatesNoMemory() {
        RedisClient client = REDIS.client();
        Activity active = Activity.of(
                client, "site", ActivityOptions.keptFor(Duration.ofDays(1)).encoding(Encoding.BITMAP));
        long before = peakMemory(client);

        assertThat(active.mark("login", 4_000_000_000L, LocalDate.of(2020, 2, 29)))
                .isFalse();

        assertThat(peakMemory(client) - before).isLessThan(100_000_000);
    }

    private static long peakMemory(RedisClient client) {
        Matcher bytes = Pattern.compile("used_memory_peak:(\\d+)").matcher(client.call(Server.info("memory")));
        assertThat(bytes.find()).isTrue();
        return Long.parseLong(bytes.group(1));
    }

    @ParameterizedTest
    @EnumSource
    void marksAreGoneAfterTheExpiry(Encoding encoding) {
        RedisClient client = REDIS.client();
        Span today = Span.of(Granularity.DAY, client.call(Server.time()), ZoneOffset.UTC);
        Activity active = Activity.of(
                client, "site", ActivityOptions.keptFor(Duration.ofDays(400)).encoding(encoding));
        active.load("login", today, manyIds());
        assertThat(active.contains("login", today, 1)).isTrue();

        REDIS.keys(client).stream()
                .filter(key -> !key.equals(HEADER))
                .forEach(key -> client.call(Keys.expire(key, Duration.ofMillis(1))));

        Eventually.holds("the marks are gone", () -> !active.contains("login", today, 1));
        Eventually.holds("the keys are gone", () -> REDIS.keys(client).equals(Set.of(HEADER)));
        assertThat(active.mark("login", 1, today.start())).isTrue();
    }

    /** A write of an unchanged expiry would be replicated, and written to the append-only file. */
    @ParameterizedTest
    @EnumSource
    void repeatedMarkIsNoWrite(Encoding encoding) {
        RedisClient client = REDIS.client();
        LocalDate today = LocalDate.ofInstant(client.call(Server.time()), ZoneOffset.UTC);
        Activity active = Activity.of(
                client, "site", ActivityOptions.keptFor(Duration.ofDays(400)).encoding(encoding));
        active.mark("login", 7, today);
        long before = changes(client);

        assertThat(active.mark("login", 7, today)).isFalse();

        assertThat(changes(client)).isEqualTo(before);
        assertThat(active.mark("login", 8, today)).isTrue();
        assertThat(changes(client)).isGreaterThan(before);
    }

    private static long changes(RedisClient client) {
        Matcher changes =
                Pattern.compile("rdb_changes_since_last_save:(\\d+)").matcher(client.call(Server.info("persistence")));
        assertThat(changes.find()).isTrue();
        return Long.parseLong(changes.group(1));
    }

    /** A second client uses an expiry that it has read before the change. */
    @ParameterizedTest
    @EnumSource
    void laterKeysOfASpanTakeOverItsExpiry(Encoding encoding) {
        RedisClient client = REDIS.client();
        LocalDate today = LocalDate.ofInstant(client.call(Server.time()), ZoneOffset.UTC);
        Activity former = Activity.of(
                client, "site", ActivityOptions.keptFor(Duration.ofDays(400)).encoding(encoding));
        former.mark("login", 1, today);
        former.mark("signup", 1, today);

        Activity.find(client, "site").orElseThrow().keepFor(Duration.ofDays(30));
        former.mark("login", 1L << 20, today);
        former.load("signup", Span.day(today), manyIds());

        Instant expected = Span.day(today).end(ZoneOffset.UTC).plus(Duration.ofDays(30));
        REDIS.keys(client).stream()
                .filter(key -> !key.equals(HEADER))
                .forEach(key -> assertExpires(client, key, expected));
        Activity.find(client, "site").orElseThrow().keepForever();
        former.mark("login", 1L << 24, today);
        former.load("signup", Span.day(today), LongStream.of(1L << 25, 1L << 26));
        assertThat(REDIS.keys(client))
                .allSatisfy(key -> assertThat(client.call(Keys.timeToLive(key))).isEqualTo(new TimeToLive.Unlimited()));
    }

    @ParameterizedTest
    @EnumSource
    void changedExpiryAppliesToTheHeaderAndToAllKeysOfEachGranularity(Granularity granularity) {
        RedisClient client = REDIS.client();
        Instant now = client.call(Server.time());
        for (Encoding encoding : Encoding.values()) {
            ActivityOptions options =
                    ActivityOptions.keptForever().granularity(granularity).encoding(encoding);
            Activity active = Activity.of(client, encoding.name(), options);
            Span span = Span.of(granularity, now, ZoneOffset.UTC);
            active.load("page:view", span, manyIds());
            active.mark("page:view", 77_777, span.start());
            active.load("page:view", Span.of(granularity, LocalDateTime.of(2020, 2, 29, 13, 0)), manyIds());

            active.keepFor(Duration.ofDays(20));

            String header = "{" + encoding.name() + "}:activity";
            assertThat(client.call(Strings.get(header)).orElseThrow()).endsWith(" zone=Z expiry=PT480H");
            assertThat(active.options().expireAfter()).isEqualTo(Duration.ofDays(20));
            Instant expected = span.end(ZoneOffset.UTC).plus(Duration.ofDays(20));
            List<String> keys = REDIS.keys(client).stream()
                    .filter(key -> key.startsWith(header + ":"))
                    .toList();
            assertThat(keys).isNotEmpty().noneMatch(key -> key.contains("2020"));
            keys.forEach(key -> assertExpires(client, key, expected));
            assertThat(active.count(SetExpression.active("page:view", span))).isEqualTo(20_003);
        }
    }

    @Test
    void dayEndsAtMidnightInTheZoneOfTheActivity() {
        RedisClient client = REDIS.client();
        ZoneId auckland = ZoneId.of("Pacific/Auckland");
        Instant now = client.call(Server.time());
        Activity active = Activity.of(
                client, "site", ActivityOptions.keptFor(Duration.ofDays(2)).zone(auckland));

        active.mark("login", 1, now);

        LocalDate today = LocalDate.ofInstant(now, auckland);
        Instant expected = today.plusDays(1).atStartOfDay(auckland).toInstant().plus(Duration.ofDays(2));
        assertExpires(client, HEADER + ":login:" + today + ":0", expected);
        assertExpires(client, HEADER + ":login:" + today + ":chunks", expected);
    }

    @Test
    void keysThatAreKeptForeverNeverExpire() {
        RedisClient client = REDIS.client();
        Activity active = Activity.of(client, "site", ActivityOptions.keptForever());

        active.mark("login", 1, LocalDate.of(2020, 2, 29));

        assertThat(REDIS.keys(client))
                .hasSize(3)
                .allSatisfy(key -> assertThat(client.call(Keys.timeToLive(key))).isEqualTo(new TimeToLive.Unlimited()));
    }

    @Test
    void illegalExpiryIsRejected() {
        RedisClient client = REDIS.client();
        Activity active = Activity.of(client, "site", ActivityOptions.keptForever());

        assertThatThrownBy(() -> ActivityOptions.keptFor(Duration.ofMillis(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("expireAfter=-1 ms is out of range: 1 ms to ");
        assertThatThrownBy(() -> ActivityOptions.keptFor(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> active.keepFor(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
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

    /** The texts of the log records. */
    private static final class Records extends Handler {

        private final ConcurrentLinkedQueue<String> texts = new ConcurrentLinkedQueue<>();

        @Override
        public void publish(LogRecord logged) {
            texts.add(logged.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
