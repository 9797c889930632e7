// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads all rows of a source into lists. */
final class Rows {

    /** The text for NULL in {@link #values}. No test uses this text as a value. */
    static final String NULL = "\0null";

    private Rows() {}

    /** A copy of a row, because the reader reuses rows. */
    record Read(long number, long line, List<String> values, List<Row.Kind> kinds, String rejection) {

        static Read of(Row row) {
            List<String> values = new ArrayList<>();
            List<Row.Kind> kinds = new ArrayList<>();
            for (int i = 0; i < row.size(); i++) {
                values.add(row.isNull(i) ? NULL : row.text(i));
                kinds.add(row.kind(i));
            }
            String rejection =
                    row.rejection().map(r -> r.reason() + ": " + r.message()).orElse("");
            return new Read(row.number(), row.line(), values, kinds, rejection);
        }
    }

    static CsvSource csv(byte[] bytes, CsvOptions options) {
        return CsvSource.of(new ByteArrayInputStream(bytes), "test.csv", options);
    }

    static List<Read> read(String csv) {
        return read(csv, CsvOptions.defaults());
    }

    static List<Read> read(String csv, CsvOptions options) {
        return read(csv(csv.getBytes(StandardCharsets.UTF_8), options));
    }

    static List<Read> read(RowSource source) {
        try (RowReader reader = source.open()) {
            return rest(reader);
        }
    }

    static List<Read> rest(RowReader reader) {
        List<Read> rows = new ArrayList<>();
        Row row = new Row();
        while (reader.next(row)) {
            rows.add(Read.of(row));
        }
        return rows;
    }

    static List<List<String>> values(List<Read> rows) {
        return rows.stream().map(Read::values).toList();
    }

    static List<String> columns(RowReader reader) {
        return reader.columns().stream().map(Column::name).toList();
    }
}
