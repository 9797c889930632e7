// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Limits the bytes that a proxy holds. A reader that would exceed a limit waits, and TCP then stops the sender.
 *
 * <p>A direction that holds nothing may always take one chunk. So a direction whose receiver does not read stops alone,
 * and never stops the other directions. Safe for any thread.
 */
final class MemoryLimit {

    /** The array header of a chunk, its object, and its place in the queue. */
    static final int CHUNK_OVERHEAD_BYTES = 128;

    /** 200 MB/s over one connection, multiplied by 80 ms, which is half of the longest usual round trip. */
    private static final long DIRECTION_BYTES = 16L << 20;

    /** Four full directions; a quarter of a heap of 256 MB. */
    private static final long ALL_BYTES = 64L << 20;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition released = lock.newCondition();

    /** Guarded by {@link #lock}, as is {@link Share#heldBytes}. */
    private long heldBytes;

    /** The bytes that one direction holds. */
    static final class Share {
        private long heldBytes;
    }

    /** Waits until {@code share} may hold {@code bytes} more, and adds them. */
    void take(Share share, int bytes) throws InterruptedException {
        long added = (long) bytes + CHUNK_OVERHEAD_BYTES;
        lock.lockInterruptibly();
        try {
            while (share.heldBytes > 0
                    && (share.heldBytes + added > DIRECTION_BYTES || heldBytes + added > ALL_BYTES)) {
                released.await();
            }
            share.heldBytes += added;
            heldBytes += added;
        } finally {
            lock.unlock();
        }
    }

    void release(Share share, int bytes) {
        long removed = (long) bytes + CHUNK_OVERHEAD_BYTES;
        lock.lock();
        try {
            share.heldBytes -= removed;
            heldBytes -= removed;
            released.signalAll();
        } finally {
            lock.unlock();
        }
    }

    long heldBytes() {
        lock.lock();
        try {
            return heldBytes;
        } finally {
            lock.unlock();
        }
    }
}
