// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Reads one part of a source with a thread of its own, and hands the rows over. */
final class PartReader implements RowExchange.Part {

    private final RowSource source;
    private final RowExchange exchange;
    private final Thread thread;

    private final ReentrantLock batchLock = new ReentrantLock();
    /** Guarded by the lock. The thread of this reader fills it, and the taking thread may exchange it. */
    private RowBatch filling = new RowBatch();

    /** Cancels the opening, and later the reading. Written by the thread of this reader. */
    private volatile @Nullable Runnable canceller;

    private volatile boolean cancelled;
    /** Written by the thread of this reader before it reports that the part is open. */
    private volatile List<Column> columns = List.of();

    PartReader(RowSource source, RowExchange exchange, int number) {
        this.source = source;
        this.exchange = exchange;
        // A platform thread, because drivers block in native code and in synchronized methods.
        this.thread =
                Thread.ofPlatform().daemon().name("millrace-source-" + number).unstarted(this::read);
    }

    void start() {
        thread.start();
    }

    List<Column> columns() {
        return columns;
    }

    private void read() {
        try (RowReader reader = source.open(this::cancelWith)) {
            cancelWith(reader::cancel);
            columns = reader.columns();
            exchange.opened();
            handOver(reader);
            flush();
            exchange.ended();
        } catch (RuntimeException | Error e) {
            flush();
            exchange.fail(e instanceof RuntimeException failure ? failure : new IllegalStateException(e));
        } finally {
            canceller = null;
        }
    }

    /** Reads until the part ends, or until the exchange is closed. */
    private void handOver(RowReader reader) {
        Row row = new Row();
        boolean open = true;
        while (open && reader.next(row)) {
            boolean full = add(row);
            if (full || exchange.isWanted()) {
                open = flush();
            }
        }
    }

    /** Adds a row. Returns whether the batch is full. */
    private boolean add(Row row) {
        batchLock.lock();
        try {
            filling.add(row);
            return filling.isFull();
        } finally {
            batchLock.unlock();
        }
    }

    /** Hands the batch over if it has rows. Waits for an empty batch. Returns false if the exchange is closed. */
    private boolean flush() {
        Optional<RowBatch> empty = exchange.emptyBatch();
        if (empty.isPresent()) {
            exchange(empty.get()).ifPresentOrElse(exchange::put, () -> exchange.giveBack(empty.get()));
        }
        return empty.isPresent();
    }

    @Override
    public Optional<RowBatch> exchange(RowBatch empty) {
        batchLock.lock();
        try {
            if (filling.isEmpty()) {
                return Optional.empty();
            }
            RowBatch taken = filling;
            filling = empty;
            return Optional.of(taken);
        } finally {
            batchLock.unlock();
        }
    }

    private void cancelWith(Runnable action) {
        canceller = action;
        // The flag is read after the action is published. So a concurrent cancel, which writes the flag first, either
        // finds the action or is noticed here.
        if (cancelled) {
            action.run();
        }
    }

    /** Cancels the part. Any thread. Does nothing if the part has ended. */
    void cancel() {
        cancelled = true;
        Runnable action = canceller;
        if (action != null) {
            action.run();
        }
    }

    /** Waits for the end of the thread. */
    void awaitEnd() {
        boolean interrupted = false;
        while (true) {
            try {
                thread.join();
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
