// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Wakes whoever waits where it cannot look at a stop sign: in a read, or for a reply. Any thread.
 *
 * <p>Each action runs once, on a thread of its own, since ending somebody's wait may itself take long. It may still begin
 * just after its watch was closed, and must do no harm then.
 */
final class Alarm {

    /** Until it is closed, the action runs when the alarm rings. */
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock. */
    private final List<Runnable> actions = new ArrayList<>();
    /** Guarded by the lock. */
    private boolean rung;

    /** Runs {@code action} when the alarm rings; at once if it has rung already. */
    Watch watch(Runnable action) {
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

    void ring() {
        lock.lock();
        try {
            rung = true;
            actions.forEach(Alarm::start);
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
