// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** Keeps the first elements, up to a maximum number, and ignores all further elements. Thread-safe. */
final class RecordedFailures<E> {

    private final int max;
    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by the lock. */
    private final List<E> recorded = new ArrayList<>();

    RecordedFailures(int max) {
        this.max = max;
    }

    void add(E element) {
        lock.lock();
        try {
            if (recorded.size() < max) {
                recorded.add(element);
            }
        } finally {
            lock.unlock();
        }
    }

    List<E> recorded() {
        lock.lock();
        try {
            return List.copyOf(recorded);
        } finally {
            lock.unlock();
        }
    }
}
