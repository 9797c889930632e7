// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Collects what the loads of one multi-get have loaded, so that it is written in one go: when all have, when the caller's time is
 * over, or when the first has waited for long enough. Any thread.
 *
 * <p>It waits for no load that waits for another process: two multi-gets that each kept what the other waits for, under its leases,
 * would wait for one another. Such a load leaves, and writes what it loads by itself.
 */
final class WriteBack<V> {

    /** So much later others see what is loaded already; and so much longer a removal by another process may be undone. */
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private final LoadedWriter<V> writer;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition allAreThere = lock.newCondition();

    // The next three are guarded by the lock.
    private final Set<Load<V>> awaited = new HashSet<>();
    private final List<Loaded<V>> collected = new ArrayList<>();
    private boolean complete;

    WriteBack(LoadedWriter<V> writer) {
        this.writer = writer;
    }

    /** A load of this multi-get is about to start. */
    void expect(Load<V> load) {
        lock.lock();
        try {
            awaited.add(load);
        } finally {
            lock.unlock();
        }
    }

    /** Whether it will be written with the others; if it comes too late for that, its load writes it. */
    boolean take(Loaded<V> loaded) {
        lock.lock();
        try {
            if (!awaited.remove(loaded.load())) {
                return false;
            }
            collected.add(loaded);
            if (collected.size() == 1) {
                // Nobody waits for that: who asks for these keys before it is done finds their loads.
                Thread.ofVirtual().name("millrace-cache-write").start(this::write);
            }
            tellIfAllAreThere();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Nothing will come of this load, or nobody knows when. */
    void leave(Load<V> load) {
        lock.lock();
        try {
            awaited.remove(load);
            tellIfAllAreThere();
        } finally {
            lock.unlock();
        }
    }

    /** No more loads start. */
    void complete() {
        lock.lock();
        try {
            complete = true;
            tellIfAllAreThere();
        } finally {
            lock.unlock();
        }
    }

    /** No load is waited for any more. */
    void close() {
        lock.lock();
        try {
            awaited.clear();
            complete();
        } finally {
            lock.unlock();
        }
    }

    /** With the lock. */
    private void tellIfAllAreThere() {
        if (complete && awaited.isEmpty()) {
            allAreThere.signal();
        }
    }

    private void write() {
        List<Loaded<V>> all;
        lock.lock();
        try {
            long left = LONGEST_NANOS;
            while (left > 0 && !(complete && awaited.isEmpty())) {
                left = allAreThere.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody does that; what is there is written all the same
        } finally {
            all = List.copyOf(collected);
            collected.clear();
            lock.unlock();
        }
        writer.write(all);
    }
}
