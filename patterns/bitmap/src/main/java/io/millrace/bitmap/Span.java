// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Setting;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.time.temporal.IsoFields;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * An hour, a day, a week or a month. A {@link LocalDateTime} has no zone: use the same clock, such as UTC, for marks and
 * queries. If a time is an {@link Instant}, a day, a week or a month belongs to a zone, and an hour is an hour of UTC. So
 * the two equal local hours at the end of daylight saving time are two spans, and {@link #hours} returns the 23, 24 or 25
 * hours of a local day.
 *
 * @param start the start of the hour, day, week (Monday) or month
 */
public record Span(Granularity granularity, LocalDateTime start) implements Comparable<Span> {

    private static final int MAX_RUN = 100_000;

    public Span {
        Objects.requireNonNull(granularity, "granularity");
        if (!granularity.startOf(start).equals(start)) {
            throw new IllegalArgumentException("start is not the start of a span: granularity=" + granularity
                    + ", start=" + start
                    + ". Use Span.of, which accepts any time in the span.");
        }
    }

    /** Returns the span of {@code granularity} that contains {@code time}. */
    public static Span of(Granularity granularity, LocalDateTime time) {
        return new Span(granularity, granularity.startOf(time));
    }

    /**
     * Returns the span of {@code granularity} that contains {@code instant}. Days, weeks and months begin at midnight in
     * {@code zone}. Hours are hours of UTC in every zone.
     */
    public static Span of(Granularity granularity, Instant instant, ZoneId zone) {
        return of(granularity, LocalDateTime.ofInstant(instant, granularity.zoneOfSpans(zone)));
    }

    /** Returns the hour that contains {@code time}. */
    public static Span hour(LocalDateTime time) {
        return of(Granularity.HOUR, time);
    }

    /**
     * Returns the hours of {@code day} in {@code zone}, as hours of UTC: 24 hours, or 23 or 25 hours if daylight saving
     * time begins or ends on this day. The result is empty if the zone has skipped the day.
     *
     * @throws IllegalArgumentException if the day does not consist of whole hours of UTC, as in India
     */
    public static List<Span> hours(LocalDate day, ZoneId zone) {
        Instant begin = day.atStartOfDay(zone).toInstant();
        Instant end = day.plusDays(1).atStartOfDay(zone).toInstant();
        if (!isWholeHour(begin) || !isWholeHour(end)) {
            throw new IllegalArgumentException("the day does not consist of whole hours of UTC: day=" + day + ", zone="
                    + zone + ", begin=" + begin + ", end=" + end + ". Use an activity with the granularity DAY.");
        }
        Span first = of(Granularity.HOUR, begin, zone);
        return LongStream.range(0, Duration.between(begin, end).toHours())
                .mapToObj(first::plus)
                .toList();
    }

    public static Span day(LocalDate day) {
        return of(Granularity.DAY, day.atStartOfDay());
    }

    /** Returns the week that contains {@code day}. */
    public static Span week(LocalDate day) {
        return of(Granularity.WEEK, day.atStartOfDay());
    }

    public static Span month(YearMonth month) {
        return of(Granularity.MONTH, month.atDay(1).atStartOfDay());
    }

    /** Returns the start of the next span. */
    public LocalDateTime end() {
        return start.plus(1, granularity.unit());
    }

    /**
     * Returns the end of this span as an instant. Days, weeks and months end at midnight in {@code zone}. Hours are hours
     * of UTC in every zone.
     */
    public Instant end(ZoneId zone) {
        ZoneId used = granularity.zoneOfSpans(zone);
        return granularity == Granularity.HOUR
                ? end().atZone(used).toInstant()
                : end().toLocalDate().atStartOfDay(used).toInstant();
    }

    /** Returns the span that is {@code spans} spans later, or earlier if the number is negative. */
    public Span plus(long spans) {
        return new Span(granularity, start.plus(spans, granularity.unit()));
    }

    /**
     * Returns consecutive spans, starting with this span.
     *
     * @param count the number of spans, 1 to 100,000
     */
    public List<Span> consecutive(int count) {
        Setting.checkArgument("count", count, 1, MAX_RUN);
        return LongStream.range(0, count).mapToObj(this::plus).toList();
    }

    /**
     * Returns the spans of granularity {@code finer} in this span. If {@code finer} is the granularity of this span,
     * returns this span.
     *
     * @throws IllegalArgumentException if this span does not consist of whole spans of {@code finer}: {@code finer} is
     *     coarser, or this span is a month and {@code finer} is the week
     */
    public List<Span> split(Granularity finer) {
        if (!finer.divides(granularity)) {
            throw new IllegalArgumentException("a " + lower(granularity) + " does not consist of whole spans of one "
                    + lower(finer) + ": span=" + label() + ". Use spans of " + finer + ", or store finer spans.");
        }
        return finer == granularity
                ? List.of(this)
                : Stream.iterate(of(finer, start), part -> part.start().isBefore(end()), part -> part.plus(1))
                        .toList();
    }

    /**
     * Returns the name used in keys: {@code 2026-11-22T13}, {@code 2026-11-22}, {@code 2026-W47} or {@code 2026-11}.
     */
    public String label() {
        return switch (granularity) {
            case HOUR -> String.format(Locale.ROOT, "%sT%02d", start.toLocalDate(), start.getHour());
            case DAY -> start.toLocalDate().toString();
            case WEEK ->
                String.format(
                        Locale.ROOT,
                        "%04d-W%02d",
                        start.get(IsoFields.WEEK_BASED_YEAR),
                        start.get(IsoFields.WEEK_OF_WEEK_BASED_YEAR));
            case MONTH -> YearMonth.from(start).toString();
        };
    }

    /** Orders spans by their start. Of two spans with the same start, the shorter span is first. */
    @Override
    public int compareTo(Span other) {
        int byStart = start.compareTo(other.start);
        return byStart != 0 ? byStart : granularity.compareTo(other.granularity);
    }

    @Override
    public String toString() {
        return label();
    }

    /** Returns the span with the name {@code label}, see {@link #label}. Empty if there is no such span. */
    static Optional<Span> parse(Granularity granularity, String label) {
        try {
            return Optional.of(
                    switch (granularity) {
                        case HOUR -> hour(LocalDateTime.parse(label + ":00"));
                        case DAY -> day(LocalDate.parse(label));
                        case WEEK -> week(LocalDate.parse(label + "-1", DateTimeFormatter.ISO_WEEK_DATE));
                        case MONTH -> month(YearMonth.parse(label));
                    });
        } catch (DateTimeException notALabel) {
            return Optional.empty();
        }
    }

    private static boolean isWholeHour(Instant instant) {
        return instant.truncatedTo(ChronoUnit.HOURS).equals(instant);
    }

    private static String lower(Granularity granularity) {
        return granularity.name().toLowerCase(Locale.ROOT);
    }
}
