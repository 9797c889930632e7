// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import java.util.concurrent.locks.AbstractQueuedLongSynchronizer;

/**
 * The places for what is in flight on one connection, counted in commands and in bytes. First come, first served, or a large
 * command would starve. Any thread takes, any thread gives back.
 *
 * <pre>
 *   63            40 39                         0
 *   | commands free | bytes free                |      one long, so both are taken in one step
 * </pre>
 */
final class Window {

    /** The most commands that can be counted. */
    static final int MOST_COMMANDS = (1 << 23) - 1;

    /** The most bytes that can be counted. */
    static final long MOST_BYTES = (1L << 40) - 1;

    private static final int BYTE_BITS = 40;

    private final Places places;
    private final int commands;
    private final long bytes;

    Window(int commands, long bytes) {
        this.commands = commands;
        this.bytes = bytes;
        this.places = new Places(packed(commands, bytes));
    }

    /** What something of this size takes: one that is larger than the window takes all of it, and goes alone. */
    long cost(int ofCommands, long ofBytes) {
        return packed(Math.min(ofCommands, commands), Math.min(ofBytes, bytes));
    }

    /** Takes {@code cost} if it is free and nobody waits. */
    boolean tryAcquire(long cost) {
        return places.tryAcquireShared(cost) >= 0;
    }

    /**
     * Takes {@code cost}, and waits for it for {@code nanos} at most.
     *
     * @throws InterruptedException if the thread is interrupted while it waits; nothing is taken then
     */
    boolean acquire(long cost, long nanos) throws InterruptedException {
        return places.tryAcquireSharedNanos(cost, nanos);
    }

    /** Gives back a sum of costs. */
    void release(long cost) {
        if (cost != 0) {
            places.releaseShared(cost);
        }
    }

    int commandsTaken() {
        return commands - (int) (places.free() >>> BYTE_BITS);
    }

    long bytesTaken() {
        return bytes - (places.free() & MOST_BYTES);
    }

    int waiting() {
        return places.getQueueLength();
    }

    private static long packed(int commands, long bytes) {
        return (long) commands << BYTE_BITS | bytes;
    }

    private static final class Places extends AbstractQueuedLongSynchronizer {

        private static final long serialVersionUID = 1L;

        Places(long free) {
            setState(free);
        }

        long free() {
            return getState();
        }

        @Override
        protected long tryAcquireShared(long cost) {
            while (true) {
                if (hasQueuedPredecessors()) {
                    return -1;
                }
                long free = getState();
                if (free >>> BYTE_BITS < cost >>> BYTE_BITS || (free & MOST_BYTES) < (cost & MOST_BYTES)) {
                    return -1;
                }
                if (compareAndSetState(free, free - cost)) {
                    return 1;
                }
            }
        }

        @Override
        protected boolean tryReleaseShared(long cost) {
            while (true) {
                long free = getState();
                if (compareAndSetState(free, free + cost)) {
                    return true;
                }
            }
        }
    }
}
