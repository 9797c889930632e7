// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.load.source.RowSource;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The source, validated.
 *
 * @param file the file of the source, or of its database; empty for standard input and for a database on a server
 */
record SourceChoice(RowSource source, Optional<Path> file) {

    /**
     * The registry of source kinds; the first that accepts a source is used. A new kind is one more entry, before
     * files.
     */
    private static final List<SourceFactory> FACTORIES = List.of(new JdbcSourceFactory(), new CsvSourceFactory());

    /**
     * The source that {@code name} and {@code typed} describe. Nothing is opened yet.
     *
     * @throws UsageException if options are missing or contradict each other
     */
    static SourceChoice of(
            String name, SourceArguments typed, StandardStreams standardStreams, SecretMasker secretMasker) {
        SourceFactory factory = FACTORIES.stream()
                .filter(candidate -> candidate.accepts(name))
                .findFirst()
                .orElseThrow();
        refuseOptionsOfOthers(factory, typed);
        return factory.create(name, typed, standardStreams, secretMasker);
    }

    private static void refuseOptionsOfOthers(SourceFactory factory, SourceArguments typed) {
        List<String> foreign = TypedOptions.in(typed).stream()
                .filter(option -> !factory.optionNames().contains(option))
                .toList();
        if (!foreign.isEmpty()) {
            String owners = FACTORIES.stream()
                    .filter(candidate -> foreign.stream().anyMatch(candidate.optionNames()::contains))
                    .map(SourceFactory::noun)
                    .collect(Collectors.joining(" or "));
            throw new UsageException(
                    String.join(", ", foreign) + " belongs to " + owners + ", and this is " + factory.noun() + ".");
        }
    }
}
