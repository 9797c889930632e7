// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.source.CsvOptions;
import io.millrace.load.source.CsvTypes;
import io.millrace.load.source.JdbcOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The typed options of {@code millrace load} for the source. */
final class SourceArguments {

    /** The formats of a file or of standard input. */
    enum Format {
        CSV,
        TSV,
        /** JSON lines. */
        JSONL,
        /** An array of JSON objects, or JSON objects after each other. */
        JSON
    }

    /** The SOURCE arguments after the first: more files. */
    final List<String> moreFiles = new ArrayList<>();

    final OptionGroup group = new OptionGroup("Source:");

    final Option<Format> format = group.word(
            "--format",
            "csv|tsv|jsonl|json",
            "format",
            Format.class,
            "Format of the input. Default: taken from the file name. Required for '-'.");

    final Option<String> delimiter = group.text(
            "--delimiter", "CHAR", "Character between fields; \\t is a tab. Default: a comma, or a tab for TSV.");

    final Option<String> quote = group.text("--quote", "CHAR|none", "Character around fields, or none. Default: \".");

    final Option<String> nullText = group.text(
            "--null-in", "TEXT", "Text that means NULL in an unquoted field, such as \\N. Default: the empty text.");

    final Option<String> encoding = group.text(
            "--encoding",
            "NAME",
            "Character set of the input, such as ISO-8859-1. Default: UTF-8. A row is rejected "
                    + "if one of its fields is invalid in this character set.");

    final Option<List<String>> columns = group.list(
            "--columns",
            "A,B,…",
            "Names of the columns of a CSV input without a header line. For JSON: the members to read, such as id or "
                    + "address.city. Default for JSON: all members of the first records.");

    final Option<Integer> skipLines = group.setting("--skip-lines", "N", CsvOptions.SKIP_LINES, WholeNumber::parseInt);

    final Option<String> comment =
            group.text("--comment", "CHAR", "A line that begins with this character is skipped. Default: none.");

    final Option<CsvTypes> types = group.value(
            "--types",
            "infer|COL:TYPE,…",
            () -> "Kinds of CSV values, for numbers and booleans in JSON documents: infer decides for each unquoted "
                    + "field; COL:TYPE gives a column a type: text, int, number or bool. Default: all values are text.",
            CsvTypesText::parse);

    final Option<String> table = group.text("--table", "NAME", "For a jdbc: source: the table to read.");

    final Option<String> query = group.text("--query", "SQL", "For a jdbc: source: the query whose rows are read.");

    final Option<String> databaseUser =
            group.text("--db-user", "NAME", "For a jdbc: source: the user of the database.");

    final Option<Path> databasePasswordFile = group.file(
            "--db-password-file",
            "For a jdbc: source: file with the password in its first line. Default: MILLRACE_DB_PASSWORD.");

    final Option<Integer> fetchSize = group.setting(
            "--fetch-size",
            "ROWS",
            JdbcOptions.FETCH_SIZE,
            WholeNumber::parseInt,
            help -> "For a jdbc: source. " + help);

    final Option<Integer> readers = group.setting(
            "--readers",
            "N",
            JdbcOptions.READERS,
            WholeNumber::parseInt,
            help -> "For a jdbc: source, with --partition. " + help);

    final Option<PartitionText> partition = group.value(
            "--partition",
            "COLUMN[:MIN..MAX]",
            () ->
                    "For a jdbc: source, with --readers: column with whole numbers, best an indexed key. Each reader reads "
                            + "a range of its values. The order of rows in different ranges is not determined. With MIN..MAX, such "
                            + "as id:1..1000000, the database is not asked for the smallest and largest value.",
            PartitionText::parse);

    final Option<Path> driver = group.file(
            "--driver",
            "For a jdbc: source: a jar with the driver, or a folder of jars. Default: the drivers in Millrace, and in "
                    + "its folder drivers.");
}
