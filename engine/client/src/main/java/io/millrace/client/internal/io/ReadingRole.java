// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.io;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Determines which thread reads from a connection. One thread at a time holds the <em>reading role</em>. Usually the
 * holder is the reader thread of the connection. If a single platform thread is the only caller, this <em>lone
 * caller</em> holds the role while it waits for its reply. This saves time: a caller that the reader wakes waits for
 * two thread switches, and a caller that reads waits for one.
 *
 * <pre>
 *   READER --a few reads in a row for one thread, nothing owed---> FREE --that thread waits--> CALLER
 *      ^                                                             |  ^                        |
 *      +--- another thread sends, or the role is unused for a while--+  +---nothing owed---------+
 *      +-------------------------------------------------------------------something owed--------+
 * </pre>
 *
 * <p>DESIGN. While the role is free, no thread reads. So, unless the lone caller takes the role, the role must not stay
 * free while a reply is expected or after the connection has ended. A thread that frees the role <em>first</em> frees
 * the role, and <em>then</em> checks for these two cases. A thread that submits a command or ends the connection does
 * this <em>first</em>, and <em>then</em> checks whether the role is free. All these values are volatile. So at least
 * one of the two threads sees the write of the other thread, and gives the role to the reader. If the lone caller does
 * not take the role, the timekeeper gives the role to the reader.
 *
 * <p>Virtual threads do not read: a virtual thread that waits in a selector would pin its carrier thread.
 */
public final class ReadingRole {

    private static final int READER = 0;
    private static final int FREE = 1;
    private static final int CALLER = 2;

    /**
     * A thread counts as the lone caller if all replies of the last reads were for this thread. The number of these
     * reads must be at least one more than this value.
     */
    private static final int MAX_REPEATED_READS = 4;

    private final Thread reader;
    private final AtomicInteger state = new AtomicInteger(READER);

    /** The caller that holds the role, or that may take the role while it is free. Written before the role is freed. */
    private volatile @Nullable Thread loneCaller;

    // Owned by the holder of the role. The first field is the thread that received all replies of the last reads. The
    // second field is the number of these reads, minus one; it does not exceed MAX_REPEATED_READS.
    private @Nullable Thread candidate;
    private int repeatedReads;

    /** How often callers took the role; written by the caller that has just taken it. */
    private volatile long timesTaken;

    /** Value of {@link #timesTaken} at the last check. Owned by the timekeeper. */
    private long timesTakenBefore;

    ReadingRole(Thread reader) {
        this.reader = reader;
    }

    /** For assertions: returns whether the current thread holds the role. */
    public boolean isHeldByCurrentThread() {
        Thread current = Thread.currentThread();
        return switch (state.get()) {
            case READER -> current.equals(reader);
            case CALLER -> current.equals(loneCaller);
            default -> false;
        };
    }

    // Called by the reader.

    /** Waits until the reader has the role. */
    void await() {
        while (state.get() != READER) {
            LockSupport.park(this);
        }
    }

    // Called by the holder of the role.

    /**
     * Records which thread received the replies of the last read.
     *
     * @param waiter the only thread that received replies; null if the replies were for several threads, or for futures
     */
    public void recordWaiter(@Nullable Thread waiter) {
        if (waiter == null || !waiter.equals(candidate)) {
            candidate = waiter == null || waiter.isVirtual() ? null : waiter;
            repeatedReads = 0;
        } else if (repeatedReads < MAX_REPEATED_READS) {
            repeatedReads++;
        }
    }

    /**
     * Returns whether all recent replies were for a single thread. If so, this thread is expected to be the only
     * caller.
     */
    boolean hasLoneCaller() {
        return repeatedReads == MAX_REPEATED_READS;
    }

    /**
     * Frees the role, so that the lone caller can take it. The calling thread must check afterwards whether the reader
     * is needed.
     */
    void free() {
        loneCaller = candidate;
        state.set(FREE);
    }

    /** Gives the role to the reader. Called by a caller that holds the role. */
    void giveToReader() {
        state.set(READER);
        LockSupport.unpark(reader);
    }

    // Called by any thread.

    /** Takes the role if it is free and this thread is the lone caller. */
    @SuppressWarnings("NonAtomicVolatileUpdate")
    public // one writer: the holder of the role
    boolean take() {
        if (state.get() == FREE && isLoneCaller(Thread.currentThread()) && state.compareAndSet(FREE, CALLER)) {
            timesTaken++;
            return true;
        }
        return false;
    }

    /**
     * Returns whether {@code waiter} is the lone caller. The lone caller is expected to take the role if the role is
     * free, and to read its own replies.
     */
    public boolean isLoneCaller(@Nullable Thread waiter) {
        return waiter != null && waiter.equals(loneCaller);
    }

    /** Returns whether {@code waiter} holds the role as a caller. */
    boolean isHeldBy(Thread waiter) {
        return state.get() == CALLER && isLoneCaller(waiter);
    }

    public boolean isFree() {
        return state.get() == FREE;
    }

    /** Gives the role to the reader if it is free. */
    public void giveToReaderIfFree() {
        if (state.get() == FREE && state.compareAndSet(FREE, READER)) {
            LockSupport.unpark(reader);
        }
    }

    // Called by the timekeeper.

    /** Returns whether no caller took the role since the last call. */
    public boolean unusedSinceLastCheck() {
        long now = timesTaken;
        boolean unused = now == timesTakenBefore;
        timesTakenBefore = now;
        return unused;
    }
}
