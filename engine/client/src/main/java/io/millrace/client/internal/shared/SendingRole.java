// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Determines which thread sends over a connection. One thread at a time holds the <em>sending role</em>: a caller for a
 * few writes, or the connection's writer. The role is free while nothing waits to be sent.
 *
 * <pre>
 *   FREE --takes--> CALLER --nothing left--> FREE
 *     |                |  --something left--> WRITER
 *     |  --promises to--> PROMISED --takes--> CALLER
 *     |                       +--is not scheduled--> WRITER
 *     +--calls the writer--> WRITER --nothing left--> FREE
 * </pre>
 *
 * <p>DESIGN. No submission is missed. A thread that submits first adds to the queue, and then reads the state of the
 * role. A thread that stops sending first frees the role, and then reads the queue. The queue and the role are
 * volatile, so at least one of the two threads sees the write of the other thread.
 */
final class SendingRole {

    private static final int FREE = 0;
    private static final int PROMISED = 1;
    private static final int CALLER = 2;
    private static final int WRITER = 3;

    private final Thread writer;
    private final AtomicInteger state = new AtomicInteger(WRITER);

    /** Creates a role that the writer holds. The writer thread may be started later. */
    SendingRole(Thread writer) {
        this.writer = writer;
    }

    /** Returns whether a thread holds the role. */
    boolean isTaken() {
        int now = state.get();
        return now == CALLER || now == WRITER;
    }

    boolean isFree() {
        return state.get() == FREE;
    }

    // Called by the threads that submit.

    /** Takes the role if it is free. */
    boolean take() {
        return state.compareAndSet(FREE, CALLER);
    }

    /**
     * If the role is free, promises that this thread takes the role soon. Until then, another thread may take the
     * promised role.
     */
    boolean promise() {
        return state.compareAndSet(FREE, PROMISED);
    }

    /** Takes the role if this thread or another thread has promised to take it. */
    boolean takePromised() {
        return state.compareAndSet(PROMISED, CALLER);
    }

    /** Frees the role. Called by its holder. */
    void free() {
        state.set(FREE);
    }

    /** Gives the role to the writer. Called by a caller with the role. */
    void giveToWriter() {
        state.set(WRITER);
        LockSupport.unpark(writer);
    }

    // Called by any thread.

    /** Gives the role to the writer if it is free. */
    void giveToWriterIfFree() {
        if (state.compareAndSet(FREE, WRITER)) {
            LockSupport.unpark(writer);
        }
    }

    /** Gives the role to the writer if it is only promised. */
    void giveToWriterIfPromised() {
        if (state.compareAndSet(PROMISED, WRITER)) {
            LockSupport.unpark(writer);
        }
    }

    // Called by the writer.

    /** Returns whether the writer holds the role. */
    boolean isHeldByWriter() {
        return state.get() == WRITER;
    }

    /** Takes the role if no thread holds it. */
    boolean takeForWriter() {
        return state.compareAndSet(FREE, WRITER) || state.compareAndSet(PROMISED, WRITER);
    }
}
