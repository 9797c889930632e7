// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Spans of instants in zones, also on days with a change of daylight saving time. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ZonesTest {

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    @ParameterizedTest
    @CsvSource({
        "Europe/Berlin,    2026-03-29, 23",
        "Europe/Berlin,    2026-10-25, 25",
        "Europe/Berlin,    2026-11-25, 24",
        "America/New_York, 2026-03-08, 23",
        "America/New_York, 2026-11-01, 25",
        "America/New_York, 2026-07-04, 24",
        "America/Havana,   2026-03-08, 23",
        "UTC,              2026-03-29, 24",
        "Pacific/Apia,     2011-12-30, 0",
    })
    void localDayConsistsOfAllItsHours(ZoneId zone, LocalDate day, int hours) {
        List<Span> spans = Span.hours(day, zone);

        assertThat(spans).hasSize(hours).doesNotHaveDuplicates();
        for (Span span : spans) {
            Instant middle = span.end(zone).minus(Duration.ofMinutes(30));
            assertThat(LocalDate.ofInstant(middle, zone)).isEqualTo(day);
            assertThat(Span.of(Granularity.HOUR, middle, zone)).isEqualTo(span);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "Europe/Berlin,    2026-03-29, 23",
        "Europe/Berlin,    2026-10-25, 25",
        "America/New_York, 2026-03-08, 23",
        "America/New_York, 2026-11-01, 25",
    })
    void marksOfEachHourOfALocalDayAreCountedSeparately(ZoneId zone, LocalDate day, int hours) {
        RedisClient client = REDIS.client();
        Activity byHour = Activity.of(
                client,
                "hours",
                ActivityOptions.keptForever().granularity(Granularity.HOUR).zone(zone));
        Activity byDay =
                Activity.of(client, "days", ActivityOptions.keptForever().zone(zone));
        Instant midnight = day.atStartOfDay(zone).toInstant();

        // Two marks before the day, two in each hour of the day, and two after the day.
        for (int half = -2; half < 2 * hours + 2; half++) {
            Instant instant = midnight.plus(Duration.ofMinutes(30L * half));
            assertThat(byHour.mark("login", 100 + half, instant)).isTrue();
            assertThat(byDay.mark("login", 100 + half, instant)).isTrue();
        }

        long[] expected =
                IntStream.range(0, 2 * hours).mapToLong(half -> 100 + half).toArray();
        List<Span> spans = Span.hours(day, zone);
        assertThat(byHour.counts("login", spans).values()).hasSize(hours).containsOnly(2L);
        assertThat(byHour.members(SetExpression.active("login", spans)).toArray())
                .isEqualTo(expected);
        assertThat(byDay.members(SetExpression.active("login", Span.day(day))).toArray())
                .isEqualTo(expected);
        assertThat(byDay.count(SetExpression.active("login", Span.day(day.minusDays(1)))))
                .isEqualTo(2);
        assertThat(byDay.count(SetExpression.active("login", Span.day(day.plusDays(1)))))
                .isEqualTo(2);
    }

    @Test
    void zoneOfAMarkDeterminesItsDay() {
        Activity active = Activity.of(REDIS.client(), "site", ActivityOptions.keptForever());
        Instant lateInTheEvening = Instant.parse("2026-11-25T23:30:00Z");

        active.mark("login", 1, lateInTheEvening);
        active.mark("login", 2, lateInTheEvening, BERLIN);
        active.mark("login", List.of(Mark.in(3, Span.of(Granularity.DAY, lateInTheEvening, BERLIN))));

        assertThat(active.members(SetExpression.active("login", Span.day(LocalDate.of(2026, 11, 25)))))
                .containsExactly(1L);
        assertThat(active.members(SetExpression.active("login", Span.day(LocalDate.of(2026, 11, 26)))))
                .containsExactly(2L, 3L);
    }

    /** The night with 25 hours: marks of both local hours from 2 to 3 must not be mixed. */
    @ParameterizedTest
    @EnumSource(names = {"HOUR", "DAY"})
    void instantsInBulkBelongToTheSameSpansAsSingleMarks(Granularity granularity) {
        RedisClient client = REDIS.client();
        ActivityOptions options =
                ActivityOptions.keptForever().granularity(granularity).zone(BERLIN);
        Activity single = Activity.of(client, "single", options);
        Activity batch = Activity.of(client, "batch", options);
        Activity load = Activity.of(client, "load", options);
        Instant midnight = LocalDate.of(2026, 10, 25).atStartOfDay(BERLIN).toInstant();
        List<Mark> marks = IntStream.range(-4, 56)
                .mapToObj(half -> Mark.at(100 + half, midnight.plus(Duration.ofMinutes(30L * half))))
                .toList();

        for (int half = -4; half < 56; half++) {
            single.mark("login", 100 + half, midnight.plus(Duration.ofMinutes(30L * half)));
        }
        assertThat(batch.mark("login", marks)).isEqualTo(60);
        assertThat(load.load("login", marks.iterator())).isEqualTo(new LoadCounts(60, 60, 0));

        Span first = Span.of(granularity, midnight, BERLIN).plus(-3);
        for (Span span : first.consecutive(40)) {
            SetExpression expression = SetExpression.active("login", span);
            long[] expected = single.members(expression).toArray();
            assertThat(batch.members(expression).toArray()).as(span.label()).isEqualTo(expected);
            assertThat(load.members(expression).toArray()).as(span.label()).isEqualTo(expected);
        }
    }

    @Test
    void markThatBelongsToNoSingleSpanIsRefused() {
        RedisClient client = REDIS.client();
        Activity byHour =
                Activity.of(client, "hours", ActivityOptions.keptForever().granularity(Granularity.HOUR));
        Activity byDay = Activity.of(client, "days", ActivityOptions.keptForever());
        LocalDate day = LocalDate.of(2026, 11, 25);
        Mark inMonth = Mark.in(2, Span.month(YearMonth.of(2026, 11)));

        assertThatThrownBy(() -> byHour.mark("login", List.of(Mark.on(1, day))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the granularity of the activity is HOUR, so a mark needs a time: id=1, day=2026-11-25."
                        + " Use Mark.at.");
        assertThatThrownBy(() -> byDay.load("login", List.of(inMonth).iterator()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the span of a mark and the activity have different granularities: id=2, span=2026-11,"
                        + " granularity=DAY. Use a span of this granularity, or Mark.at.");
        assertThat(byDay.mark("login", List.of(Mark.in(3, Span.day(day))))).isEqualTo(1);
    }

    @Test
    void spansEndInTheirZone() {
        Span day = Span.day(LocalDate.of(2026, 10, 25));
        Span month = Span.of(Granularity.MONTH, Instant.parse("2026-10-31T23:30:00Z"), BERLIN);
        Span week = Span.of(Granularity.WEEK, Instant.parse("2026-10-25T23:30:00Z"), BERLIN);
        Span hour = Span.of(Granularity.HOUR, Instant.parse("2026-10-25T00:30:00Z"), BERLIN);

        assertThat(day.end(BERLIN)).isEqualTo(Instant.parse("2026-10-25T23:00:00Z"));
        assertThat(day.end(ZoneOffset.UTC)).isEqualTo(Instant.parse("2026-10-26T00:00:00Z"));
        assertThat(month.label()).isEqualTo("2026-11");
        assertThat(month.end(BERLIN)).isEqualTo(Instant.parse("2026-11-30T23:00:00Z"));
        assertThat(week.label()).isEqualTo("2026-W44");
        assertThat(week.end(BERLIN)).isEqualTo(Instant.parse("2026-11-01T23:00:00Z"));
        assertThat(hour.label()).isEqualTo("2026-10-25T00");
        assertThat(hour.end(BERLIN)).isEqualTo(Instant.parse("2026-10-25T01:00:00Z"));
    }

    @Test
    void dayThatDoesNotConsistOfWholeHoursOfUtcIsRejected() {
        assertThatThrownBy(() -> Span.hours(LocalDate.of(2026, 11, 25), ZoneId.of("Asia/Kolkata")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the day does not consist of whole hours of UTC: day=2026-11-25, zone=Asia/Kolkata,"
                        + " begin=2026-11-24T18:30:00Z, end=2026-11-25T18:30:00Z."
                        + " Use an activity with the granularity DAY.");
    }
}
