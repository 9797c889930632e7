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
 * The bytes of one direction between their reading and their writing, and the faults that they meet there. Bounded: who puts
 * waits for who takes.
 *
 * <p>Faults decide when a parcel is taken, not when it is put, so that a new setting applies to what is under way too. The end of
 * the stream is a parcel of its own and keeps its place behind the bytes. Every field is guarded by the lock.
 */
final class Transit {

    static final int CHUNK_BYTES = 16 * 1024;

    /** With the chunk in the reader's hands 64 KiB, so that a stalled receiver is soon felt by the sender. */
    private static final int CAPACITY_BYTES = 48 * 1024;
    /** While there is a delay: what ten gigabits per second have on their way in 13 ms, and one in 130. */
    private static final int DELAYED_CAPACITY_BYTES = 16 * 1024 * 1024;

    private static final int THROTTLED_WRITES_PER_SECOND = 100;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Deque<Parcel> parcels = new ArrayDeque<>();
    private long bytes;
    private Faults faults;
    private long bytesToCut = Long.MAX_VALUE;
    private Ending cutEnding = Ending.CLOSE;
    /** When the throttle lets the next byte go. */
    private long freeNanos = System.nanoTime();

    private boolean senderEnded;
    /** Nothing leaves any more, and in which manner that began. */
    private Optional<Ending> ended = Optional.empty();

    Transit(Faults faults) {
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

    /** Lets {@code afterBytes} more bytes leave, and then an end. */
    void cut(long afterBytes, Ending ending) {
        lock.lock();
        try {
            bytesToCut = afterBytes;
            cutEnding = ending;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Stores a copy of the first {@code count} bytes; drops them if nothing leaves any more. */
    void put(byte[] chunk, int count) throws InterruptedException {
        long readNanos = System.nanoTime();
        lock.lockInterruptibly();
        try {
            while (ended.isEmpty() && bytes + count > capacityBytes()) {
                changed.await();
            }
            if (ended.isEmpty()) {
                bytes += count;
                add(new Parcel.Bytes(ByteBuffer.wrap(Arrays.copyOf(chunk, count)), readNanos));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Puts a reset behind what is under way; false if the receiver was told the end of the stream before. */
    boolean putReset() {
        lock.lock();
        try {
            add(new Parcel.End(Ending.RESET, System.nanoTime()));
            return ended.filter(ending -> ending == Ending.CLOSE).isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** The sender's last word, in the same place. */
    void senderEnded(Ending ending) {
        lock.lock();
        try {
            senderEnded = true;
            add(new Parcel.End(ending, System.nanoTime()));
        } finally {
            lock.unlock();
        }
    }

    /** Waits for what is to leave next. */
    Parcel take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (true) {
                if (bytesToCut == 0 && ended.isEmpty()) {
                    return new Parcel.End(cutEnding, System.nanoTime());
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

    /** Drops everything and lets nothing leave any more; false if that was so already. */
    boolean stop(Ending ending) {
        lock.lock();
        try {
            if (ended.isPresent()) {
                return false;
            }
            ended = Optional.of(ending);
            parcels.clear();
            bytes = 0;
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Nothing comes and nothing leaves any more. */
    boolean isOver() {
        lock.lock();
        try {
            return senderEnded && ended.isPresent();
        } finally {
            lock.unlock();
        }
    }

    /** The receiver was not told that nothing leaves any more. */
    boolean isSilent() {
        lock.lock();
        try {
            return ended.filter(ending -> ending == Ending.SILENCE).isPresent();
        } finally {
            lock.unlock();
        }
    }

    private int capacityBytes() {
        return faults.delay().isZero() ? CAPACITY_BYTES : DELAYED_CAPACITY_BYTES;
    }

    private void add(Parcel parcel) {
        if (ended.isEmpty()) {
            parcels.add(parcel);
            changed.signalAll();
        }
    }

    private long nanosUntilNext() {
        Parcel first = parcels.peek();
        if (first == null || faults.stalled()) {
            return Long.MAX_VALUE;
        }
        long now = System.nanoTime();
        long due = first.readNanos() + faults.delay().toNanos() - now;
        return Math.max(due, freeNanos - now);
    }

    private Parcel next() {
        return switch (parcels.remove()) {
            case Parcel.End end -> end;
            case Parcel.Bytes all -> {
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
