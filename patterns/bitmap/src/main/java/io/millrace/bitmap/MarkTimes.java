// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.time.LocalDateTime;
import java.time.ZoneId;

/**
 * Determines the span of a mark.
 *
 * @param zone the zone of the activity
 */
record MarkTimes(Granularity granularity, ZoneId zone) {

    static MarkTimes of(ActivityOptions options) {
        return new MarkTimes(options.granularity(), options.zone());
    }

    /**
     * Returns a time in the span of {@code mark}.
     *
     * @throws IllegalArgumentException if the mark belongs to no single span of the granularity
     */
    LocalDateTime timeOf(Mark mark) {
        return switch (mark) {
            case Mark.AtInstant at -> LocalDateTime.ofInstant(at.instant(), granularity.zoneOfSpans(zone));
            case Mark.AtTime at -> at.time();
            case Mark.OnDay on -> startOf(on);
            case Mark.InSpan in -> startOf(in);
        };
    }

    private LocalDateTime startOf(Mark.OnDay mark) {
        if (granularity == Granularity.HOUR) {
            throw new IllegalArgumentException("the granularity of the activity is HOUR, so a mark needs a time: id="
                    + mark.id() + ", day=" + mark.day() + ". Use Mark.at.");
        }
        return mark.day().atStartOfDay();
    }

    private LocalDateTime startOf(Mark.InSpan mark) {
        if (mark.span().granularity() != granularity) {
            throw new IllegalArgumentException("the span of a mark and the activity have different granularities: id="
                    + mark.id() + ", span=" + mark.span() + ", granularity=" + granularity
                    + ". Use a span of this granularity, or Mark.at.");
        }
        return mark.span().start();
    }

    Span spanOf(Mark mark) {
        return Span.of(granularity, timeOf(mark));
    }
}
