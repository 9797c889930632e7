// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.load.LoadOptions.Verification;
import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses the texts of options. The forms are the same as on the command line. Each method throws {@link
 * IllegalArgumentException} if the text is not valid; the message shows the valid forms.
 */
final class OptionTexts {

    private static final Pattern DURATION = Pattern.compile("(\\d{1,12})(ms|s|m|h|d)");
    private static final Pattern SIZE = Pattern.compile("(\\d{1,9})(b|kb|mb|gb)?", Pattern.CASE_INSENSITIVE);
    private static final Pattern PERCENT = Pattern.compile("(\\d{1,3}(?:\\.\\d{1,6})?)%");

    private OptionTexts() {}

    /** A whole number and a unit, such as {@code 30s}. */
    static Duration duration(String text) {
        Matcher matcher = matched(
                DURATION, text, "is not a duration. Write a whole number and a unit: 500ms, 30s, 15m, 1h or 7d.");
        long count = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(count);
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            case "h" -> Duration.ofHours(count);
            default -> Duration.ofDays(count);
        };
    }

    /** A size in bytes, such as {@code 65536} or {@code 8MB}. KB is 1,024 bytes. */
    static Long size(String text) {
        Matcher matcher = matched(
                SIZE, text, "is not a size. Write bytes or a whole number and a unit: 65536, 512KB, 8MB or 1GB.");
        String unit = matcher.group(2) == null ? "b" : matcher.group(2).toLowerCase(Locale.ROOT);
        int shift = switch (unit) {
            case "gb" -> 30;
            case "mb" -> 20;
            case "kb" -> 10;
            default -> 0;
        };
        return Long.parseLong(matcher.group(1)) << shift;
    }

    /** A percentage: {@code 10%} is 0.1. */
    static Double percent(String text) {
        Matcher matcher = matched(PERCENT, text, "is not a share. Write a percentage, such as 10%.");
        return Double.parseDouble(matcher.group(1)) / 100;
    }

    static Integer integer(String text) {
        return Math.toIntExact(whole(text, Integer.MAX_VALUE));
    }

    static Long whole(String text) {
        return whole(text, Long.MAX_VALUE);
    }

    private static long whole(String text, long max) {
        try {
            long value = Long.parseLong(text);
            if (value <= max && value >= -max) {
                return value;
            }
        } catch (NumberFormatException notANumber) {
            throw new IllegalArgumentException("'" + text + "' is not a whole number.", notANumber);
        }
        throw new IllegalArgumentException("'" + text + "' is out of range: " + -max + " to " + max + ".");
    }

    /** The share of rows to verify: {@code none}, {@code sample:1%} or {@code full}. */
    static Verification verification(String text) {
        if (text.equals("none")) {
            return Verification.NONE;
        }
        double share =
                text.equals("full") ? 1 : text.startsWith("sample:") ? percent(text.substring("sample:".length())) : 0;
        if (!(share > 0) || share > 1) {
            throw new IllegalArgumentException(
                    "'" + text
                            + "' is not a valid share. Write none, full, or a share above 0 and up to 100 percent, such as sample:1%.");
        }
        return new Verification(share);
    }

    private static Matcher matched(Pattern form, String text, String message) {
        Matcher matcher = form.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' " + message);
        }
        return matcher;
    }
}
