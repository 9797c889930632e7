// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Optional;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A bounded buffer between the reader and the writer of one direction. The buffer applies the faults. A reader that
 * puts bytes waits for the writer while the buffer is full.
 *
 * <p>Faults apply when a chunk is taken, not when it is put, so that a new setting also applies to bytes in the buffer.
 * The end of the stream is a separate chunk after the bytes. Every field is guarded by the lock.
 */
final class FaultBuffer {

    static final int CHUNK_BYTES = 16 * 1024;

    /**
     * Capacity without a delay. Together with the reader's chunk this is 64 KiB, so that the sender soon notices a
     * stalled receiver.
     */
    private static final int CAPACITY_BYTES = 48 * 1024;
    /**
     * Capacity while there is a delay. A link of 10 Gbit/s transfers this number of bytes in 13 ms, a link of 1 Gbit/s
     * in 130 ms.
     */
    private static final int DELAYED_CAPACITY_BYTES = 16 * 1024 * 1024;

    private static final int THROTTLED_WRITES_PER_SECOND = 100;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<StreamChunk> parcels = new ArrayDeque<>();
    private long bytes;
    private Faults faults;
    private long bytesToCut = Long.MAX_VALUE;
    private ConnectionEnd cutEnding = ConnectionEnd.CLOSE;
    /** Time at which the throttle permits the next byte. */
    private long freeNanos = System.nanoTime();

    private boolean senderEnded;
    /** How the output ended; empty while the output is open. */
    private Optional<ConnectionEnd> ended = Optional.empty();

    FaultBuffer(Faults faults) {
        this.faults = faults;
    }

    void faults(Faults now) {
        lock.lock();
        try {
            faults = now;
            freeNanos = System.nanoTime();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the output after {@code afterBytes} more bytes. */
    void cut(long afterBytes, ConnectionEnd connectionEnd) {
        lock.lock();
        try {
            bytesToCut = afterBytes;
            cutEnding = connectionEnd;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Stores a copy of the first {@code count} bytes. Drops the bytes if the output has ended. */
    void put(byte[] chunk, int count) throws InterruptedException {
        long readNanos = System.nanoTime();
        lock.lockInterruptibly();
        try {
            while (ended.isEmpty() && bytes + count > capacityBytes()) {
                changed.await();
            }
            if (ended.isEmpty()) {
                bytes += count;
                add(new StreamChunk.Bytes(ByteBuffer.wrap(Arrays.copyOf(chunk, count)), readNanos));
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Puts a reset behind the bytes in the buffer. Returns false if the receiver has already received the end of the
     * stream.
     */
    boolean putReset() {
        lock.lock();
        try {
            add(new StreamChunk.End(ConnectionEnd.RESET, System.nanoTime()));
            return ended.filter(connectionEnd -> connectionEnd == ConnectionEnd.CLOSE)
                    .isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Puts the end of the sender's stream behind the bytes in the buffer. */
    void senderEnded(ConnectionEnd connectionEnd) {
        lock.lock();
        try {
            senderEnded = true;
            add(new StreamChunk.End(connectionEnd, System.nanoTime()));
        } finally {
            lock.unlock();
        }
    }

    /** Waits for and returns the next chunk to write. */
    StreamChunk take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (true) {
                if (bytesToCut == 0 && ended.isEmpty()) {
                    return new StreamChunk.End(cutEnding, System.nanoTime());
                }
                long wait = nanosUntilNext();
                if (wait <= 0) {
                    changed.signalAll();
                    return next();
                }
                if (wait == Long.MAX_VALUE) {
                    changed.await();
                } else {
                    changed.awaitNanos(wait);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Drops all bytes and ends the output. Returns false if the output had ended already. */
    boolean stop(ConnectionEnd connectionEnd) {
        lock.lock();
        try {
            if (ended.isPresent()) {
                return false;
            }
            ended = Optional.of(connectionEnd);
            parcels.clear();
            bytes = 0;
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Whether both input and output have ended. */
    boolean isOver() {
        lock.lock();
        try {
            return senderEnded && ended.isPresent();
        } finally {
            lock.unlock();
        }
    }

    /** Whether the output has ended, but the receiver has received neither an end of stream nor a reset. */
    boolean isSilent() {
        lock.lock();
        try {
            return ended.filter(connectionEnd -> connectionEnd == ConnectionEnd.SILENCE)
                    .isPresent();
        } finally {
            lock.unlock();
        }
    }

    private int capacityBytes() {
        return faults.delay().isZero() ? CAPACITY_BYTES : DELAYED_CAPACITY_BYTES;
    }

    private void add(StreamChunk streamChunk) {
        if (ended.isEmpty()) {
            parcels.add(streamChunk);
            changed.signalAll();
        }
    }

    private long nanosUntilNext() {
        StreamChunk first = parcels.peek();
        if (first == null || faults.stalled()) {
            return Long.MAX_VALUE;
        }
        long now = System.nanoTime();
        long due = first.readNanos() + faults.delay().toNanos() - now;
        return Math.max(due, freeNanos - now);
    }

    private StreamChunk next() {
        return switch (parcels.remove()) {
            case StreamChunk.End end -> end;
            case StreamChunk.Bytes all -> {
                int count = (int) Math.min(Math.min(all.length(), faults.writeBytes()), bytesToCut);
                count = (int) Math.min(count, Math.max(1, faults.bytesPerSecond() / THROTTLED_WRITES_PER_SECOND));
                if (count < all.length()) {
                    parcels.addFirst(all.after(count));
                }
                bytes -= count;
                bytesToCut -= count;
                freeNanos = Math.max(freeNanos, System.nanoTime()) + (long) (count * 1e9 / faults.bytesPerSecond());
                yield all.first(count);
            }
        };
    }
}
