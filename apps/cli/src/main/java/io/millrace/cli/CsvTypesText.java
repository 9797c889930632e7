// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.source.CsvTypes;
import java.util.HashMap;
import java.util.Map;

/** Parses the types of CSV columns: {@code infer}, or {@code age:int,vip:bool}, or both: {@code infer,zip:text}. */
final class CsvTypesText {

    private static final String INFER = "infer";

    private CsvTypesText() {}

    /**
     * Parses {@code text}.
     *
     * @throws IllegalArgumentException if the text is not valid; the message shows the valid forms
     */
    static CsvTypes parse(String text) {
        boolean infer = false;
        Map<String, CsvTypes.Type> columns = new HashMap<>();
        for (String part : text.split(",", -1)) {
            int colon = part.lastIndexOf(':');
            if (part.equals(INFER)) {
                infer = true;
            } else if (colon <= 0) {
                throw new IllegalArgumentException(
                        "'" + part + "' is not a type. Write infer, or a column and its type, such as age:int.");
            } else {
                CsvTypes.Type type = Words.parse("type", CsvTypes.Type.class, part.substring(colon + 1));
                if (columns.put(part.substring(0, colon), type) != null) {
                    throw new IllegalArgumentException("'" + part + "' gives a column a second type.");
                }
            }
        }
        return new CsvTypes(infer, columns);
    }
}
