// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A field of a {@link Cron} expression. */
enum CronField {
    MINUTE(0, 59, ""),
    HOUR(0, 23, ""),
    DAY(1, 31, ""),
    MONTH(1, 12, "JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC"),
    WEEKDAY(0, 7, "SUN MON TUE WED THU FRI SAT");

    private static final Pattern PART =
            Pattern.compile("(?<all>\\*)?(?<first>\\w+)?(-(?<last>\\w+))?(/(?<step>\\d{1,2}))?");

    private final int min;
    private final int max;
    /** The names of the numbers from {@link #min}, separated by blanks. */
    private final String names;

    CronField(int min, int max, String names) {
        this.min = min;
        this.max = max;
        this.names = names;
    }

    /**
     * Returns the numbers that the field allows: bit n stands for the number n.
     *
     * @throws IllegalArgumentException if the text is not valid; the message has no full stop
     */
    long parse(String text) {
        long bits = 0;
        for (String part : text.split(",", -1)) {
            bits |= bitsOf(part);
        }
        return bits;
    }

    private long bitsOf(String part) {
        Matcher matcher = PART.matcher(part);
        boolean valid = matcher.matches() && ((matcher.group("all") == null) != (matcher.group("first") == null));
        if (!valid || (matcher.group("all") != null && matcher.group("last") != null)) {
            throw invalid(part);
        }
        String step = matcher.group("step");
        String last = matcher.group("last");
        int from = matcher.group("all") != null ? min : number(String.valueOf(matcher.group("first")), part);
        boolean open = matcher.group("all") != null || step != null;
        int to = last != null ? number(last, part) : open ? (this == WEEKDAY ? 6 : max) : from;
        if (this == WEEKDAY && to == 0 && from > 0) {
            to = 7; // as in FRI-SUN
        }
        int by = step == null ? 1 : Integer.parseInt(step);
        if (from > to || by == 0) {
            throw invalid(part);
        }
        long bits = 0;
        for (int number = from; number <= to; number += by) {
            bits |= 1L << number;
        }
        return bits;
    }

    private int number(String text, String part) {
        int name = List.of(names.split(" ")).indexOf(text.toUpperCase(Locale.ROOT));
        if (name >= 0) {
            return name + min;
        }
        if (!text.matches("\\d{1,2}") || Integer.parseInt(text) < min || Integer.parseInt(text) > max) {
            throw invalid(part);
        }
        return Integer.parseInt(text);
    }

    private IllegalArgumentException invalid(String part) {
        String range = min + " to " + max
                + (names.isEmpty()
                        ? ""
                        : ", or " + names.substring(0, 3) + " to " + names.substring(names.length() - 3));
        return new IllegalArgumentException(
                "field=" + name().toLowerCase(Locale.ROOT) + ", part=" + part + ", range=" + range);
    }
}
