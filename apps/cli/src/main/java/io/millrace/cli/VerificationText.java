// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.LoadOptions.Verification;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Parses the share of rows to verify: {@code none}, {@code sample:1%} or {@code full}. */
final class VerificationText {

    private static final Pattern SAMPLE = Pattern.compile("sample:(\\d{1,3}(?:\\.\\d{1,6})?)%");

    private VerificationText() {}

    /**
     * Parses {@code text}.
     *
     * @throws IllegalArgumentException if the text is not valid; the message shows the valid forms
     */
    static Verification parse(String text) {
        if (text.equals("none")) {
            return Verification.NONE;
        }
        if (text.equals("full")) {
            return Verification.FULL;
        }
        Matcher matcher = SAMPLE.matcher(text);
        if (matcher.matches()) {
            double percent = Double.parseDouble(matcher.group(1));
            if (percent > 0 && percent <= 100) {
                return new Verification(percent / 100);
            }
        }
        throw new IllegalArgumentException(
                "'" + text
                        + "' is not a valid share. Write none, full, or a share above 0 and up to 100 percent, such as sample:1%.");
    }
}
