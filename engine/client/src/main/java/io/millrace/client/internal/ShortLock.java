// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A lock that is held for some hundred steps at most and nearly always free: whoever does not get it spins. Not reentrant. */
final class ShortLock {

    private static final VarHandle HELD;

    /** After that others may have to run first. */
    private static final int SPINS = 100;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(ShortLock.class, "held", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("UnusedVariable") // by HELD
    private volatile boolean held;

    @SuppressWarnings("ThreadPriorityCheck") // all would be right without
    void acquire() {
        for (int spins = 0; !HELD.compareAndSet(this, false, true); spins++) {
            if (spins < SPINS) {
                Thread.onSpinWait();
            } else {
                Thread.yield();
            }
        }
    }

    /** Takes it if it is free. */
    boolean tryAcquire() {
        return HELD.compareAndSet(this, false, true);
    }

    void release() {
        HELD.setRelease(this, false);
    }
}
