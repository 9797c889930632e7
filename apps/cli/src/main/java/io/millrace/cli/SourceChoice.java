// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.source.FilesSource;
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
                    .taking("--format", "--columns", "--readers"),
            SourceType.ofFiles(
                            "a CSV or TSV file",
                            "a .csv or .tsv file or '-' and --format for standard input (.gz and .zst are "
                                    + "decompressed and a pattern such as 'data-*.csv' names several files)",
                            (source, typed) -> true,
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
                            "--types",
                            "--readers"));

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
        boolean standardInput = name.equals(SourceFiles.STANDARD_INPUT);
        // The files are checked first, because a name with a typing error usually has no known ending either.
        List<String> names = type(name, typed).readsFiles() && !standardInput
                ? SourceFiles.of(name, typed.moreFiles).stream()
                        .map(Path::toString)
                        .toList()
                : List.of(name);
        refuseOptionsOfOthers(
                names.stream().map(each -> type(each, typed)).distinct().toList(), typed);
        if (standardInput && typed.readers.isTyped()) {
            throw new UsageException("--readers reads several files at once, and standard input is one file.");
        }
        List<SourceChoice> sources = names.stream()
                .map(each -> type(each, typed).factory().create(each, typed, standardStreams, secretMasker))
                .toList();
        return sources.size() == 1 ? sources.getFirst() : together(sources, typed);
    }

    /** The type of a SOURCE argument, or of one file. */
    private static SourceType type(String name, SourceArguments typed) {
        return TYPES.stream()
                .filter(candidate -> candidate.accepted().test(name, typed))
                .findFirst()
                .orElseThrow();
    }

    private static SourceChoice together(List<SourceChoice> files, SourceArguments typed) {
        FilesSource source =
                FilesSource.of(files.stream().map(SourceChoice::source).toList());
        return new SourceChoice(
                typed.readers.value().map(source::withReaders).orElse(source),
                files.stream().flatMap(file -> file.files().stream()).toList());
    }

    private static void refuseOptionsOfOthers(List<SourceType> types, SourceArguments typed) {
        List<String> foreign = typed.group.typedNames().stream()
                .filter(option ->
                        types.stream().noneMatch(type -> type.options().contains(option)))
                .toList();
        if (!foreign.isEmpty()) {
            String owners = TYPES.stream()
                    .filter(candidate -> foreign.stream().anyMatch(candidate.options()::contains))
                    .map(SourceType::noun)
                    .collect(Collectors.joining(" or "));
            String given = types.stream().map(SourceType::noun).collect(Collectors.joining(" and "));
            throw new UsageException(
                    String.join(", ", foreign) + " belongs to " + owners + ", but SOURCE is " + given + ".");
        }
    }
}
