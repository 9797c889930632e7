// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.util.Map;
import java.util.TreeMap;

/**
 * The kinds of the values of a CSV file. In a JSON document, a number or a boolean then has no quotes.
 *
 * @param infer whether an unquoted field of a column without a type is a number if it is a JSON number, and a boolean
 *     if it is {@code true} or {@code false}. The decision is made for each field, so text such as {@code 007} stays
 *     text
 * @param columns types by the name of the column. A row is rejected if a field does not have the type of its column
 */
public record CsvTypes(boolean infer, Map<String, Type> columns) {

    /** The type of a column. NULL has every type. */
    public enum Type {
        /** Text, also if the field looks like a number. */
        TEXT,
        /** A whole number in JSON format: digits, and a minus sign if the number is negative. */
        INT,
        /** A number in JSON format. */
        NUMBER,
        /** One of true, false, t, f, yes, no, y, n, 1 and 0, in any letter case. Written as true or false. */
        BOOL
    }

    /** All values are text. */
    public static final CsvTypes TEXT = new CsvTypes(false, Map.of());

    /** The form of each field decides. */
    public static final CsvTypes INFERRED = new CsvTypes(true, Map.of());

    public CsvTypes {
        columns = Map.copyOf(columns);
    }

    /** The same text in each process: the order of the entries of an immutable map differs. */
    @Override
    public String toString() {
        return "CsvTypes[infer=" + infer + ", columns=" + new TreeMap<>(columns) + "]";
    }
}
