// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads one part of a source with a thread of its own, and hands the rows over. */
final class PartReader {

    private final RowSource source;
    private final RowExchange exchange;
    private final Thread thread;

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
            exchange.ended();
        } catch (RuntimeException | Error e) {
            exchange.fail(e instanceof RuntimeException failure ? failure : new IllegalStateException(e));
        } finally {
            canceller = null;
        }
    }

    /** Reads until the part ends, or until the exchange is closed. */
    private void handOver(RowReader reader) {
        Optional<RowBatch> batch = exchange.emptyBatch();
        while (batch.isPresent()) {
            RowBatch filling = batch.get();
            boolean more = true;
            while (more && !filling.isFull() && (filling.isEmpty() || !exchange.isWanted())) {
                more = reader.next(filling.next());
                if (more) {
                    filling.added();
                }
            }
            exchange.put(filling);
            batch = more ? exchange.emptyBatch() : Optional.empty();
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
