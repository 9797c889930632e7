// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds numbers in JSON text. */
final class JsonNumbers {

    private JsonNumbers() {}

    /** The number of the first member {@code name}. */
    static long of(String json, String name) {
        Matcher matcher = Pattern.compile('"' + name + "\":([0-9]+)").matcher(json);
        if (!matcher.find()) {
            throw new AssertionError("no number " + name + " in " + json);
        }
        return Long.parseLong(matcher.group(1));
    }
}
