// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.load.LoadReport;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.spark.sql.catalyst.InternalRow;
import org.jspecify.annotations.Nullable;

/**
 * Rows that the task passes one by one. A separate thread loads these rows, and the task waits while {@link #CAPACITY}
 * rows are waiting. The methods belong to the thread of the task, and the iterator belongs to the loading thread.
 */
final class PushedRows implements Iterator<InternalRow> {

    private static final int CAPACITY = 1_000;
    private static final long POLL_MILLIS = 50;

    private final ArrayBlockingQueue<InternalRow> waiting = new ArrayBlockingQueue<>(CAPACITY);
    private final CompletableFuture<LoadReport> result = new CompletableFuture<>();
    private volatile boolean ended;
    private volatile boolean cancelled;

    /** The next row. Only the loading thread uses this field. */
    private @Nullable InternalRow next;

    private PushedRows() {}

    /** Starts the thread that calls {@code load} with the rows. */
    static PushedRows start(Function<Iterator<InternalRow>, LoadReport> load) {
        PushedRows rows = new PushedRows();
        Thread.ofPlatform().name("millrace-pushed-rows").daemon().start(() -> {
            try {
                rows.result.complete(load.apply(rows));
            } catch (Throwable failed) {
                rows.result.completeExceptionally(failed);
            }
        });
        return rows;
    }

    /** Adds a row. Blocks while too many rows are waiting. Throws the exception of the load if the load has failed. */
    void add(InternalRow row) {
        try {
            while (!waiting.offer(row, POLL_MILLIS, TimeUnit.MILLISECONDS)) {
                if (result.isDone()) {
                    finish();
                    throw new IllegalStateException("the load has ended before its last row");
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SparkLoadException("the task was interrupted", e);
        }
    }

    /** Ends the rows, waits for the end of the load, and returns its report. */
    LoadReport finish() {
        ended = true;
        try {
            return result.join();
        } catch (CompletionException failed) {
            throw failed.getCause() instanceof RuntimeException cause ? cause : failed;
        }
    }

    /** Ends the load, if it is still running. */
    void cancel() {
        cancelled = true;
    }

    @Override
    public boolean hasNext() {
        try {
            while (next == null) {
                // The order matters: a row that was added before the end is still found.
                boolean last = ended;
                next = waiting.poll(last ? 0 : POLL_MILLIS, TimeUnit.MILLISECONDS);
                if (cancelled) {
                    throw new IllegalStateException("the task has ended");
                }
                if (last && next == null) {
                    return false;
                }
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SparkLoadException("the load was interrupted", e);
        }
    }

    @Override
    public InternalRow next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        InternalRow row = Objects.requireNonNull(next);
        next = null;
        return row;
    }
}
