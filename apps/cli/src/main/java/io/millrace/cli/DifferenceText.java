// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.target.Difference;
import java.util.Arrays;

/** Formats a difference between a source and Redis as one line. */
final class DifferenceText {

    /** Maximum number of bytes of a value in the line. */
    private static final int SHOWN_BYTES = 60;

    private DifferenceText() {}

    static String of(String key, Difference difference) {
        String field = difference.field().length == 0 ? "" : ", field " + quoted(difference.field());
        return "differs: key " + RedisCliFormatter.quoted(key) + field + ": " + what(difference);
    }

    private static String what(Difference difference) {
        String expected = quoted(difference.expected());
        String found = quoted(difference.found());
        return switch (difference.kind()) {
            case ABSENT -> "it does not exist" + (difference.expected().length == 0 ? "" : ", expected " + expected);
            case VALUE ->
                difference.expected().length + difference.found().length == 0
                        ? "it has another value"
                        : "expected " + expected + ", found " + found;
            case FIELDS -> "the row has " + expected + " fields, and the hash has " + found;
            case TTL -> "the row expires after " + expected + " ms, and PTTL is " + found + " (-1 means no expiry)";
            case TYPE -> "it has another type";
        };
    }

    private static String quoted(byte[] value) {
        boolean cut = value.length > SHOWN_BYTES;
        return RedisCliFormatter.quoted(cut ? Arrays.copyOf(value, SHOWN_BYTES) : value) + (cut ? "…" : "");
    }
}
