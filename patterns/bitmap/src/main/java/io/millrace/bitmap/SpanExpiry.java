// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.time.Duration;
import java.time.ZoneId;

/**
 * The expiry of the keys of a span. The expiry is a point in time that depends only on the span, so a later mark does
 * not move the expiry.
 *
 * <p>DESIGN. The first mark of a span sets the expiry of its keys. All later keys of the span, such as further chunks, take
 * over the remaining time of an existing key. So all keys of a span expire together, even while one client changes the
 * expiry and another client does not know the change yet. A mark in an existing key writes no expiry.
 *
 * @param after time from the end of a span to the expiry of its keys; zero if the keys never expire
 * @param zone zone of the days
 */
record SpanExpiry(Duration after, ZoneId zone) {

    /** The value of {@link #millis} for keys that never expire. */
    static final long NEVER = 0;

    /**
     * Lua functions. Each script that adds marks begins with these functions.
     *
     * <ul>
     *   <li>{@code lifetime(expiry, key, ...)} returns the remaining time of the span in milliseconds: the time of the
     *       first key that exists, otherwise the time until {@code expiry}. Returns -1 if the span never expires, and 0 if
     *       the span has expired.
     *   <li>{@code expire(left, key, ...)} sets the remaining time of each key that has no expiry, unless {@code left} is
     *       -1.
     * </ul>
     */
    static final String LUA = """
            local function lifetime(expiry, ...)
              for _, key in ipairs({...}) do
                local left = redis.call('PTTL', key)
                if left ~= -2 then
                  return left
                end
              end
              if expiry == '0' then
                return -1
              end
              local now = redis.call('TIME')
              return math.max(0, expiry - now[1] * 1000 - math.floor(now[2] / 1000))
            end
            local function expire(left, ...)
              if left < 0 then
                return
              end
              for _, key in ipairs({...}) do
                if redis.call('PTTL', key) == -1 then
                  redis.call('PEXPIRE', key, left)
                end
              end
            end
            """;

    boolean isNever() {
        return after.isZero();
    }

    /** Returns when the keys of {@code span} expire, in milliseconds since 1970; {@link #NEVER} if never. */
    long millis(Span span) {
        // A time before 1970 has passed as well as the first millisecond of 1970, and zero means never.
        return isNever() ? NEVER : Math.max(1, span.end(zone).plus(after).toEpochMilli());
    }
}
