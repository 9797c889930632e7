// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.time.DayOfWeek;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;

/** How finely time is told apart. */
public enum Grain {
    HOUR(ChronoUnit.HOURS),
    DAY(ChronoUnit.DAYS),
    /** From Monday to Sunday, as in ISO 8601. */
    WEEK(ChronoUnit.WEEKS),
    MONTH(ChronoUnit.MONTHS);

    private final ChronoUnit unit;

    Grain(ChronoUnit unit) {
        this.unit = unit;
    }

    ChronoUnit unit() {
        return unit;
    }

    /** Where the span of this grain begins that {@code time} is in. */
    LocalDateTime startOf(LocalDateTime time) {
        return switch (this) {
            case HOUR -> time.truncatedTo(ChronoUnit.HOURS);
            case DAY -> time.truncatedTo(ChronoUnit.DAYS);
            case WEEK -> time.truncatedTo(ChronoUnit.DAYS).with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY));
            case MONTH -> time.truncatedTo(ChronoUnit.DAYS).withDayOfMonth(1);
        };
    }

    /** Whether every span of {@code coarser} is made up of whole spans of this grain. */
    boolean makesUp(Grain coarser) {
        return this == coarser || (compareTo(coarser) < 0 && this != WEEK);
    }
}
