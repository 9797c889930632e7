// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Command;
import io.millrace.client.RedisClient;
import io.millrace.client.Replies;
import io.millrace.client.Server;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every operation in every form, compared with plain sets. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ActivityTest {

    @RegisterExtension
    static final Redis REDIS = new Redis();

    private static final List<String> EVENTS = List.of("login", "page:view");
    private static final LocalDateTime MONDAY = LocalDateTime.of(2026, 11, 2, 0, 0);

    static Stream<Arguments> ways() {
        return Stream.of(
                Arguments.of(Form.BITMAP, Grain.DAY, 3_000_000L, 1),
                Arguments.of(Form.BITMAP, Grain.HOUR, 5_000L, 2),
                Arguments.of(Form.BITMAP, Grain.WEEK, 100L, 3),
                Arguments.of(Form.BITMAP, Grain.MONTH, 2_000L, 4),
                Arguments.of(Form.CHUNKED, Grain.DAY, 1L << 23, 5),
                Arguments.of(Form.CHUNKED, Grain.DAY, 1L << 40, 6),
                Arguments.of(Form.COMPRESSED, Grain.DAY, 1L << 40, 7),
                Arguments.of(Form.COMPRESSED, Grain.HOUR, 3_000L, 8));
    }

    @ParameterizedTest(name = "{0} by {1}, ids below {2}")
    @MethodSource("ways")
    void everyQuestionIsAnsweredAsByPlainSets(Form form, Grain grain, long ids, long seed) {
        RedisClient client = REDIS.client();
        SplittableRandom random = new SplittableRandom(seed);
        Model model = new Model(grain);
        Activity active = Activity.of(
                client, "site", ActivityOptions.DEFAULT.grain(grain).form(form).threads(2));
        markInEveryWay(active, model, ids, random);

        List<Span> spans = Span.of(grain, MONDAY).run(6);
        for (int i = 0; i < 12; i++) {
            Audience audience = Model.audience(random, EVENTS, spans, 3);

            assertThat(active.count(audience))
                    .as("seed %d: %s", seed, audience)
                    .isEqualTo(model.of(audience).size());
            assertThat(active.members(audience).toArray())
                    .as("seed %d: %s", seed, audience)
                    .isEqualTo(model.of(audience).stream().mapToLong(id -> id).toArray());
        }
        for (String event : EVENTS) {
            assertThat(active.retention(event, spans)).isEqualTo(model.retention(event, spans, false));
            assertThat(active.cohorts(event, spans)).isEqualTo(model.retention(event, spans, true));
            Map<Span, Long> counts = new LinkedHashMap<>();
            spans.forEach(span -> counts.put(
                    span, (long) model.of(Audience.active(event, span)).size()));
            assertThat(active.counts(event, spans)).isEqualTo(counts);
        }
        assertThat(REDIS.keys(client)).noneMatch(key -> key.contains("temporary"));
    }

    private static void markInEveryWay(Activity active, Model model, long ids, SplittableRandom random) {
        for (String event : EVENTS) {
            for (Mark mark : marks(random, 60, ids)) {
                boolean added = model.mark(event, mark);
                assertThat(active.mark(event, mark.id(), mark.time())).isEqualTo(added);
                assertThat(active.mark(event, mark.id(), mark.time())).isFalse();
            }
            List<Mark> batch = marks(random, 2_000, ids);
            assertThat(active.mark(event, batch)).isEqualTo(added(model, event, batch));
            List<Mark> history = marks(random, 5_000, ids);
            assertThat(active.load(event, history.iterator()))
                    .isEqualTo(new Loaded(5_000, added(model, event, history)));
            assertThat(active.load(event, history.iterator())).isEqualTo(new Loaded(5_000, 0));
            for (Mark mark : batch.subList(0, 50)) {
                Span span = Span.of(Grain.MONTH, mark.time());
                Span own = active.grain() == Grain.WEEK ? Span.of(Grain.WEEK, mark.time()) : span;
                assertThat(active.contains(event, own, mark.id())).isTrue();
                assertThat(active.contains(event, own, mark.id() ^ 1))
                        .isEqualTo(model.of(Audience.active(event, own)).contains(mark.id() ^ 1));
            }
        }
    }

    private static long added(Model model, String event, List<Mark> marks) {
        return marks.stream().filter(mark -> model.mark(event, mark)).count();
    }

    /** Marks of two weeks, of which the first days have most. */
    private static List<Mark> marks(SplittableRandom random, int count, long ids) {
        List<Mark> marks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int hour = random.nextInt(1 + random.nextInt(14 * 24));
            marks.add(new Mark(id(random, ids), MONDAY.plusHours(hour)));
        }
        return marks;
    }

    /** Wide ranges have their ids in sixteen clusters. */
    private static long id(SplittableRandom random, long ids) {
        return ids <= 1L << 32 ? random.nextLong(ids) : random.nextLong(16) * (ids >> 4) + random.nextInt(200_000);
    }

    @Test
    void coarserSpansArePutTogetherFromTheGrainThatIsKept() {
        RedisClient client = REDIS.client();
        Activity active = Activity.of(client, "site", ActivityOptions.DEFAULT.grain(Grain.HOUR));
        active.mark("login", 1, LocalDateTime.of(2026, 11, 30, 23, 59));
        active.mark("login", 1, LocalDateTime.of(2026, 11, 30, 0, 0));
        active.mark("login", 2, LocalDateTime.of(2026, 12, 1, 0, 0));

        LocalDate last = LocalDate.of(2026, 11, 30);

        assertThat(active.count(Audience.active("login", Span.hour(last.atTime(23, 0)))))
                .isEqualTo(1);
        assertThat(active.count(Audience.active("login", Span.day(last)))).isEqualTo(1);
        assertThat(active.count(Audience.active("login", Span.week(last)))).isEqualTo(2);
        assertThat(active.count(Audience.active("login", Span.month(YearMonth.of(2026, 11)))))
                .isEqualTo(1);
        assertThatThrownBy(() -> active.mark("login", 3, last))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a day has no hour, and hours are kept: event=login, day=2026-11-30. Give a time.");
    }

    @Test
    void idsBeyondTheFormAreRefusedAndThoseAtItsEndAreNot() {
        RedisClient client = REDIS.client();
        Activity bitmaps = Activity.of(client, "bitmaps", ActivityOptions.DEFAULT);
        Activity chunks = Activity.of(client, "chunks", ActivityOptions.DEFAULT.form(Form.CHUNKED));
        Activity compressed = Activity.of(client, "compressed", ActivityOptions.DEFAULT.form(Form.COMPRESSED));
        Span day = Span.of(Grain.DAY, MONDAY);

        assertThatThrownBy(() -> bitmaps.mark("login", 1L << 32, MONDAY))
                .hasMessage("id is out of range: 4294967296. In form BITMAP it is from 0 to 4294967295.");
        assertThatThrownBy(() -> bitmaps.load(
                        "login", List.of(new Mark(1L << 32, MONDAY)).iterator()))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(bitmaps.contains("login", day, 1L << 32)).isFalse();
        for (Activity active : List.of(chunks, compressed)) {
            for (long id : new long[] {Long.MAX_VALUE, 1L << 32, (1L << 32) - 1, 0}) {
                assertThat(active.mark("login", id, MONDAY)).isTrue();
                assertThat(active.contains("login", day, id)).isTrue();
            }
            assertThat(active.members(Audience.active("login", day)))
                    .containsExactly(0L, (1L << 32) - 1, 1L << 32, Long.MAX_VALUE);
        }
        assertThatThrownBy(() -> chunks.mark("login", -1, MONDAY)).hasMessageContaining("id is out of range: -1");
    }

    @Test
    void idIsLookedForInSomeCompressedSetsAtATime() {
        RedisClient client = REDIS.client();
        Activity active = Activity.of(
                client, "site", ActivityOptions.DEFAULT.grain(Grain.HOUR).form(Form.COMPRESSED));
        Span month = Span.of(Grain.MONTH, MONDAY);
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
    void historyThatDoesNotFitIntoItsMemoryIsSentInParts() {
        RedisClient client = REDIS.client();
        Span day = Span.of(Grain.DAY, MONDAY);
        for (Form form : Form.values()) {
            Activity active = Activity.of(
                    client, form.name(), ActivityOptions.DEFAULT.form(form).historyBytes(1 << 20));

            Loaded loaded =
                    active.load("login", day, LongStream.range(0, 300_000).map(i -> i * 89 % 30_000_000));

            assertThat(loaded).isEqualTo(new Loaded(300_000, 300_000));
            assertThat(active.count(Audience.active("login", day))).isEqualTo(300_000);
            assertThat(active.members(Audience.active("login", day)).sum())
                    .isEqualTo(LongStream.range(0, 300_000)
                            .map(i -> i * 89 % 30_000_000)
                            .sum());
        }
    }

    @Test
    void activityIsNotOpenedOtherwiseThanItIsKept() {
        RedisClient client = REDIS.client();
        Activity.of(client, "site", ActivityOptions.DEFAULT);
        Activity.of(client, "site", ActivityOptions.DEFAULT.threads(1));

        assertThatThrownBy(() -> Activity.of(client, "site", ActivityOptions.DEFAULT.form(Form.CHUNKED)))
                .isInstanceOf(BitmapException.class)
                .hasMessage("an activity is kept otherwise: name=site, kept=DAY BITMAP, asked=DAY CHUNKED."
                        + " Open it as it is kept, or delete it.");
    }

    @ParameterizedTest
    @EnumSource
    void whatIsForgottenIsGoneAndTheRestIsNot(Form form) {
        RedisClient client = REDIS.client();
        Activity active = Activity.of(client, "a*[b]", ActivityOptions.DEFAULT.form(form));
        Activity other = Activity.of(client, "ab", ActivityOptions.DEFAULT.form(form));
        List<Span> days = Span.of(Grain.DAY, MONDAY).run(3);
        days.forEach(day -> active.load("login", day, LongStream.of(1, 2, 1L << 22)));
        other.mark("login", 5, MONDAY);

        active.forget("login", days.get(1));

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
    void allKeysOfAnActivityShareASlot(Form form) {
        RedisClient client = REDIS.client();
        for (String name : List.of("site", "{eu}:site", "a}b", "{}", "}x{y}")) {
            Activity active = Activity.of(client, name, ActivityOptions.DEFAULT.form(form));
            active.load(
                    "{other}",
                    Span.of(Grain.DAY, MONDAY),
                    LongStream.range(0, 100_000).map(i -> i * 40));

            assertThat(REDIS.keys(client))
                    .hasSizeGreaterThanOrEqualTo(2)
                    .allSatisfy(key -> assertThat(Slots.of(key)).isEqualTo(Slots.of(KeyNames.prefix(name))));
            active.delete();
        }
    }
}
