// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds the files with JDBC drivers: the value of {@code --driver}, and the entries of the folder {@code drivers}
 * beside the folder {@code lib} of Millrace. The environment variable {@code MILLRACE_DRIVERS} names another folder.
 */
final class DriverFiles {

    private DriverFiles() {}

    /**
     * Returns the driver files, the typed file first. Each entry of the folder is a jar, or a folder with the jars of
     * one driver.
     *
     * @param folder value of the environment variable
     * @throws UsageException if the folder of the variable cannot be read
     */
    static List<Path> of(Optional<Path> typed, Optional<String> folder) {
        List<Path> files = new ArrayList<>(typed.stream().toList());
        if (folder.isPresent()) {
            files.addAll(named(folder.get()));
        } else {
            installed().filter(Files::isDirectory).ifPresent(place -> files.addAll(readable(place)));
        }
        return files;
    }

    private static List<Path> named(String folder) {
        try {
            return entries(Path.of(folder));
        } catch (IOException | InvalidPathException unreadable) {
            throw new UsageException("MILLRACE_DRIVERS=" + folder + ": the folder cannot be read.", unreadable);
        }
    }

    private static List<Path> readable(Path place) {
        try {
            return entries(place);
        } catch (IOException unreadable) {
            throw new UsageException("the folder " + place + " cannot be read.", unreadable);
        }
    }

    private static List<Path> entries(Path folder) throws IOException {
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.filter(entry ->
                            Files.isDirectory(entry) || entry.toString().endsWith(".jar"))
                    .sorted()
                    .toList();
        }
    }

    /** The folder {@code drivers} of the installation; empty if Millrace does not run from its jars. */
    private static Optional<Path> installed() {
        CodeSource source = DriverFiles.class.getProtectionDomain().getCodeSource();
        if (source == null || source.getLocation() == null) {
            return Optional.empty();
        }
        try {
            Path jar = Path.of(source.getLocation().toURI());
            return Optional.ofNullable(jar.getParent()).map(Path::getParent).map(home -> home.resolve("drivers"));
        } catch (URISyntaxException | IllegalArgumentException notAFile) {
            return Optional.empty();
        }
    }
}
