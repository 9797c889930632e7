// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Who reads a connection. One thread at a time has the <em>reading role</em>: the connection's reader or, where one platform
 * thread is alone with it, that thread while it waits for what it sent. Woken by the reader it would wait for two thread
 * switches instead of one.
 *
 * <pre>
 *   READER --a few replies in a row for one thread, nothing owed--> FREE --that thread waits--> CALLER
 *      ^                                                             |  ^                        |
 *      +--- somebody else sends, or nobody comes to read for a while-+  +---nothing owed---------+
 *      +-------------------------------------------------------------------something owed--------+
 * </pre>
 *
 * <p>DESIGN. Whoever leaves the role free looks <em>then</em> whether replies are expected or the connection has ended; whoever
 * expects a reply, or ends the connection, looks <em>then</em> whether the role is free. Both are volatile, so of two that cross
 * one sees the other, and gives the role to the reader. A thread that may take the role for itself and fails to come is found out
 * by the timekeeper.
 *
 * <p>Virtual threads do not read: waiting in a selector would hold their carrier.
 */
final class ReadingRole {

    private static final int READER = 0;
    private static final int FREE = 1;
    private static final int CALLER = 2;

    /** So many reads in a row for one and the same thread make it likely that the next will be, too. */
    private static final int IN_A_ROW = 4;

    private final Thread reader;
    private final AtomicInteger state = new AtomicInteger(READER);

    /** Who may take the role while it is free, and who has it as a caller. Written by whoever leaves the role free, before. */
    private volatile @Nullable Thread lone;

    // Owned by whoever has the role: the only one for whom the last replies were, and for how many reads besides the
    // first.
    private @Nullable Thread candidate;
    private int inARow;

    /** How often callers took the role; written by whoever has just taken it. */
    private volatile long taken;

    /** The timekeeper's. */
    private long takenBefore;

    ReadingRole(Thread reader) {
        this.reader = reader;
    }

    /** For assertions. */
    boolean isMine() {
        Thread current = Thread.currentThread();
        return switch (state.get()) {
            case READER -> current.equals(reader);
            case CALLER -> current.equals(lone);
            default -> false;
        };
    }

    // The reader.

    /** Waits until it is the reader's turn. */
    void await() {
        while (state.get() != READER) {
            LockSupport.park(this);
        }
    }

    // With the role.

    /** A read has brought replies for {@code waiter} and nobody else; null if they were for several, or for futures. */
    void served(@Nullable Thread waiter) {
        if (waiter == null || !waiter.equals(candidate)) {
            candidate = waiter == null || waiter.isVirtual() ? null : waiter;
            inARow = 0;
        } else if (inARow < IN_A_ROW) {
            inARow++;
        }
    }

    /** Whether one thread is alone with this connection. */
    boolean hasLoneCaller() {
        return inARow == IN_A_ROW;
    }

    /** Leaves the role to the lone caller. Whoever does so looks then whether the reader is needed. */
    void leave() {
        lone = candidate;
        state.set(FREE);
    }

    /** As a caller: gives the role to the reader. */
    void handOver() {
        state.set(READER);
        LockSupport.unpark(reader);
    }

    // Any thread.

    /** Takes the role if it is free, and this is the lone caller. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // one writer, with the role
    boolean take() {
        if (state.get() == FREE && isLone(Thread.currentThread()) && state.compareAndSet(FREE, CALLER)) {
            taken++;
            return true;
        }
        return false;
    }

    /** Whether {@code waiter} is expected to read for itself, if the role is free. */
    boolean isLone(@Nullable Thread waiter) {
        return waiter != null && waiter.equals(lone);
    }

    /** Whether {@code waiter} is reading. */
    boolean isHeldBy(Thread waiter) {
        return state.get() == CALLER && isLone(waiter);
    }

    boolean isFree() {
        return state.get() == FREE;
    }

    /** Gives the role to the reader if it is free. */
    void callReader() {
        if (state.get() == FREE && state.compareAndSet(FREE, READER)) {
            LockSupport.unpark(reader);
        }
    }

    // The timekeeper.

    /** Whether no caller took the role since the last time it asked. */
    boolean unusedSince() {
        long now = taken;
        boolean unused = now == takenBefore;
        takenBefore = now;
        return unused;
    }
}
