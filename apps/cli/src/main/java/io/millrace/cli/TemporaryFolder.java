// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A folder that {@link #close} deletes with its content. */
record TemporaryFolder(Path path) implements AutoCloseable {

    /** Creates a folder under {@code java.io.tmpdir}. Its name begins with {@code prefix}. */
    static TemporaryFolder create(String prefix) {
        try {
            return new TemporaryFolder(
                    Files.createTempDirectory(Path.of(System.getProperty("java.io.tmpdir")), prefix));
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot create a temporary folder: " + Failure.reason(failed), failed);
        }
    }

    @Override
    public void close() {
        try (Stream<Path> walk = Files.walk(path)) {
            List<Path> innermostFirst = walk.sorted(Comparator.reverseOrder()).toList();
            for (Path file : innermostFirst) {
                Files.deleteIfExists(file);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException("cannot delete " + path + ": " + Failure.reason(failed), failed);
        }
    }
}
