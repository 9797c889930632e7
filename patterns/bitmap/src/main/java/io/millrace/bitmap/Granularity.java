// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.time.DayOfWeek;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;

/** The length of the time spans of an activity. */
public enum Granularity {
    HOUR(ChronoUnit.HOURS),
    DAY(ChronoUnit.DAYS),
    /** Monday to Sunday, as in ISO 8601. */
    WEEK(ChronoUnit.WEEKS),
    MONTH(ChronoUnit.MONTHS);

    private final ChronoUnit unit;

    Granularity(ChronoUnit unit) {
        this.unit = unit;
    }

    ChronoUnit unit() {
        return unit;
    }

    /** Returns the zone in which the spans begin and end, for an activity in {@code zone}. */
    ZoneId zoneOfSpans(ZoneId zone) {
        return this == HOUR ? ZoneOffset.UTC : zone;
    }

    /** Returns the start of the span that contains {@code time}. */
    LocalDateTime startOf(LocalDateTime time) {
        return switch (this) {
            case HOUR -> time.truncatedTo(ChronoUnit.HOURS);
            case DAY -> time.truncatedTo(ChronoUnit.DAYS);
            case WEEK -> time.truncatedTo(ChronoUnit.DAYS).with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
            case MONTH -> time.truncatedTo(ChronoUnit.DAYS).withDayOfMonth(1);
        };
    }

    /** Returns whether every span of {@code coarser} consists of whole spans of this granularity. */
    boolean divides(Granularity coarser) {
        return this == coarser || (compareTo(coarser) < 0 && this != WEEK);
    }
}
