// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.run.EndWithJvm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;

/** A folder that is gone when it is closed, or when the JVM ends before that. */
final class TemporaryFolder implements AutoCloseable {

    private final Path path;
    private final EndWithJvm end;

    private TemporaryFolder(Path path) {
        this.path = path;
        this.end = EndWithJvm.doing(this::delete);
    }

    static TemporaryFolder make() throws IOException {
        return new TemporaryFolder(Files.createTempDirectory("millrace-lab-"));
    }

    Path path() {
        return path;
    }

    private void delete() {
        if (!Files.exists(path)) {
            return;
        }
        try (var files = Files.walk(path)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException | UncheckedIOException e) {
            System.err.println("lab: cannot delete " + path + ": " + e.getMessage());
        }
    }

    @Override
    public void close() {
        delete();
        end.callOff();
    }
}
