// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Setting;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Objects;

/**
 * States that an id was active at a point in time.
 *
 * @param id 0 or more
 */
public record Mark(long id, LocalDateTime time) {

    public Mark {
        Objects.requireNonNull(time, "time");
        Setting.checkArgument("id", id, 0, Long.MAX_VALUE);
    }

    /**
     * Returns a mark at the start of {@code day}. If the granularity of the activity is an hour, the mark is in the
     * first hour of the day.
     */
    public static Mark on(long id, LocalDate day) {
        return new Mark(id, day.atStartOfDay());
    }

    /** Returns a mark in {@code span}, such as {@code Span.of(Granularity.DAY, instant, zone)}. */
    public static Mark in(long id, Span span) {
        return new Mark(id, span.start());
    }
}
