// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Column;
import io.millrace.load.source.Row;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The file that takes rejected rows, one JSON object on each line, with all that is needed to mend and load them again:
 *
 * <pre>
 * {"source":"shop.csv","number":17,"line":18,"key":"customer:17","reason":"server-error",
 *  "message":"WRONGTYPE Operation …","attempt":1,"row":{"id":17,"name":"Ada","city":null}}
 * </pre>
 *
 * <p>{@code line} and {@code key} are absent where there is none. A record that does not fit the columns, or whose columns
 * cannot be told apart by name, has an array of its values as {@code row}. Bytes, be it of a binary column or of text that
 * is not UTF-8, are {@code {"base64":"…"}}.
 *
 * <p>Confined to one thread. Blocks while the disk does. Keeps 64 KiB and one row in memory, and writes when that is
 * full, at {@link #flush}, and at {@link #close}; the file always ends with a whole line unless writing failed.
 */
public final class RejectsFile implements AutoCloseable {

    private final Path path;
    /** No channel: an interrupt during a write would close that, and lose rows. */
    private final OutputStream file;

    private final RejectLines lines;

    private long rows;
    private boolean failed;
    private boolean closed;

    private RejectsFile(Path path, OutputStream file, RejectLines lines) {
        this.path = path;
        this.file = file;
        this.lines = lines;
    }

    /**
     * Creates {@code path} for the rejected rows of {@code source}. To be called before anything is written to Redis.
     *
     * <p>A file that already holds something is refused, since it may be the only record of what an earlier load left out,
     * or even the source. An empty one is taken, as is what is no regular file, such as {@code /dev/null}; so a load without
     * rejected rows can be repeated as it was.
     *
     * @throws PlanException if the file holds something, or cannot be created; the message says why
     */
    public static RejectsFile open(Path path, String source, List<Column> columns) {
        try {
            if (Files.isRegularFile(path) && Files.size(path) > 0) {
                throw new PlanException("rejects file already holds something: path=" + path + ", bytes="
                        + Files.size(path) + ". Move it away, or name another file.");
            }
            // Appending, so that not even a race with another program can cut anything off.
            OutputStream file = new FileOutputStream(path.toFile(), true);
            return new RejectsFile(path, file, new RejectLines(source, columns));
        } catch (IOException e) {
            throw new PlanException("rejects file cannot be created: path=" + path + " (" + reason(e)
                    + "). Name a file in a directory that can be written to.");
        }
    }

    /** How many rows have been added. */
    public long rows() {
        return rows;
    }

    /**
     * Adds {@code row} and why it was rejected.
     *
     * @param keyLength how many bytes of {@code key} are the row's key; 0 if it has none
     * @throws UncheckedIOException if the file can no longer be written, now or at an earlier call; rows would be lost, so the
     *     job must end
     */
    public void add(Row row, byte[] key, int keyLength, Rejection rejection) {
        checkUsable();
        lines.append(row, key, keyLength, rejection);
        rows++;
        if (lines.isFull()) {
            write();
        }
    }

    /**
     * Hands everything added so far to the operating system.
     *
     * @throws UncheckedIOException as {@link #add}
     */
    public void flush() {
        checkUsable();
        write();
    }

    /**
     * Writes what is left and closes the file. Does nothing the second time.
     *
     * @throws UncheckedIOException if rows were lost, unless an earlier call has said so already
     */
    @Override
    public void close() {
        try (file) {
            if (!failed && !closed) {
                write();
            }
        } catch (IOException e) {
            throw failure(e);
        } finally {
            closed = true;
        }
    }

    private void checkUsable() {
        if (failed) {
            throw failure(new IOException("an earlier write failed"));
        }
    }

    private void write() {
        try {
            lines.drainTo(file);
        } catch (IOException e) {
            throw failure(e);
        }
    }

    private UncheckedIOException failure(IOException cause) {
        failed = true;
        return new UncheckedIOException(
                "rejects file cannot be written: path=" + path + ", rows=" + rows + " (" + reason(cause)
                        + "). Make room or name another file, and load again.",
                cause);
    }

    private static String reason(IOException e) {
        String message = e.getMessage();
        return e.getClass().getSimpleName() + (message == null ? "" : ": " + message);
    }
}
