// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.source.RowSource;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The validated source of a load.
 *
 * @param files the files of the source, or of its database; empty for standard input and for a database on a server
 * @param warnings messages about unsafe options
 */
record SourceChoice(RowSource source, List<Path> files, List<String> warnings) {

    /** A source without warnings. */
    SourceChoice(RowSource source, List<Path> files) {
        this(source, files, List.of());
    }

    /**
     * The registry of source types. The first type that accepts the SOURCE argument is used. The last type accepts
     * every argument.
     */
    static final List<SourceType> TYPES = List.of(
            SourceType.of(
                            "a jdbc: source",
                            "a jdbc: URL with --table or --query",
                            JdbcSourceFactory::accepts,
                            JdbcSourceFactory::create)
                    .taking(
                            "--table",
                            "--query",
                            "--db-user",
                            "--db-password-file",
                            "--fetch-size",
                            "--readers",
                            "--partition",
                            "--driver"),
            SourceType.of(
                    "a source of generated rows",
                    "gen:ROWS for generated rows",
                    GeneratedSourceFactory::accepts,
                    GeneratedSourceFactory::create),
            SourceType.ofFiles(
                            "a JSON file",
                            "a .jsonl or .ndjson or .json file",
                            JsonSourceFactory::accepts,
                            JsonSourceFactory::create)
                    .taking("--format", "--columns"),
            SourceType.of(
                            "a CSV or TSV file",
                            "a .csv or .tsv file or '-' and --format for standard input (.gz and .zst are "
                                    + "decompressed and a pattern such as 'data-*.csv' names several files)",
                            source -> true,
                            CsvSourceFactory::create)
                    .taking(
                            "--format",
                            "--delimiter",
                            "--quote",
                            "--null-in",
                            "--encoding",
                            "--columns",
                            "--skip-lines",
                            "--comment",
                            "--types"));

    /** The help texts of the source types. */
    static String help() {
        return TYPES.reversed().stream().map(SourceType::help).collect(Collectors.joining(", "));
    }

    /**
     * Returns the source that {@code name} and {@code typed} describe. Nothing is opened yet.
     *
     * @throws UsageException if options are missing or contradict each other
     */
    static SourceChoice of(
            String name, SourceArguments typed, StandardStreams standardStreams, SecretMasker secretMasker) {
        SourceType type = TYPES.stream()
                .filter(candidate -> candidate.accepted().test(name, typed))
                .findFirst()
                .orElseThrow();
        refuseOptionsOfOthers(type, typed);
        return type.factory().create(name, typed, standardStreams, secretMasker);
    }

    private static void refuseOptionsOfOthers(SourceType type, SourceArguments typed) {
        List<String> foreign = typed.group.typedNames().stream()
                .filter(option -> !type.options().contains(option))
                .toList();
        if (!foreign.isEmpty()) {
            String owners = TYPES.stream()
                    .filter(candidate -> foreign.stream().anyMatch(candidate.options()::contains))
                    .map(SourceType::noun)
                    .collect(Collectors.joining(" or "));
            throw new UsageException(
                    String.join(", ", foreign) + " belongs to " + owners + ", but SOURCE is " + type.noun() + ".");
        }
    }
}
