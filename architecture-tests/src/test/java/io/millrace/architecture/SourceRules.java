// SPDX-License-Identifier: Apache-2.0
package io.millrace.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.MalformedInputException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Rules for source files, documents and build files. Build output is excluded.
 *
 * @param root root of the source tree
 */
record SourceRules(Path root) {

    static final String LICENCE_LINE = "// SPDX-License-Identifier: Apache-2.0";

    private static final Set<String> EXCLUDED_FOLDERS =
            Set.of("target", ".git", ".idea", ".vscode", ".settings", "node_modules");

    /** The Maven wrapper must contain the download address of Maven. */
    private static final Set<String> WRAPPER = Set.of("mvnw", "mvnw.cmd", ".mvn/wrapper/maven-wrapper.properties");

    /**
     * Matches absolute paths of a specific machine, and hosts of package registries. The literals below are split, so
     * that this file does not contain a match.
     */
    private static final Pattern MACHINE = Pattern.compile("(?<![\\w.])/(" + "root|home|Users|work" + ")/\\w"
            + "|\\brepo1?\\." + "maven\\.|\\bregistry\\.\\w" + "|\\bartifactory\\b|\\bnexus\\b");

    private static final Pattern MONITOR = Pattern.compile("^\\s*(?!//|\\*).*\\bsynchronized\\s*\\(");

    /** Java and Scala files that do not start with the licence line. */
    List<String> withoutLicence() {
        return files().filter(file -> file.toString().matches(".*\\.(java|scala)"))
                .filter(file -> !lines(file).findFirst().orElse("").equals(LICENCE_LINE))
                .map(this::name)
                .toList();
    }

    /** Lines that contain a path of a specific machine, or the host of a package registry. */
    List<String> machineNames() {
        return files().filter(file -> !WRAPPER.contains(name(file)))
                .flatMap(file -> matches(file, MACHINE))
                .toList();
    }

    /** {@code synchronized} blocks in the engine. {@link ClassRules} finds {@code synchronized} methods. */
    List<String> monitorsInTheEngine() {
        return files().filter(file -> name(file).matches("engine/[^/]+/src/main/.*\\.java"))
                .flatMap(file -> matches(file, MONITOR))
                .toList();
    }

    private Stream<String> matches(Path file, Pattern pattern) {
        return lines(file)
                .map(pattern::matcher)
                .filter(Matcher::find)
                .map(match -> name(file) + ": " + match.group().strip());
    }

    private String name(Path file) {
        return root.relativize(file).toString().replace('\\', '/');
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (MalformedInputException e) {
            return Stream.empty(); // a binary file
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Stream<Path> files() {
        List<Path> files = new ArrayList<>();
        try {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                    return EXCLUDED_FOLDERS.contains(String.valueOf(folder.getFileName()))
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    // In a linked work tree of Git, .git is a file and not a folder.
                    if (attributes.isRegularFile() && !file.endsWith(".git")) {
                        files.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return files.stream().sorted();
    }
}
