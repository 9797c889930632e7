// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** The first tasks that failed or timed out. For any number of threads. */
final class Failures<T> {

    private final int most;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private final List<Outcome<T, ?>> kept = new ArrayList<>();

    Failures(int most) {
        this.most = most;
    }

    void add(Outcome<T, ?> outcome) {
        lock.lock();
        try {
            if (kept.size() < most) {
                kept.add(outcome);
            }
        } finally {
            lock.unlock();
        }
    }

    List<Outcome<T, ?>> kept() {
        lock.lock();
        try {
            return List.copyOf(kept);
        } finally {
            lock.unlock();
        }
    }
}
