// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses a share in percent, such as {@code 10%}. */
final class PercentText {

    private static final Pattern FORM = Pattern.compile("(\\d{1,3}(?:\\.\\d{1,6})?)%");

    private PercentText() {}

    /**
     * Parses {@code text}: {@code 10%} is 0.1.
     *
     * @throws IllegalArgumentException if the text is not a number with a percent sign
     */
    static Double parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("'" + text + "' is not a share. Write a percentage, such as 10%.");
        }
        return Double.parseDouble(matcher.group(1)) / 100;
    }
}
