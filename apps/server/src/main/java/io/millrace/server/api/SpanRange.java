// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.bitmap.Granularity;
import io.millrace.bitmap.Span;
import io.millrace.server.gate.Problem;
import io.millrace.server.gate.Refusal;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The spans of a query: {@code from} and {@code to} are days or times, and both spans are part of the range. */
final class SpanRange {

    static final int MAX_SPANS = 400;

    private SpanRange() {}

    static List<Span> of(String from, String to, @Nullable String granularity, Granularity byDefault) {
        Granularity used = granularity == null ? byDefault : granularity(granularity);
        Span first = Span.of(used, time("from", from));
        Span last = Span.of(used, time("to", to));
        List<Span> spans = new ArrayList<>();
        for (Span span = first; span.compareTo(last) <= 0; span = span.plus(1)) {
            if (spans.size() == MAX_SPANS) {
                throw new Refusal(Problem.BAD_REQUEST, "The range has more than " + MAX_SPANS + " spans.");
            }
            spans.add(span);
        }
        if (spans.isEmpty()) {
            throw new Refusal(Problem.BAD_REQUEST, "from is after to.");
        }
        return spans;
    }

    private static Granularity granularity(String text) {
        for (Granularity each : Granularity.values()) {
            if (each.name().toLowerCase(Locale.ROOT).equals(text)) {
                return each;
            }
        }
        throw new Refusal(Problem.BAD_REQUEST, "granularity is not one of hour, day, week, month.");
    }

    private static LocalDateTime time(String what, String text) {
        try {
            LocalDateTime time = text.length() <= 10 ? LocalDate.parse(text).atStartOfDay() : LocalDateTime.parse(text);
            if (time.getYear() >= 1 && time.getYear() <= 9_999) {
                return time;
            }
        } catch (DateTimeException malformed) {
            // The refusal below shows the form.
        }
        throw new Refusal(
                Problem.BAD_REQUEST, what + " is not a day such as 2026-11-22 or a time such as 2026-11-22T13:00.");
    }
}
