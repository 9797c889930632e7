// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.api;

import io.millrace.server.gate.Problem;
import io.millrace.server.gate.Refusal;
import java.nio.charset.StandardCharsets;

/** Checks the keys and names in paths and bodies. */
final class Names {

    static final int MAX_BYTES = 512;

    private Names() {}

    /**
     * Returns {@code text} if it is usable as a key.
     *
     * @param what the name of the parameter, for the message
     */
    static String check(String what, String text) {
        if (text.isEmpty()) {
            throw new Refusal(Problem.BAD_REQUEST, what + " is empty.");
        }
        // A character has at least one byte, so a long text is not encoded.
        if (text.length() > MAX_BYTES || text.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            throw new Refusal(Problem.TOO_LARGE, what + " has more than " + MAX_BYTES + " bytes.");
        }
        for (int i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                throw new Refusal(Problem.BAD_REQUEST, what + " contains a control character.");
            }
        }
        return text;
    }

    /** Returns {@code text} if a path can have it as a segment. The gate and Tomcat refuse other paths. */
    static String checkSegment(String what, String text) {
        String name = check(what, text);
        if (name.indexOf('/') >= 0 || name.indexOf('\\') >= 0 || name.equals(".") || name.equals("..")) {
            throw new Refusal(
                    Problem.BAD_REQUEST,
                    what + " contains a slash or a backslash, or is . or .., so no path can have it.");
        }
        return name;
    }

    /** Returns the number in a path or a parameter. */
    static long number(String what, String text, long min, long max) {
        try {
            long number = Long.parseLong(text);
            if (number >= min && number <= max) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            // The refusal below names the range.
        }
        throw new Refusal(Problem.BAD_REQUEST, what + " is not a whole number from " + min + " to " + max + ".");
    }
}
