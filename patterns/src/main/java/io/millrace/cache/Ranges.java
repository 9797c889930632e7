// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.time.Duration;

/** Refuses values that are out of range, and says what the range is. */
final class Ranges {

    private Ranges() {}

    static void check(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw outOfRange(name, value, least, most);
        }
    }

    static void check(String name, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            throw outOfRange(name, value, least, most);
        }
    }

    static void check(String name, Duration value, Duration least, Duration most) {
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw outOfRange(name, value, least, most);
        }
    }

    /** The same for what may also be off, which is zero. */
    static void checkUnlessZero(String name, Duration value, Duration least, Duration most) {
        if (!value.isZero() && (value.compareTo(least) < 0 || value.compareTo(most) > 0)) {
            throw new IllegalArgumentException(
                    name + " is out of range: " + value + ". It is zero or from " + least + " to " + most + ".");
        }
    }

    private static IllegalArgumentException outOfRange(String name, Object value, Object least, Object most) {
        return new IllegalArgumentException(
                name + " is out of range: " + value + ". It is from " + least + " to " + most + ".");
    }
}
