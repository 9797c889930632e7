// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** The first so many of something that there may be any number of. For any number of threads. */
final class Kept<E> {

    private final int most;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private final List<E> kept = new ArrayList<>();

    Kept(int most) {
        this.most = most;
    }

    void add(E element) {
        lock.lock();
        try {
            if (kept.size() < most) {
                kept.add(element);
            }
        } finally {
            lock.unlock();
        }
    }

    List<E> kept() {
        lock.lock();
        try {
            return List.copyOf(kept);
        } finally {
            lock.unlock();
        }
    }
}
