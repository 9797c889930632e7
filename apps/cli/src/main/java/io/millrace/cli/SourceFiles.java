// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import io.millrace.cli.SourceArguments.Format;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.PatternSyntaxException;

/** The files that the SOURCE arguments name, and their format. */
final class SourceFiles {

    static final String STANDARD_INPUT = "-";

    private static final String GLOB_CHARACTERS = "*?[{";

    private SourceFiles() {}

    /**
     * Returns the files of the SOURCE arguments, in their order. Each argument is the name of a file, or a pattern for
     * the names of the files in a folder. The files of a pattern are sorted by name. A file that several arguments name
     * is read once, under its first name, also if the names are spelled differently or are links.
     *
     * @throws UsageException if a file does not exist, or if a pattern matches no file
     */
    static List<Path> of(String first, List<String> more) {
        Map<Path, Path> files = new LinkedHashMap<>();
        matching(first).forEach(file -> files.putIfAbsent(real(file), file));
        for (String name : more) {
            matching(name).forEach(file -> files.putIfAbsent(real(file), file));
        }
        return List.copyOf(files.values());
    }

    /** The path that is the same for all names of a file. */
    private static Path real(Path file) {
        try {
            return file.toRealPath();
        } catch (IOException unreadable) {
            // The reading of the file reports the error.
            return file.toAbsolutePath().normalize();
        }
    }

    /** Whether {@code name} is an existing file, or a pattern whose format is typed or shown by its ending. */
    static boolean isFileOrPattern(String name, SourceArguments typed) {
        try {
            Path file = Path.of(name);
            return (Files.exists(file) && !Files.isDirectory(file))
                    || (isGlob(name) && format(name, typed).isPresent());
        } catch (InvalidPathException notAPath) {
            return false;
        }
    }

    private static List<Path> matching(String name) {
        try {
            Path file = Path.of(name);
            if (Files.exists(file)) {
                return List.of(file);
            }
            if (!isGlob(name)) {
                throw new UsageException("cannot read " + name + ": there is no such file.");
            }
            return glob(name, file);
        } catch (InvalidPathException invalid) {
            throw new UsageException("cannot read " + name + ": the path is invalid.", invalid);
        }
    }

    private static boolean isGlob(String name) {
        return name.chars().anyMatch(c -> GLOB_CHARACTERS.indexOf(c) >= 0);
    }

    private static List<Path> glob(String name, Path pattern) {
        Path folder = Optional.ofNullable(pattern.getParent()).orElse(Path.of(""));
        if (isGlob(folder.toString())) {
            throw new UsageException("cannot read " + name
                    + ": only the name of the file may be a pattern, not a folder. Name the files "
                    + "one by one, or let the shell expand the pattern.");
        }
        List<Path> found = new ArrayList<>();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, String.valueOf(pattern.getFileName()))) {
            files.forEach(file -> {
                if (!Files.isDirectory(file)) {
                    found.add(file);
                }
            });
        } catch (PatternSyntaxException invalid) {
            throw new UsageException("cannot read " + name + ": the pattern is invalid.", invalid);
        } catch (IOException | DirectoryIteratorException unreadable) {
            throw new UsageException("cannot read " + name + ": the folder cannot be read.", unreadable);
        }
        if (found.isEmpty()) {
            throw new UsageException("cannot read " + name + ": no file matches this pattern.");
        }
        found.sort(Comparator.naturalOrder());
        return found;
    }

    /** Returns the typed format, or else the format that the ending of the file name shows; empty if it shows none. */
    static Optional<Format> format(String name, SourceArguments typed) {
        return typed.format.value().or(() -> ofName(name));
    }

    private static Optional<Format> ofName(String name) {
        String plain = name.toLowerCase(Locale.ROOT);
        for (String ending : List.of(".gz", ".zst")) {
            plain = plain.endsWith(ending) ? plain.substring(0, plain.length() - ending.length()) : plain;
        }
        if (plain.endsWith(".csv")) {
            return Optional.of(Format.CSV);
        }
        if (plain.endsWith(".tsv")) {
            return Optional.of(Format.TSV);
        }
        if (plain.endsWith(".jsonl") || plain.endsWith(".ndjson")) {
            return Optional.of(Format.JSONL);
        }
        return plain.endsWith(".json") ? Optional.of(Format.JSON) : Optional.empty();
    }
}
