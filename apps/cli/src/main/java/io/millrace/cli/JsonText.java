// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes JSON. */
final class JsonText {

    private final StringBuilder text = new StringBuilder();

    private JsonText() {}

    /** Returns the JSON text of a value: a map, a list, a number, a boolean or a text. */
    static String of(Object value) {
        JsonText json = new JsonText();
        json.append(value);
        return json.text.toString();
    }

    private void append(Object value) {
        if (value instanceof Map<?, ?> map) {
            text.append('{');
            String separator = "";
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                text.append(separator);
                appendText(String.valueOf(entry.getKey()));
                text.append(':');
                append(entry.getValue());
                separator = ",";
            }
            text.append('}');
        } else if (value instanceof List<?> list) {
            text.append('[');
            String separator = "";
            for (Object element : list) {
                text.append(separator);
                append(element);
                separator = ",";
            }
            text.append(']');
        } else if (value instanceof Number || value instanceof Boolean) {
            text.append(value);
        } else {
            appendText(String.valueOf(value));
        }
    }

    private void appendText(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> text.append("\\\"");
                case '\\' -> text.append("\\\\");
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                default -> {
                    if (Character.isISOControl(c)) { // also the C1 controls, which some terminals execute
                        text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
                    } else {
                        text.append(c);
                    }
                }
            }
        }
        text.append('"');
    }
}
