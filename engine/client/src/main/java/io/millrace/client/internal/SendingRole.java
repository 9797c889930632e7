// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Who sends over a connection. One thread at a time has the <em>sending role</em>: a caller for a few writes, or the
 * connection's writer. It is free while nothing waits to be sent.
 *
 * <pre>
 *   FREE --takes--> CALLER --nothing left--> FREE
 *     |                |  --something left--> WRITER
 *     |  --promises to--> PROMISED --takes--> CALLER
 *     |                       +--does not come--> WRITER
 *     +--calls the writer--> WRITER --nothing left--> FREE
 * </pre>
 *
 * <p>DESIGN. Who adds something to be sent links it first and then looks here; who leaves frees the role first and then looks
 * whether something is there. Both are volatile, so nothing stays behind.
 */
final class SendingRole {

    private static final int FREE = 0;
    private static final int PROMISED = 1;
    private static final int CALLER = 2;
    private static final int WRITER = 3;

    private final Thread writer;
    private final AtomicInteger state = new AtomicInteger(WRITER);

    /** The role as the writer's, whose thread need not have started. */
    SendingRole(Thread writer) {
        this.writer = writer;
    }

    /** Whether somebody has it. */
    boolean isTaken() {
        int now = state.get();
        return now == CALLER || now == WRITER;
    }

    boolean isFree() {
        return state.get() == FREE;
    }

    // Callers.

    /** Takes the role if it is free. */
    boolean take() {
        return state.compareAndSet(FREE, CALLER);
    }

    /** Announces to take the free role in a moment; others may rely on that, and somebody may take it instead. */
    boolean promise() {
        return state.compareAndSet(FREE, PROMISED);
    }

    /** Takes the role if it is promised, to this thread or another. */
    boolean takePromised() {
        return state.compareAndSet(PROMISED, CALLER);
    }

    /** Whoever has the role: leaves it free. */
    void leave() {
        state.set(FREE);
    }

    /** A caller with the role: gives it to the writer. */
    void handOver() {
        state.set(WRITER);
        LockSupport.unpark(writer);
    }

    // Any thread.

    /** Gives the role to the writer if it is free. */
    void callWriter() {
        if (state.compareAndSet(FREE, WRITER)) {
            LockSupport.unpark(writer);
        }
    }

    /** Gives the role to the writer if it is only promised. */
    void breakPromise() {
        if (state.compareAndSet(PROMISED, WRITER)) {
            LockSupport.unpark(writer);
        }
    }

    // The writer.

    /** Whether the writer has it. */
    boolean isWriters() {
        return state.get() == WRITER;
    }

    /** Takes the role if nobody has it. */
    boolean takeBack() {
        return state.compareAndSet(FREE, WRITER) || state.compareAndSet(PROMISED, WRITER);
    }
}
