// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.load.source.Column;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.Repetition;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The file of rejected rows. Each line is a JSON object with all values of the row, so that the row can be corrected
 * and loaded again:
 *
 * <pre>
 * {"source":"shop.csv","number":17,"line":18,"key":"customer:17","reason":"server-error",
 *  "message":"WRONGTYPE Operation …","attempt":1,"row":{"id":17,"name":"Ada","city":null}}
 * </pre>
 *
 * <p>{@code line} is absent if the source has no lines. {@code key} is absent if the row has no key. {@code row} is an
 * array of values if the number of values does not match the columns, or if two columns have the same name. Binary
 * columns and text that is not UTF-8 are written as {@code {"base64":"…"}}.
 *
 * <p>{@code cut} names the columns of which {@code row} has only the beginning, because a value was too long. {@code
 * incorrect} names the columns whose values are not those of the source, because the source cannot read the values, or
 * because the values are malformed; an empty list if the source does not name them. The columns of an array are numbers,
 * from 1. A row with one of these members cannot be loaded before it is corrected and the member is removed.
 *
 * <p>Unconfirmed rows are ranges without values:
 *
 * <pre>
 * {"source":"shop.csv","number":17,"line":18,"lastNumber":90,"lastLine":91,"reason":"unconfirmed",
 *  "message":"74 rows may or may not have been written …","attempt":1}
 * </pre>
 *
 * <p>Thread-safe. Blocks while the disk blocks. The buffer holds 64 KiB and one row. It is written to the file when it
 * is full, at {@link #flush}, and at {@link #close}. A load also writes it once per second. The file ends with a complete
 * line unless a write failed.
 */
public final class RejectsFile implements AutoCloseable {

    private final Path path;
    /** Longest time that a row of a load stays in the buffer. */
    private static final long FLUSH_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ReentrantLock lock = new ReentrantLock();

    // The lock guards the following fields.
    private final RejectLines lines;

    /** Not a channel, because an interrupt during a write would close the channel, and rows would be lost. */
    private OutputStream file;

    private long lastWriteNanos = System.nanoTime();
    private long rows;
    private boolean failed;
    private boolean closed;

    private RejectsFile(Path path, OutputStream file, RejectLines lines) {
        this.path = path;
        this.file = file;
        this.lines = lines;
    }

    /**
     * Creates {@code path} for the rejected rows of {@code source}. The caller must call this method before it writes
     * anything to Redis.
     *
     * <p>A file that is not empty is refused, because it may be the only record of the rejected rows of an earlier
     * load, or even the source of the load. An empty file and a special file such as {@code /dev/null} are accepted. So
     * after a load without rejected rows, another load can use the same file.
     *
     * @throws PlanException if the file is not empty, or cannot be created
     */
    public static RejectsFile open(Path path, String source, List<Column> columns) {
        return open(path, source, columns, false);
    }

    /** The same. If {@code continued}, the file may contain the rejected rows of the load that is continued. */
    static RejectsFile open(Path path, String source, List<Column> columns, boolean continued) {
        try {
            if (!continued && Files.isRegularFile(path) && Files.size(path) > 0) {
                throw new PlanException("rejects file is not empty: path=" + path + ", bytes=" + Files.size(path)
                        + ". Move the file away, or name another file.");
            }
            // Append mode, so that a race with another program cannot truncate the file.
            OutputStream file = new FileOutputStream(path.toFile(), true);
            return new RejectsFile(path, file, new RejectLines(source, columns));
        } catch (IOException e) {
            throw new PlanException("rejects file cannot be created: path=" + path + " (" + reason(e)
                    + "). Name a file in a writable directory.");
        }
    }

    /** The number of rows that were added. */
    public long rows() {
        lock.lock();
        try {
            return rows;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Adds a rejected row.
     *
     * @param keyLength length of the row's key in {@code key}; 0 if the row has no key
     * @throws UncheckedIOException if this write or an earlier write failed; the load must end, because rows would be
     *     lost
     */
    public void add(Row row, byte[] key, int keyLength, Rejection rejection) {
        locked(() -> {
            checkUsable();
            lines.append(row, key, keyLength, rejection);
            rows++;
            if (lines.isFull()) {
                write();
            }
        });
    }

    /**
     * Adds a range of unconfirmed rows.
     *
     * @param repetition the effect of loading these rows again
     * @throws UncheckedIOException as in {@link #add}
     */
    void addUnconfirmed(RowRange range, Repetition repetition) {
        locked(() -> {
            checkUsable();
            lines.append(range, repetition);
            if (lines.isFull()) {
                write();
            }
        });
    }

    /**
     * Passes all buffered rows to the operating system. Does nothing after {@link #close}.
     *
     * @throws UncheckedIOException as in {@link #add}
     */
    public void flush() {
        locked(() -> {
            checkUsable();
            if (!closed && !lines.isEmpty()) {
                write();
            }
        });
    }

    /**
     * Removes the rows after {@code row} from the file, and all ranges of unconfirmed rows, because the load reads these
     * rows again. Called before the first {@link #add}.
     *
     * @throws UncheckedIOException as in {@link #add}
     */
    void continueAfter(long row) {
        locked(() -> {
            checkUsable();
            try {
                file.close();
                RejectsTail.drop(path, row);
                file = new FileOutputStream(path.toFile(), true);
            } catch (IOException e) {
                throw failure(e);
            }
        });
    }

    /**
     * Passes the buffered rows to the operating system if the last write was a second ago. So a process that is killed
     * loses the rows of the last second at most. Does nothing after {@link #close} and after a failure.
     *
     * @throws UncheckedIOException if the write fails
     */
    void flushIfDue() {
        locked(() -> {
            if (!failed && !closed && !lines.isEmpty() && System.nanoTime() - lastWriteNanos >= FLUSH_NANOS) {
                write();
            }
        });
    }

    /**
     * Writes the buffered rows and closes the file. A second call does nothing.
     *
     * @throws UncheckedIOException if the buffered rows cannot be written. Not thrown again if an earlier call has
     *     thrown it
     */
    @Override
    public void close() {
        locked(() -> {
            try (OutputStream ignored = file) {
                if (!failed && !closed) {
                    write();
                }
            } catch (IOException e) {
                throw failure(e);
            } finally {
                closed = true;
            }
        });
    }

    private void locked(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    private void checkUsable() {
        if (failed) {
            throw failure(new IOException("an earlier write failed"));
        }
    }

    private void write() {
        lastWriteNanos = System.nanoTime();
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
                        + "). Free disk space or name another file, and load again.",
                cause);
    }

    private static String reason(IOException e) {
        String message = e.getMessage();
        return e.getClass().getSimpleName() + (message == null ? "" : ": " + message);
    }
}
