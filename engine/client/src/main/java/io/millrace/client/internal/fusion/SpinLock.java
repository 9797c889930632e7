// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A spin lock. It is held for some hundred steps at most, and is nearly always free. Not reentrant. */
final class SpinLock {

    private static final VarHandle HELD;

    /** Number of spins before a thread yields, because the holder may not be running. */
    private static final int SPINS = 100;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(SpinLock.class, "held", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("UnusedVariable") // accessed through HELD
    private volatile boolean held;

    @SuppressWarnings("ThreadPriorityCheck") // the lock is correct without yield()
    void acquire() {
        for (int spins = 0; !HELD.compareAndSet(this, false, true); spins++) {
            if (spins < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    /** Takes the lock if it is free. */
    boolean tryAcquire() {
        return HELD.compareAndSet(this, false, true);
    }

    void release() {
        HELD.setRelease(this, false);
    }
}
