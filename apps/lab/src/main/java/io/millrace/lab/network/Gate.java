// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Stops threads while closed. The gate is open at first. Safe for any thread. */
final class Gate {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition opened = lock.newCondition();

    /** Guarded by {@link #lock}. */
    private boolean isClosed;

    void shut() {
        lock.lock();
        try {
            isClosed = true;
        } finally {
            lock.unlock();
        }
    }

    void open() {
        lock.lock();
        try {
            isClosed = false;
            opened.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns when the gate is open. */
    void pass() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (isClosed) {
                opened.await();
            }
        } finally {
            lock.unlock();
        }
    }
}
