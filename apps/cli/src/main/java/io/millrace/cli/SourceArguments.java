// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.source.JdbcOptions;
import java.nio.file.Path;
import java.util.List;

/** The typed options of {@code millrace load} for the source. */
final class SourceArguments {

    /** The formats of a file or of standard input. */
    enum Format {
        CSV,
        TSV
    }

    final OptionGroup group = new OptionGroup("Source:");

    final Option<Format> format = group.word(
            "--format",
            "csv|tsv",
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

    final Option<List<String>> columns =
            group.list("--columns", "A,B,…", "Names of the columns of an input without a header line.");

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
}
