// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.YearMonth;
import java.time.temporal.IsoFields;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * An hour, a day, a week or a month. Times have no zone: whoever marks and whoever asks go by the same clock, such as that of UTC.
 *
 * @param start when it begins, at the full hour, day, week (Monday) or month
 */
public record Span(Grain grain, LocalDateTime start) implements Comparable<Span> {

    private static final int MOST = 100_000;

    public Span {
        Objects.requireNonNull(grain, "grain");
        if (!grain.startOf(start).equals(start)) {
            throw new IllegalArgumentException("start is not where a span begins: grain=" + grain + ", start=" + start
                    + ". Use Span.of, which takes any time within it.");
        }
    }

    /** The span of {@code grain} that {@code time} is in. */
    public static Span of(Grain grain, LocalDateTime time) {
        return new Span(grain, grain.startOf(time));
    }

    /** The hour that {@code time} is in. */
    public static Span hour(LocalDateTime time) {
        return of(Grain.HOUR, time);
    }

    public static Span day(LocalDate day) {
        return of(Grain.DAY, day.atStartOfDay());
    }

    /** The week that {@code day} is in. */
    public static Span week(LocalDate day) {
        return of(Grain.WEEK, day.atStartOfDay());
    }

    public static Span month(YearMonth month) {
        return of(Grain.MONTH, month.atDay(1).atStartOfDay());
    }

    /** When the next one begins. */
    public LocalDateTime end() {
        return start.plus(1, grain.unit());
    }

    /** The span so many later, or earlier. */
    public Span plus(long spans) {
        return new Span(grain, start.plus(spans, grain.unit()));
    }

    /**
     * This span and those after it.
     *
     * @param count 1 to 100,000, with this one
     */
    public List<Span> run(int count) {
        Ranges.check("count", count, 1, MOST);
        return LongStream.range(0, count).mapToObj(this::plus).toList();
    }

    /**
     * The spans of {@code finer} that this one is made up of: itself, if that is its own grain.
     *
     * @throws IllegalArgumentException if it is not made up of those: a month not of weeks, nothing of what is coarser
     */
    public List<Span> in(Grain finer) {
        if (!finer.makesUp(grain)) {
            throw new IllegalArgumentException("a " + lower(grain) + " is not made up of whole spans of one "
                    + lower(finer) + ": span=" + label() + ". Ask for spans of " + finer + ", or keep finer ones.");
        }
        return finer == grain
                ? List.of(this)
                : Stream.iterate(of(finer, start), part -> part.start().isBefore(end()), part -> part.plus(1))
                        .toList();
    }

    /** As in the names of keys: {@code 2026-11-22T13}, {@code 2026-11-22}, {@code 2026-W47}, {@code 2026-11}. */
    public String label() {
        return switch (grain) {
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

    /** By when they begin; of those that begin together the shorter first. */
    @Override
    public int compareTo(Span other) {
        int byStart = start.compareTo(other.start);
        return byStart != 0 ? byStart : grain.compareTo(other.grain);
    }

    @Override
    public String toString() {
        return label();
    }

    private static String lower(Grain grain) {
        return grain.name().toLowerCase(Locale.ROOT);
    }
}
