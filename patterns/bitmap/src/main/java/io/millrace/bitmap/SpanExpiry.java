// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.time.Duration;
import java.time.ZoneId;

/**
 * The expiry of the keys of a span. The expiry is a point in time that depends only on the span, so a later mark does
 * not move the expiry.
 *
 * @param after time from the end of a span to the expiry of its keys; zero if the keys never expire
 * @param zone zone of the days
 */
record SpanExpiry(Duration after, ZoneId zone) {

    /** The value of {@link #millis} for keys that never expire. */
    static final long NEVER = 0;

    static SpanExpiry of(ActivityOptions options) {
        return new SpanExpiry(options.expireAfter(), options.zone());
    }

    boolean isNever() {
        return after.isZero();
    }

    /** Returns when the keys of {@code span} expire, in milliseconds since 1970; {@link #NEVER} if never. */
    long millis(Span span) {
        // A time before 1970 has passed as well as the first millisecond of 1970, and zero means never.
        return isNever() ? NEVER : Math.max(1, span.end(zone).plus(after).toEpochMilli());
    }
}
