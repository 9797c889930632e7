// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The reports of the jobs of this driver. Thread-safe. */
public final class LoadReports {

    /** Maximum number of reports that the driver keeps. */
    private static final int KEPT = 100;

    private static final Logger LOG = LoggerFactory.getLogger(LoadReports.class);
    private static final ReentrantLock LOCK = new ReentrantLock();

    /** Guarded by the lock. */
    private static final ArrayDeque<JobReport> RECENT = new ArrayDeque<>();

    private static final List<Consumer<JobReport>> LISTENERS = new CopyOnWriteArrayList<>();

    private LoadReports() {}

    /** The reports of the last 100 jobs, the newest last. */
    public static List<JobReport> recent() {
        LOCK.lock();
        try {
            return List.copyOf(RECENT);
        } finally {
            LOCK.unlock();
        }
    }

    /** The report of the job that has ended last. */
    public static Optional<JobReport> latest() {
        LOCK.lock();
        try {
            return Optional.ofNullable(RECENT.peekLast());
        } finally {
            LOCK.unlock();
        }
    }

    /**
     * Calls {@code listener} at the end of each job, on the thread of the job. An exception of the listener is logged.
     * Close the returned object to end this.
     */
    public static AutoCloseable listen(Consumer<JobReport> listener) {
        LISTENERS.add(listener);
        return () -> LISTENERS.remove(listener);
    }

    static void add(JobReport report) {
        LOCK.lock();
        try {
            RECENT.addLast(report);
            if (RECENT.size() > KEPT) {
                RECENT.removeFirst();
            }
        } finally {
            LOCK.unlock();
        }
        for (Consumer<JobReport> listener : LISTENERS) {
            try {
                listener.accept(report);
            } catch (RuntimeException failed) {
                LOG.warn("a listener of load reports has failed", failed);
            }
        }
    }
}
