// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Server;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.YearMonth;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs all operations with all encodings, and compares the results with the results of plain Java sets. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ActivityTest {

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private static final List<String> EVENTS = List.of("login", "page:view");
    private static final LocalDateTime MONDAY = LocalDateTime.of(2026, 11, 2, 0, 0);

    static Stream<Arguments> configurations() {
        return Stream.of(
                Arguments.of(Encoding.BITMAP, Granularity.DAY, 3_000_000L, 1),
                Arguments.of(Encoding.BITMAP, Granularity.HOUR, 5_000L, 2),
                Arguments.of(Encoding.BITMAP, Granularity.WEEK, 100L, 3),
                Arguments.of(Encoding.BITMAP, Granularity.MONTH, 2_000L, 4),
                Arguments.of(Encoding.CHUNKED, Granularity.DAY, 1L << 23, 5),
                Arguments.of(Encoding.CHUNKED, Granularity.DAY, 1L << 40, 6),
                Arguments.of(Encoding.COMPRESSED, Granularity.DAY, 1L << 40, 7),
                Arguments.of(Encoding.COMPRESSED, Granularity.HOUR, 3_000L, 8),
                Arguments.of(Encoding.SET, Granularity.DAY, 1L << 40, 9),
                Arguments.of(Encoding.SET, Granularity.HOUR, 3_000L, 10));
    }

    @ParameterizedTest(name = "{0} by {1}, ids below {2}")
    @MethodSource("configurations")
    void allReadResultsEqualTheResultsOfPlainSets(Encoding encoding, Granularity granularity, long ids, long seed) {
        RedisClient client = REDIS.client();
        SplittableRandom random = new SplittableRandom(seed);
        Model model = new Model(granularity);
        Activity active = Activity.of(
                client,
                "site",
                ActivityOptions.keptForever()
                        .granularity(granularity)
                        .encoding(encoding)
                        .threads(2));
        markWithAllMethods(active, model, ids, random);

        List<Span> spans = Span.of(granularity, MONDAY).consecutive(6);
        for (int i = 0; i < 12; i++) {
            SetExpression setExpression = Model.expression(random, EVENTS, spans, 3);

            assertThat(active.count(setExpression))
                    .as("seed %d: %s", seed, setExpression)
                    .isEqualTo(model.of(setExpression).size());
            assertThat(active.members(setExpression).toArray())
                    .as("seed %d: %s", seed, setExpression)
                    .isEqualTo(
                            model.of(setExpression).stream().mapToLong(id -> id).toArray());
        }
        for (String event : EVENTS) {
            assertThat(active.retention(event, spans)).isEqualTo(model.retention(event, spans, false));
            assertThat(active.cohorts(event, spans)).isEqualTo(model.retention(event, spans, true));
            Map<Span, Long> counts = new LinkedHashMap<>();
            spans.forEach(span -> counts.put(
                    span, (long) model.of(SetExpression.active(event, span)).size()));
            assertThat(active.counts(event, spans)).isEqualTo(counts);
        }
        assertThat(REDIS.keys(client)).noneMatch(key -> key.contains("temporary"));
    }

    private static void markWithAllMethods(Activity active, Model model, long ids, SplittableRandom random) {
        for (String event : EVENTS) {
            for (Mark.AtTime mark : marks(random, 60, ids)) {
                boolean added = model.mark(event, mark);
                assertThat(active.mark(event, mark.id(), mark.time())).isEqualTo(added);
                assertThat(active.mark(event, mark.id(), mark.time())).isFalse();
            }
            List<Mark.AtTime> batch = marks(random, 2_000, ids);
            assertThat(active.mark(event, batch)).isEqualTo(added(model, event, batch));
            List<Mark.AtTime> history = marks(random, 5_000, ids);
            assertThat(active.load(event, history.iterator()))
                    .isEqualTo(new LoadCounts(5_000, added(model, event, history), 0));
            assertThat(active.load(event, history.iterator())).isEqualTo(new LoadCounts(5_000, 0, 0));
            for (Mark.AtTime mark : batch.subList(0, 50)) {
                Span span = Span.of(Granularity.MONTH, mark.time());
                Span own = active.granularity() == Granularity.WEEK ? Span.of(Granularity.WEEK, mark.time()) : span;
                assertThat(active.contains(event, own, mark.id())).isTrue();
                assertThat(active.contains(event, own, mark.id() ^ 1))
                        .isEqualTo(model.of(SetExpression.active(event, own)).contains(mark.id() ^ 1));
            }
        }
    }

    private static long added(Model model, String event, List<Mark.AtTime> marks) {
        return marks.stream().filter(mark -> model.mark(event, mark)).count();
    }

    /** Returns marks of two weeks. The first days have the most marks. */
    private static List<Mark.AtTime> marks(SplittableRandom random, int count, long ids) {
        List<Mark.AtTime> marks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int hour = random.nextInt(1 + random.nextInt(14 * 24));
            marks.add(new Mark.AtTime(id(random, ids), MONDAY.plusHours(hour)));
        }
        return marks;
    }

    /** If the range of ids is wide, the random ids form sixteen dense groups. */
    private static long id(SplittableRandom random, long ids) {
        return ids <= 1L << 32 ? random.nextLong(ids) : random.nextLong(16) * (ids >> 4) + random.nextInt(200_000);
    }

    @Test
    void idsOfALongSpanAreTheUnionOfTheIdsOfItsStoredSpans() {
        RedisClient client = REDIS.client();
        Activity active =
                Activity.of(client, "site", ActivityOptions.keptForever().granularity(Granularity.HOUR));
        active.mark("login", 1, LocalDateTime.of(2026, 11, 30, 23, 59));
        active.mark("login", 1, LocalDateTime.of(2026, 11, 30, 0, 0));
        active.mark("login", 2, LocalDateTime.of(2026, 12, 1, 0, 0));

        LocalDate last = LocalDate.of(2026, 11, 30);

        assertThat(active.count(SetExpression.active("login", Span.hour(last.atTime(23, 0)))))
                .isEqualTo(1);
        assertThat(active.count(SetExpression.active("login", Span.day(last)))).isEqualTo(1);
        assertThat(active.count(SetExpression.active("login", Span.week(last)))).isEqualTo(2);
        assertThat(active.count(SetExpression.active("login", Span.month(YearMonth.of(2026, 11)))))
                .isEqualTo(1);
        assertThatThrownBy(() -> active.mark("login", 3, last))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the granularity of the activity is HOUR, so a mark needs a time:"
                        + " event=login, day=2026-11-30."
                        + " Pass a LocalDateTime.");
    }

    @Test
    void largestIdOfEachEncodingIsAcceptedAndALargerIdIsRejected() {
        RedisClient client = REDIS.client();
        Activity bitmaps =
                Activity.of(client, "bitmaps", ActivityOptions.keptForever().encoding(Encoding.BITMAP));
        Activity chunks = Activity.of(client, "chunks", ActivityOptions.keptForever());
        Activity compressed =
                Activity.of(client, "compressed", ActivityOptions.keptForever().encoding(Encoding.COMPRESSED));
        Activity sets =
                Activity.of(client, "sets", ActivityOptions.keptForever().encoding(Encoding.SET));
        Span day = Span.of(Granularity.DAY, MONDAY);

        assertThatThrownBy(() -> bitmaps.mark("login", 1L << 32, MONDAY))
                .hasMessage("id=4,294,967,296 is out of range: 0 to 4,294,967,295 in encoding BITMAP.");
        assertThatThrownBy(() -> bitmaps.load(
                        "login", List.of(new Mark.AtTime(1L << 32, MONDAY)).iterator()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(bitmaps.contains("login", day, 1L << 32)).isFalse();
        for (Activity active : List.of(chunks, compressed, sets)) {
            for (long id : new long[] {Long.MAX_VALUE, 1L << 32, (1L << 32) - 1, 0}) {
                assertThat(active.mark("login", id, MONDAY)).isTrue();
                assertThat(active.contains("login", day, id)).isTrue();
            }
            assertThat(active.members(SetExpression.active("login", day)))
                    .containsExactly(0L, (1L << 32) - 1, 1L << 32, Long.MAX_VALUE);
        }
        assertThatThrownBy(() -> chunks.mark("login", -1, MONDAY))
                .hasMessage("id=-1 is out of range: 0 to 9,223,372,036,854,775,807 in encoding CHUNKED.");
    }

    @Test
    void idOutsideTheDeclaredIdsIsRejected() {
        RedisClient client = REDIS.client();
        ActivityOptions options = ActivityOptions.keptForever().expecting(10_000_000, 1_000_000);
        Activity active = Activity.of(client, "site", options);
        Span day = Span.of(Granularity.DAY, MONDAY);
        String refusal = "id=10,000,000 is out of range: 0 to 9,999,999 in this activity (ActivityOptions.maxId).";

        assertThat(options.encoding()).isEqualTo(Encoding.BITMAP);
        assertThat(active.mark("login", 9_999_999, MONDAY)).isTrue();
        assertThatThrownBy(() -> active.mark("login", 10_000_000, MONDAY)).hasMessage(refusal);
        assertThatThrownBy(() -> active.mark("login", List.of(Mark.at(10_000_000, MONDAY))))
                .hasMessage(refusal);
        assertThatThrownBy(() -> active.load("login", day, LongStream.of(1, 10_000_000)))
                .hasMessage(refusal);
        assertThat(active.contains("login", day, 10_000_000)).isFalse();
    }

    @Test
    void methodContainsFetchesCompressedSetsInBatches() {
        RedisClient client = REDIS.client();
        Activity active = Activity.of(
                client,
                "site",
                ActivityOptions.keptForever().granularity(Granularity.HOUR).encoding(Encoding.COMPRESSED));
        Span month = Span.of(Granularity.MONTH, MONDAY);
        active.mark("login", 1, month.start());
        active.mark("login", 2, month.end().minusHours(1));
        long before = gets(client);

        assertThat(active.contains("login", month, 1)).isTrue();
        assertThat(gets(client) - before).isBetween(1L, 32L);
        assertThat(active.contains("login", month, 2)).isTrue();
        assertThat(active.contains("login", month, 3)).isFalse();
    }

    private static long gets(RedisClient client) {
        Matcher calls = Pattern.compile("cmdstat_get:calls=(\\d+)")
                .matcher(client.call(Command.of("INFO", "commandstats").as(Replies::text)));
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }

    @Test
    void historyLargerThanTheMemoryLimitIsSentInParts() {
        RedisClient client = REDIS.client();
        Span day = Span.of(Granularity.DAY, MONDAY);
        for (Encoding encoding : Encoding.values()) {
            Activity active = Activity.of(
                    client,
                    encoding.name(),
                    ActivityOptions.keptForever().encoding(encoding).historyBytes(1 << 20));

            LoadCounts loadCounts =
                    active.load("login", day, LongStream.range(0, 300_000).map(i -> i * 89 % 30_000_000));

            assertThat(loadCounts).isEqualTo(new LoadCounts(300_000, 300_000, 0));
            assertThat(active.count(SetExpression.active("login", day))).isEqualTo(300_000);
            assertThat(active.members(SetExpression.active("login", day)).sum())
                    .isEqualTo(LongStream.range(0, 300_000)
                            .map(i -> i * 89 % 30_000_000)
                            .sum());
        }
    }

    @Test
    void activityWithOtherOptionsThanTheExistingOnesFailsAtItsFirstUse() {
        RedisClient client = REDIS.client();
        Activity.of(client, "site", ActivityOptions.keptForever().threads(1)).mark("login", 1, MONDAY);
        Span day = Span.of(Granularity.DAY, MONDAY);

        Activity same = Activity.of(client, "site", ActivityOptions.keptForever());
        Activity other =
                Activity.of(client, "site", ActivityOptions.keptForever().encoding(Encoding.BITMAP));

        assertThat(same.contains("login", day, 1)).isTrue();
        List<ThrowingCallable> uses = List.of(
                () -> other.mark("login", 1, MONDAY),
                () -> other.mark("login", List.of(new Mark.AtTime(1, MONDAY))),
                () -> other.load("login", day, LongStream.of(1)),
                () -> other.contains("login", day, 1),
                () -> other.count(SetExpression.active("login", day)),
                () -> other.counts("login", List.of(day)),
                () -> other.members(SetExpression.active("login", day)),
                () -> other.retention("login", List.of(day)),
                () -> other.cohorts("login", List.of(day)),
                () -> other.clear("login", day));
        for (ThrowingCallable use : uses) {
            assertThatThrownBy(use)
                    .isInstanceOf(BitmapException.class)
                    .hasMessage("the activity exists with other options: name=site,"
                            + " existing=DAY CHUNKED 131072 zone=Z expiry=never,"
                            + " requested=DAY BITMAP zone=Z expiry=never."
                            + " Open the activity with the existing options (Activity.find), change only the expiry with"
                            + " keepFor or keepForever of the found activity, or delete the activity.");
        }
    }

    @ParameterizedTest
    @EnumSource
    void deletingASpanKeepsTheOtherSpans(Encoding encoding) {
        RedisClient client = REDIS.client();
        Activity active =
                Activity.of(client, "a*[b]", ActivityOptions.keptForever().encoding(encoding));
        Activity other = Activity.of(client, "ab", ActivityOptions.keptForever().encoding(encoding));
        List<Span> days = Span.of(Granularity.DAY, MONDAY).consecutive(3);
        days.forEach(day -> active.load("login", day, LongStream.of(1, 2, 1L << 22)));
        other.mark("login", 5, MONDAY);

        active.clear("login", days.get(1));

        assertThat(active.counts("login", days).values()).containsExactly(3L, 0L, 3L);
        assertThat(active.memoryBytes("login", days.get(0))).isPositive();
        assertThat(active.memoryBytes("login", days.get(1))).isZero();
        active.delete();
        assertThat(other.contains("login", days.getFirst(), 5)).isTrue();
        other.delete();
        assertThat(client.call(Server.size())).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void keysOfAnActivityShareAHashSlot(Encoding encoding) {
        RedisClient client = REDIS.client();
        for (String name : List.of("site", "{eu}:site", "a}b", "{}", "}x{y}")) {
            Activity active =
                    Activity.of(client, name, ActivityOptions.keptForever().encoding(encoding));
            active.load(
                    "{other}",
                    Span.of(Granularity.DAY, MONDAY),
                    LongStream.range(0, 100_000).map(i -> i * 40));

            assertThat(REDIS.keys(client))
                    .hasSizeGreaterThanOrEqualTo(2)
                    .allSatisfy(key -> assertThat(HashSlots.of(key)).isEqualTo(HashSlots.of(KeyNames.prefix(name))));
            active.delete();
        }
    }
}
