// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A named pipe as the source of a load: the test writes the rows, and decides when the load continues. */
record RowPipe(Path path) {

    /** Creates a pipe in {@code folder}. */
    static RowPipe in(Path folder) throws Exception {
        Path path = folder.toRealPath().resolve("rows.csv");
        assertThat(new ProcessBuilder("mkfifo", path.toString()).start().waitFor())
                .isZero();
        return new RowPipe(path);
    }

    /** Opens the pipe for writing, as soon as one of {@code apps} opens it for reading. */
    Writer open(List<AppProcess> apps) {
        CompletableFuture<Writer> writer = CompletableFuture.supplyAsync(this::open);
        apps.getFirst()
                .await(
                        () -> writer.isDone() || apps.stream().noneMatch(AppProcess::isAlive),
                        "a load that opens its source");
        if (!writer.isDone()) {
            release();
            throw new AssertionError("the applications ended before their loads: "
                    + apps.stream().map(AppProcess::output).toList());
        }
        return writer.join();
    }

    private Writer open() {
        try {
            return Files.newBufferedWriter(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends the thread that opens the pipe. */
    private void release() {
        try (RandomAccessFile reader = new RandomAccessFile(path.toFile(), "rw")) {
            assertThat(reader.getFD().valid()).isTrue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
