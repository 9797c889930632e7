// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.lang.System.Logger.Level;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/** Logs one line at the beginning and one line at the end of each outage of the server. Thread-safe. */
final class OutageLog {

    /** The parts of a worker that use the server. */
    enum Part {
        DISPATCHER,
        ACKNOWLEDGER
    }

    private final String queue;
    private final String worker;
    private final ReentrantLock lock = new ReentrantLock();

    /** Written under the lock. The parts whose last call failed. */
    private final Set<Part> failing = EnumSet.noneOf(Part.class);

    /** Written under the lock. Whether {@link #failing} has an element. */
    private volatile boolean inOutage;

    OutageLog(String queue, String worker) {
        this.queue = queue;
        this.worker = worker;
    }

    void failed(Part part, Throwable failure) {
        lock.lock();
        try {
            failing.add(part);
            if (!inOutage) {
                inOutage = true;
                QueueLog.logger()
                        .log(
                                Level.WARNING,
                                "a worker cannot use its queue and tries again: queue=" + queue + ", worker=" + worker
                                        + ", failure=" + failure);
            }
        } finally {
            lock.unlock();
        }
    }

    void succeeded(Part part) {
        if (!inOutage) {
            return;
        }
        lock.lock();
        try {
            failing.remove(part);
            if (failing.isEmpty() && inOutage) {
                inOutage = false;
                QueueLog.logger()
                        .log(Level.INFO, "a worker can use its queue again: queue=" + queue + ", worker=" + worker);
            }
        } finally {
            lock.unlock();
        }
    }

    boolean isInOutage() {
        return inOutage;
    }
}
