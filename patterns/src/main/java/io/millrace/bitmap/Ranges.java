// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

/** Refuses values that are out of range, and says what the range is. */
final class Ranges {

    private Ranges() {}

    static long check(String name, long value, long least, long most) {
        if (value < least || value > most) {
            throw outOfRange(name, value, least, most);
        }
        return value;
    }

    static double check(String name, double value, double least, double most) {
        if (!(value >= least && value <= most)) {
            throw outOfRange(name, value, least, most);
        }
        return value;
    }

    /** A name that is part of a key: not empty, and short enough to be a name. */
    static String name(String what, String value) {
        if (value.isEmpty() || value.length() > 512) {
            throw new IllegalArgumentException(
                    what + " is no name: length=" + value.length() + ". It has 1 to 512 characters.");
        }
        return value;
    }

    private static IllegalArgumentException outOfRange(String name, Object value, Object least, Object most) {
        return new IllegalArgumentException(
                name + " is out of range: " + value + ". It is from " + least + " to " + most + ".");
    }
}
