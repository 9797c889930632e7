// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Objects;

/**
 * Somebody was active.
 *
 * @param id who, 0 or more
 * @param time when
 */
public record Mark(long id, LocalDateTime time) {

    public Mark {
        Objects.requireNonNull(time, "time");
        Ranges.check("id", id, 0, Long.MAX_VALUE);
    }

    /** On a day, at no time in particular: where hours are kept, that is the first of the day. */
    public static Mark on(long id, LocalDate day) {
        return new Mark(id, day.atStartOfDay());
    }
}
