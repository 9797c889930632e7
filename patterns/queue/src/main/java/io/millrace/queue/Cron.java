// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The times of a recurring job, as in a crontab: minute, hour, day of the month, month, day of the week. Immutable.
 *
 * <ul>
 *   <li>A field is {@code *}, a number, a range {@code 1-5}, or a list {@code 1,3,5-7}. A step follows a slash: {@code
 *       *}{@code /15} or {@code 8-18/2}. A number with a step is the start of a range up to the largest number.
 *   <li>Months and days of the week may be names of three letters, such as {@code JAN} or {@code MON}. Sunday is 0 or 7.
 *   <li>If both the day of the month and the day of the week are restricted, a day matches if one of them matches.
 *   <li>{@code @hourly}, {@code @daily}, {@code @weekly}, {@code @monthly} and {@code @yearly} are complete expressions.
 * </ul>
 *
 * <p>A text with one of these expressions has five fields, separated by blanks: there are no seconds. The text has no
 * control characters, such as line feeds and tabs.
 *
 * <p>Daylight saving: if the hour is {@code *}, the times follow real time, so no hour is skipped or without a job.
 * Otherwise each local time occurs once a day. A local time that the clock skips is moved by the length of the gap, and a
 * local time that occurs twice counts the first time. In Vixie cron, a minute that begins with {@code *} also follows
 * real time; here only the hour decides.
 */
public final class Cron {

    private static final Map<String, String> COMPLETE = Map.of(
            "@hourly", "0 * * * *",
            "@daily", "0 0 * * *",
            "@weekly", "0 0 * * 0",
            "@monthly", "0 0 1 * *",
            "@yearly", "0 0 1 1 *");

    /** Longest distance between two times: February 29 occurs once in eight years around 2100. */
    private static final int MAX_DAYS = 366 * 9;

    /** More than the longest gap of daylight saving. */
    private static final int LONGEST_GAP_HOURS = 3;

    private static final int ALL_HOURS = (1 << 24) - 1;

    private final String expression;
    private final ZoneId zone;
    private final long minutes;
    private final long hours;
    private final long days;
    private final long months;
    private final long weekdays;
    private final boolean anyDayMatches;

    private Cron(String expression, ZoneId zone) {
        this.expression = expression;
        this.zone = zone;
        if (expression.chars().anyMatch(Character::isISOControl)) {
            String shown = expression.replaceAll("\\p{Cc}", "?");
            throw invalid(shown, "it has a control character", null);
        }
        String[] fields = COMPLETE.getOrDefault(expression.toLowerCase(Locale.ROOT), expression)
                .strip()
                .split("\\s+", -1);
        if (fields.length != 5) {
            throw invalid(expression, "it has " + fields.length + " fields", null);
        }
        try {
            this.minutes = CronField.MINUTE.parse(fields[0]);
            this.hours = CronField.HOUR.parse(fields[1]);
            this.days = CronField.DAY.parse(fields[2]);
            this.months = CronField.MONTH.parse(fields[3]);
            long sundays = CronField.WEEKDAY.parse(fields[4]);
            this.weekdays = (sundays & 0x7f) | ((sundays >> 7) & 1); // Sunday is 0 or 7
        } catch (IllegalArgumentException e) {
            throw invalid(expression, String.valueOf(e.getMessage()), e);
        }
        this.anyDayMatches = !fields[2].startsWith("*") && !fields[4].startsWith("*");
    }

    private static IllegalArgumentException invalid(String expression, String problem, @Nullable Throwable cause) {
        return new IllegalArgumentException(
                "the cron expression is not valid: " + problem + ", expression=" + expression
                        + ". Use five fields, as in 30 3 * * MON-FRI.",
                cause);
    }

    /**
     * Returns the times of {@code expression} in UTC.
     *
     * @throws IllegalArgumentException if the expression is not valid, or no time matches
     */
    public static Cron of(String expression) {
        return of(expression, ZoneOffset.UTC);
    }

    /**
     * Returns the times of {@code expression} in the time zone {@code zone}.
     *
     * @throws IllegalArgumentException if the expression is not valid, or no time matches
     */
    public static Cron of(String expression, ZoneId zone) {
        Cron cron = new Cron(expression, zone);
        if (cron.next(Instant.parse("2096-03-01T00:00:00Z")).isEmpty()) { // 2100 has no February 29
            throw invalid(expression, "no day matches", null);
        }
        return cron;
    }

    /** Returns the expression as given to {@link #of}. */
    public String expression() {
        return expression;
    }

    public ZoneId zone() {
        return zone;
    }

    /** Returns the first time after {@code time}. Empty if there is none within nine years. */
    public Optional<Instant> next(Instant time) {
        return hours == ALL_HOURS ? nextInRealTime(time) : nextInLocalTime(time);
    }

    private Optional<Instant> nextInRealTime(Instant time) {
        ZonedDateTime candidate =
                time.atZone(zone).truncatedTo(ChronoUnit.MINUTES).plusMinutes(1);
        ZonedDateTime limit = candidate.plusDays(MAX_DAYS);
        while (candidate.isBefore(limit)) {
            if (!matches(candidate.toLocalDate())) {
                candidate = candidate.toLocalDate().plusDays(1).atStartOfDay(zone);
            } else if (isSet(minutes, candidate.getMinute())) {
                return Optional.of(candidate.toInstant());
            } else {
                candidate = candidate.plusMinutes(1);
            }
        }
        return Optional.empty();
    }

    private Optional<Instant> nextInLocalTime(Instant time) {
        LocalDateTime candidate = LocalDateTime.ofInstant(time, zone)
                .truncatedTo(ChronoUnit.MINUTES)
                .minusHours(LONGEST_GAP_HOURS);
        LocalDateTime limit = candidate.plusDays(MAX_DAYS);
        while (candidate.isBefore(limit)) {
            if (!matches(candidate.toLocalDate())) {
                candidate = candidate.toLocalDate().plusDays(1).atStartOfDay();
            } else if (!isSet(hours, candidate.getHour())) {
                candidate = candidate.truncatedTo(ChronoUnit.HOURS).plusHours(1);
            } else {
                // A local time in a gap is moved by the length of the gap. Of two equal local times the first counts.
                Instant found = candidate.atZone(zone).toInstant();
                if (isSet(minutes, candidate.getMinute()) && found.isAfter(time)) {
                    return Optional.of(found);
                }
                candidate = candidate.plusMinutes(1);
            }
        }
        return Optional.empty();
    }

    private boolean matches(LocalDate date) {
        if (!isSet(months, date.getMonthValue())) {
            return false;
        }
        boolean day = isSet(days, date.getDayOfMonth());
        boolean weekday = isSet(weekdays, date.getDayOfWeek().getValue() % DayOfWeek.SUNDAY.getValue());
        return anyDayMatches ? day || weekday : day && weekday;
    }

    private static boolean isSet(long bits, int index) {
        return ((bits >> index) & 1) == 1;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Cron that && expression.equals(that.expression) && zone.equals(that.zone);
    }

    @Override
    public int hashCode() {
        return 31 * expression.hashCode() + zone.hashCode();
    }

    /** Returns the expression and the zone. */
    @Override
    public String toString() {
        return expression + " " + zone;
    }
}
