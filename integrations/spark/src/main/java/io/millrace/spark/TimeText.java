// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import java.time.LocalDate;

/** Writes dates and times of Spark in ISO 8601, without an object for each value. */
final class TimeText {

    private static final long MICROS_PER_SECOND = 1_000_000;
    private static final long MICROS_PER_DAY = 86_400 * MICROS_PER_SECOND;

    private TimeText() {}

    /** Appends a number of days since 1970-01-01, such as {@code 2026-11-26}. */
    static void date(long days, ByteText out) {
        // The algorithm counts from 0000-03-01, so that a leap day is the last day of a year.
        long shifted = days + 719_468;
        long era = Math.floorDiv(shifted, 146_097L);
        long dayOfEra = shifted - era * 146_097;
        long yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365;
        long dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100);
        long shiftedMonth = (5 * dayOfYear + 2) / 153;
        long day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1;
        long month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
        long year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
        if (year < 0 || year > 9_999) {
            out.append(LocalDate.ofEpochDay(days).toString());
            return;
        }
        out.appendDigits(year, 4);
        out.append('-');
        out.appendDigits(month, 2);
        out.append('-');
        out.appendDigits(day, 2);
    }

    /** Appends a number of microseconds since 1970-01-01T00:00, such as {@code 2026-11-26T21:22:52.5}. */
    static void timestamp(long micros, ByteText out) {
        long days = Math.floorDiv(micros, MICROS_PER_DAY);
        date(days, out);
        out.append('T');
        time((micros - days * MICROS_PER_DAY) * 1_000, out);
    }

    /** Appends a number of nanoseconds since midnight, such as {@code 21:22:52.5}. Zeros at the end are left out. */
    static void time(long nanos, ByteText out) {
        long seconds = nanos / 1_000_000_000;
        out.appendDigits(seconds / 3_600, 2);
        out.append(':');
        out.appendDigits(seconds / 60 % 60, 2);
        out.append(':');
        out.appendDigits(seconds % 60, 2);
        long fraction = nanos % 1_000_000_000;
        if (fraction != 0) {
            int digits = 9;
            while (fraction % 10 == 0) {
                fraction /= 10;
                digits--;
            }
            out.append('.');
            out.appendDigits(fraction, digits);
        }
    }
}
