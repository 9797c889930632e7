// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Hands rows over from several reading threads to one taking thread. The number of batches is fixed, so a reading thread
 * waits while the taking thread is behind. If no batch is full, the taking thread takes the rows of a batch that a reading
 * thread still fills. So a row never waits for the next row of its part.
 */
final class RowExchange {

    /** A part of the source, with a batch that its thread fills. */
    interface Part {

        /** Exchanges {@code empty} and the batch that is filled. Empty, and no exchange, if this batch has no row. */
        Optional<RowBatch> exchange(RowBatch empty);
    }

    private final ReentrantLock lock = new ReentrantLock();
    /** Signalled when a batch was filled, when a reader has opened, ended or failed, and when this exchange closes. */
    private final Condition forTaker = lock.newCondition();
    /** Signalled when a batch was emptied, when a reader has opened, and when this exchange closes. */
    private final Condition forReaders = lock.newCondition();

    /** Guarded by the lock, like all fields below. */
    private final Deque<RowBatch> filled = new ArrayDeque<>();

    private final Deque<RowBatch> empty = new ArrayDeque<>();
    private int opening;
    private int running;
    private @Nullable RuntimeException failure;
    private boolean closed;

    /** Whether the taking thread waits for rows. */
    private volatile boolean wanted;

    /** Creates an exchange for {@code readers} reading threads. */
    RowExchange(int readers) {
        opening = readers;
        running = readers;
        for (int i = 0; i < readers; i++) {
            empty.add(new RowBatch());
        }
    }

    /** Reading thread: takes an empty batch, and waits until there is one. Empty if the exchange is closed or a part failed. */
    Optional<RowBatch> emptyBatch() {
        lock.lock();
        try {
            while (empty.isEmpty() && !closed) {
                forReaders.awaitUninterruptibly();
            }
            return closed ? Optional.empty() : Optional.of(empty.remove());
        } finally {
            lock.unlock();
        }
    }

    /** Reading thread: whether a batch that is not full should be handed over now. */
    boolean isWanted() {
        return wanted;
    }

    /** Reading thread: hands a batch over. */
    void put(RowBatch batch) {
        lock.lock();
        try {
            filled.add(batch);
            forTaker.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Reading thread: gives an empty batch back. */
    void giveBack(RowBatch batch) {
        lock.lock();
        try {
            empty.add(batch);
            forReaders.signal();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Reading thread: the part is open. Waits until all parts are open, so that a failure of the reading is not taken for
     * a failure of the opening, which would lose the rows before the failure.
     */
    void opened() {
        lock.lock();
        try {
            opening--;
            forTaker.signalAll();
            forReaders.signalAll();
            while (opening > 0 && !closed) {
                forReaders.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Reading thread: the last batch of the part was handed over. */
    void ended() {
        lock.lock();
        try {
            running--;
            forTaker.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Any thread: the taking thread receives {@code e}. The first failure counts. The reading threads hand over no more
     * rows, because fast parts would otherwise keep the failure back until their end.
     */
    void fail(RuntimeException e) {
        lock.lock();
        try {
            if (failure == null) {
                failure = e;
            }
            closed = true;
            forTaker.signalAll();
            forReaders.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Taking thread: waits until all parts are open.
     *
     * @throws RuntimeException the failure of a part that is not open
     */
    void awaitOpened() throws InterruptedException {
        lock.lock();
        try {
            while (opening > 0 && failure == null) {
                forTaker.await();
            }
            if (opening > 0) {
                throwFailure();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Taking thread: gives {@code used} back, and waits for a batch with rows. Empty if all parts have ended.
     *
     * @throws RuntimeException the failure of a part, after the rows before it were taken
     */
    Optional<RowBatch> exchange(RowBatch used, List<? extends Part> parts) throws InterruptedException {
        used.reset();
        lock.lock();
        try {
            // A reading thread adds a row before it reads the flag. So either this thread finds the row, or the reading
            // thread finds the flag and hands the row over.
            wanted = true;
            Optional<RowBatch> partial = filled.isEmpty() ? partial(used, parts) : Optional.empty();
            if (partial.isPresent()) {
                return partial;
            }
            while (filled.isEmpty() && running > 0 && failure == null) {
                forTaker.await();
            }
            if (filled.isEmpty()) {
                throwFailure();
                return Optional.empty();
            }
            return poll(used);
        } finally {
            wanted = false;
            lock.unlock();
        }
    }

    /**
     * The rows that a reading thread has added to a batch that is not full. Called with the lock and without filled
     * batches, so that these rows are the next rows of their part.
     */
    private static Optional<RowBatch> partial(RowBatch used, List<? extends Part> parts) {
        for (Part part : parts) {
            Optional<RowBatch> partial = part.exchange(used);
            if (partial.isPresent()) {
                return partial;
            }
        }
        return Optional.empty();
    }

    /** Called with the lock. */
    private Optional<RowBatch> poll(RowBatch used) {
        empty.add(used);
        forReaders.signal();
        return Optional.of(filled.remove());
    }

    private void throwFailure() {
        if (failure != null) {
            throw failure;
        }
    }

    /** Any thread: no reading thread waits any longer. */
    void close() {
        lock.lock();
        try {
            closed = true;
            forReaders.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
