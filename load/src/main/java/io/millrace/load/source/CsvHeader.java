// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import io.millrace.load.source.SourceException.Kind;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reads the column names from the first record, unless the options contain them. */
final class CsvHeader {

    /**
     * Maximum number of columns. Without this limit, a file without line ends would be read into memory as one header.
     */
    private static final int MAX_COLUMNS = 65_536;

    private CsvHeader() {}

    static List<Column> columns(String name, CsvTokenizer tokens, CsvOptions options) throws IOException {
        List<String> names = options.columns();
        if (names.isEmpty()) {
            names = read(name, tokens, options);
        }
        return Columns.named(name, names);
    }

    private static List<String> read(String name, CsvTokenizer tokens, CsvOptions options) throws IOException {
        if (!tokens.nextRecord()) {
            throw new SourceException(
                    Kind.UNUSABLE,
                    "cannot read %s: it is empty. The first line must contain the column names.".formatted(name));
        }
        CsvFieldCheck check = new CsvFieldCheck(tokens, options);
        Row row = new Row();
        List<String> names = new ArrayList<>();
        while (!tokens.recordEnded()) {
            if (names.size() == MAX_COLUMNS) {
                throw unusable(name, String.format(Locale.ROOT, "it has more than %,d columns", MAX_COLUMNS));
            }
            row.clear(0, tokens.line());
            tokens.field(row);
            check.field(row, "column " + (names.size() + 1));
            row.end(Row.Kind.TEXT);
            row.rejection().ifPresent(rejection -> {
                throw unusable(name, rejection.message());
            });
            names.add(row.text(0));
        }
        if (names.stream().anyMatch(column -> column.indexOf('\0') >= 0)) {
            throw unusable(
                    name,
                    "it contains NUL characters, as UTF-16 does. Set the encoding: --encoding UTF-16LE or"
                            + " UTF-16BE");
        }
        return names;
    }

    private static SourceException unusable(String name, String why) {
        return new SourceException(Kind.UNUSABLE, "cannot read the header of %s: %s.".formatted(name, why));
    }
}
