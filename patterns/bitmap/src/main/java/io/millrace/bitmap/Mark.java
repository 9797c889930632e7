// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Setting;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Objects;

/**
 * States that an id was active at a time. {@link Activity#mark(String, java.util.Collection)} and {@link Activity#load(String,
 * java.util.Iterator)} add marks to an activity, and determine the span of each mark.
 */
public sealed interface Mark {

    /** Returns the id, 0 or more. */
    long id();

    /** Returns a mark at {@code instant}. The zone of the activity determines the span. */
    static Mark at(long id, Instant instant) {
        return new AtInstant(id, instant);
    }

    /**
     * Returns a mark at {@code time}, in the zone of the activity. If the granularity of the activity is an hour, the time
     * is a time of UTC.
     */
    static Mark at(long id, LocalDateTime time) {
        return new AtTime(id, time);
    }

    /** Returns a mark on {@code day}. An activity with the granularity {@link Granularity#HOUR} refuses this mark. */
    static Mark on(long id, LocalDate day) {
        return new OnDay(id, day);
    }

    /** Returns a mark in {@code span}. An activity with another granularity than the span refuses this mark. */
    static Mark in(long id, Span span) {
        return new InSpan(id, span);
    }

    /** See {@link #at(long, Instant)}. */
    record AtInstant(long id, Instant instant) implements Mark {

        public AtInstant {
            Objects.requireNonNull(instant, "instant");
            Setting.checkArgument("id", id, 0, Long.MAX_VALUE);
        }
    }

    /** See {@link #at(long, LocalDateTime)}. */
    record AtTime(long id, LocalDateTime time) implements Mark {

        public AtTime {
            Objects.requireNonNull(time, "time");
            Setting.checkArgument("id", id, 0, Long.MAX_VALUE);
        }
    }

    /** See {@link #on}. */
    record OnDay(long id, LocalDate day) implements Mark {

        public OnDay {
            Objects.requireNonNull(day, "day");
            Setting.checkArgument("id", id, 0, Long.MAX_VALUE);
        }
    }

    /** See {@link #in}. */
    record InSpan(long id, Span span) implements Mark {

        public InSpan {
            Objects.requireNonNull(span, "span");
            Setting.checkArgument("id", id, 0, Long.MAX_VALUE);
        }
    }
}
