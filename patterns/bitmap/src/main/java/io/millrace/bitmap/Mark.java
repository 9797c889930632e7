// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Setting;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.Objects;

/**
 * Marks one id as active at a time.
 *
 * @param id 0 or more
 */
public record Mark(long id, LocalDateTime time) {

    public Mark {
        Objects.requireNonNull(time, "time");
        Setting.checkArgument("id", id, 0, Long.MAX_VALUE);
    }

    /** Returns a mark at the start of {@code day}. If the granularity is an hour, this is the first hour. */
    public static Mark on(long id, LocalDate day) {
        return new Mark(id, day.atStartOfDay());
    }
}
