// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Collects the loaded entries of one multi-get and writes them together. The write begins at the first of three events:
 * all loads have ended, the deadline of the caller passes, or 200 ms have passed since the first entry was collected.
 * Thread-safe.
 *
 * <p>If a load waits for a lease of another process, the load leaves the batch and later writes its entry alone.
 * Otherwise two multi-gets could block each other: each multi-get would hold a lease that the other multi-get waits
 * for.
 */
final class WriteBatch<V> {

    /**
     * Maximum time between the first loaded entry and the write. The delay has two costs: other processes read the
     * entries later, and the period in which a write may overwrite a removal by another process is longer.
     */
    private static final Duration LONGEST = Duration.ofMillis(200);

    private final LoadedEntryWriter<V> writer;
    private final long longestNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition allLoaded = lock.newCondition();

    // The lock guards the next three fields.
    private final Set<Load<V>> awaited = new HashSet<>();
    private final List<LoadedEntry<V>> collected = new ArrayList<>();
    private boolean allExpected;

    WriteBatch(LoadedEntryWriter<V> writer) {
        this(writer, LONGEST);
    }

    /** @param longest maximum time between the first loaded entry and the write */
    WriteBatch(LoadedEntryWriter<V> writer, Duration longest) {
        this.writer = writer;
        this.longestNanos = longest.toNanos();
    }

    /** Adds a load of this multi-get that is about to start. */
    void expect(Load<V> load) {
        lock.lock();
        try {
            awaited.add(load);
        } finally {
            lock.unlock();
        }
    }

    /** Collects an entry. Returns false if the entry arrives too late; its load must then write the entry. */
    boolean offer(LoadedEntry<V> loadedEntry) {
        lock.lock();
        try {
            if (!awaited.remove(loadedEntry.load())) {
                return false;
            }
            collected.add(loadedEntry);
            if (collected.size() == 1) {
                // No caller waits for the write. The loads of the collected entries stay in flight until the write. So
                // a caller that requests one of the keys before the write joins the load of this key.
                Thread.ofVirtual().name("millrace-cache-write").start(this::write);
            }
            signalIfAllLoaded();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes a load, so that the batch does not wait for the load. The load has ended without an entry, or waits for
     * another process.
     */
    void withdraw(Load<V> load) {
        lock.lock();
        try {
            awaited.remove(load);
            signalIfAllLoaded();
        } finally {
            lock.unlock();
        }
    }

    /** Declares that the multi-get starts no further loads. */
    void allExpected() {
        lock.lock();
        try {
            allExpected = true;
            signalIfAllLoaded();
        } finally {
            lock.unlock();
        }
    }

    /** Writes the collected entries now, without waiting for further loads. */
    void close() {
        lock.lock();
        try {
            awaited.clear();
            allExpected();
        } finally {
            lock.unlock();
        }
    }

    /** The caller must hold the lock. */
    private void signalIfAllLoaded() {
        if (allExpected && awaited.isEmpty()) {
            allLoaded.signal();
        }
    }

    private void write() {
        List<LoadedEntry<V>> all;
        lock.lock();
        try {
            long left = longestNanos;
            while (left > 0 && !(allExpected && awaited.isEmpty())) {
                left = allLoaded.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // not expected; the collected entries are still written
        } finally {
            all = List.copyOf(collected);
            collected.clear();
            lock.unlock();
        }
        writer.write(all);
    }
}
