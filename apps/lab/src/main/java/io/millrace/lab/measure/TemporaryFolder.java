// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import io.millrace.lab.server.EndWithJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A folder that is deleted when this object is closed, or when the JVM ends. */
final class TemporaryFolder implements AutoCloseable {

    private final Path path;
    private final EndWithJvm end;

    private TemporaryFolder(Path path) {
        this.path = path;
        this.end = EndWithJvm.run(this::delete);
    }

    static TemporaryFolder create() {
        try {
            return new TemporaryFolder(Files.createTempDirectory("millrace-lab-"));
        } catch (IOException e) {
            throw new UncheckedIOException("a temporary folder cannot be created", e);
        }
    }

    Path path() {
        return path;
    }

    private void delete() {
        if (!Files.exists(path)) {
            return;
        }
        try (Stream<Path> files = Files.walk(path)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            System.err.println("lab: a temporary folder cannot be deleted: path=" + path + ", cause=" + e.getMessage());
        }
    }

    @Override
    public void close() {
        delete();
        end.cancel();
    }
}
