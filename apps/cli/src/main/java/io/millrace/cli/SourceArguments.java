// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/** The typed options of {@code millrace load} for the source. */
final class SourceArguments {

    /** The formats of a file or of standard input. */
    enum Format {
        CSV,
        TSV
    }

    static final class FormatText implements ITypeConverter<Format> {
        @Override
        public Format convert(String text) {
            return new EnumConverter<>("format", Format.class).convert(text);
        }
    }

    @Option(
            names = "--format",
            paramLabel = "csv|tsv",
            converter = FormatText.class,
            description = "Format of the input. Default: taken from the file name. Required for '-'.")
    Optional<Format> format = Optional.empty();

    @Option(
            names = "--delimiter",
            paramLabel = "CHAR",
            description = "Character between fields; \\t is a tab. Default: a comma, or a tab for TSV.")
    Optional<String> delimiter = Optional.empty();

    @Option(names = "--quote", paramLabel = "CHAR|none", description = "Character around fields, or none. Default: \".")
    Optional<String> quote = Optional.empty();

    @Option(
            names = "--null-in",
            paramLabel = "TEXT",
            description = "Text that means NULL in an unquoted field, such as \\N. Default: the empty text.")
    Optional<String> nullText = Optional.empty();

    @Option(
            names = "--encoding",
            paramLabel = "NAME",
            description = "Character set of the input, such as ISO-8859-1. Default: UTF-8. A row is rejected "
                    + "if one of its fields is invalid in this character set.")
    Optional<String> encoding = Optional.empty();

    @Option(
            names = "--columns",
            paramLabel = "A,B,…",
            split = ",",
            hideParamSyntax = true,
            description = "Names of the columns of an input without a header line.")
    List<String> columns = List.of();

    @Option(names = "--table", paramLabel = "NAME", description = "For a jdbc: source: the table to read.")
    Optional<String> table = Optional.empty();

    @Option(names = "--query", paramLabel = "SQL", description = "For a jdbc: source: the query whose rows are read.")
    Optional<String> query = Optional.empty();

    @Option(names = "--db-user", paramLabel = "NAME", description = "For a jdbc: source: the user of the database.")
    Optional<String> databaseUser = Optional.empty();

    @Option(
            names = "--db-password-file",
            paramLabel = "FILE",
            description =
                    "For a jdbc: source: file with the password in its first line. Default: " + "MILLRACE_DB_PASSWORD.")
    Optional<Path> databasePasswordFile = Optional.empty();

    @Option(
            names = "--fetch-size",
            paramLabel = "ROWS",
            description = "For a jdbc: source. ${bundle:setting--fetch-size}")
    Optional<Integer> fetchSize = Optional.empty();
}
