// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses a size in bytes: {@code 65536}, {@code 512KB}, {@code 8MB}. KB is 1024 bytes, as in redis.conf.
 * A size that does not fit a {@code long} becomes {@code Long.MAX_VALUE}.
 */
final class SizeText {

    private static final Pattern FORM = Pattern.compile("(\\d{1,15})(b|kb|mb|gb)?");

    private SizeText() {}

    /**
     * Parses {@code text}.
     *
     * @throws IllegalArgumentException if the text is not valid; the message shows the valid forms
     */
    static Long parse(String text) {
        Matcher matcher = FORM.matcher(text.toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text
                    + "' is not a size. Write bytes or a whole number and a unit: 65536, 512KB, 8MB or 1GB.");
        }
        String unit = matcher.group(2) == null ? "b" : matcher.group(2);
        int shift = switch (unit) {
            case "gb" -> 30;
            case "mb" -> 20;
            case "kb" -> 10;
            default -> 0;
        };
        long count = Long.parseLong(matcher.group(1));
        return count > Long.MAX_VALUE >> shift ? Long.MAX_VALUE : count << shift;
    }
}
