// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.StringJoiner;
import java.util.stream.Stream;

/** Builds a JSON object on one line. */
final class JsonObject {

    private final StringJoiner members = new StringJoiner(",", "{", "}");

    JsonObject text(String name, String value) {
        return json(name, quoted(value));
    }

    JsonObject number(String name, long value) {
        return json(name, Long.toString(value));
    }

    /** Adds the JSON text {@code value} unchanged. */
    JsonObject json(String name, String value) {
        members.add(quoted(name) + ":" + value);
        return this;
    }

    /** Returns a JSON array of JSON texts. */
    static String array(Stream<String> elements) {
        StringJoiner array = new StringJoiner(",", "[", "]");
        elements.forEach(array::add);
        return array.toString();
    }

    static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"', '\\' -> quoted.append('\\').append(c);
                case '\n' -> quoted.append("\\n");
                case '\r' -> quoted.append("\\r");
                case '\t' -> quoted.append("\\t");
                default -> {
                    if (c < ' ') {
                        quoted.append("\\u00").append(Character.forDigit(c >> 4, 16));
                        quoted.append(Character.forDigit(c & 15, 16));
                    } else {
                        quoted.append(c);
                    }
                }
            }
        }
        return quoted.append('"').toString();
    }

    @Override
    public String toString() {
        return members.toString();
    }
}
