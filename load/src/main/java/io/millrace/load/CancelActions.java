// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Runs registered actions when a load is stopped. Each action wakes a blocked thread, such as a thread that waits for
 * its source or for a reply. Any thread may call the methods.
 *
 * <p>Each action runs once, on a separate virtual thread, because the action may block. An action may still start
 * shortly after the caller has closed its registration. The action must do no harm in this case.
 */
final class CancelActions {

    /** A registered action. {@link #close} removes the action. */
    interface Registration extends AutoCloseable {
        @Override
        void close();
    }

    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock. */
    private final List<Runnable> actions = new ArrayList<>();
    /** Whether {@link #run} has been called. Guarded by the lock. */
    private boolean rung;

    /** Runs {@code action} when {@link #run} is called, or immediately if {@link #run} has already been called. */
    Registration register(Runnable action) {
        lock.lock();
        try {
            if (rung) {
                start(action);
            } else {
                actions.add(action);
            }
        } finally {
            lock.unlock();
        }
        return () -> forget(action);
    }

    void run() {
        lock.lock();
        try {
            rung = true;
            actions.forEach(CancelActions::start);
            actions.clear();
        } finally {
            lock.unlock();
        }
    }

    private void forget(Runnable action) {
        lock.lock();
        try {
            actions.remove(action);
        } finally {
            lock.unlock();
        }
    }

    private static void start(Runnable action) {
        Thread.ofVirtual().name("millrace-alarm").start(action);
    }
}
