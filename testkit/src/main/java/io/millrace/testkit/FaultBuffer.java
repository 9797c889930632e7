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
 * A bounded buffer between the reader thread and the writer thread of one direction of a {@link FaultProxy}. While the
 * buffer is full, a reader that puts bytes waits for the writer.
 *
 * <p>The buffer applies the faults when the writer takes a chunk, not when the reader puts it. So new faults also apply
 * to the bytes that are already in the buffer. The end of the stream is a separate chunk behind the bytes. Threads
 * access the fields only under the lock.
 */
final class FaultBuffer {

    static final int CHUNK_BYTES = 16 * 1024;

    /**
     * Capacity if the faults have no delay. The reader thread holds a further chunk of 16 KiB, so the proxy stores 64
     * KiB in all. This is so little that a sender soon notices a stalled receiver.
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
    /** Time at which the limit of bytes per second permits the next byte. */
    private long freeNanos = System.nanoTime();

    private boolean senderEnded;
    /** How the stream to the receiver ended; empty while this stream is open. */
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

    /** Ends the stream to the receiver after {@code afterBytes} more bytes. */
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

    /**
     * Stores a copy of the first {@code count} bytes of {@code chunk}. Drops these bytes if the stream to the receiver
     * has ended.
     */
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
     * Adds a reset behind the bytes in the buffer. Returns false if the receiver has already received the end of the
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

    /**
     * Adds the end of the stream behind the bytes in the buffer, because the sender has closed or reset its connection.
     */
    void senderEnded(ConnectionEnd connectionEnd) {
        lock.lock();
        try {
            senderEnded = true;
            add(new StreamChunk.End(connectionEnd, System.nanoTime()));
        } finally {
            lock.unlock();
        }
    }

    /** Waits until a chunk may be written, and returns the chunk. */
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

    /**
     * Drops all bytes in the buffer and ends the stream to the receiver. Returns false if this stream had already
     * ended.
     */
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

    /** Whether the sender has ended its stream and the stream to the receiver has ended too. */
    boolean isOver() {
        lock.lock();
        try {
            return senderEnded && ended.isPresent();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Whether the stream to the receiver ended silently: the receiver received neither an end of stream nor a reset.
     */
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
