// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.RedisException;
import java.lang.System.Logger.Level;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Logs one line at the beginning and one line at the end of each outage of the server. If another kind of failure occurs
 * during the outage, such as an error reply or a name in use, this failure has its own line. Thread-safe.
 */
final class OutageLog {

    /** The parts of a worker that use the server. */
    enum Part {
        DISPATCHER,
        ACKNOWLEDGEMENT,
        RENEWAL,
        MAINTENANCE
    }

    private final String queue;
    private final String worker;
    private final ReentrantLock lock = new ReentrantLock();

    /** Written under the lock. The parts whose last call failed. */
    private final Set<Part> failing = EnumSet.noneOf(Part.class);

    /** The lock guards this field. The kinds of failures that have a line in this outage. */
    private final Set<String> logged = new HashSet<>();

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
            inOutage = true;
            if (logged.add(kind(failure))) {
                QueueLog.log(
                        Level.WARNING,
                        "a worker cannot use its queue and tries again: queue=" + queue + ", worker=" + worker
                                + ", failure=" + failure);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the kind of a failure. All failures of the connection are of one kind. */
    private static String kind(Throwable failure) {
        if (failure instanceof ErrorReplyException error) {
            return error.code();
        }
        return failure instanceof RedisException
                ? "connection"
                : failure.getClass().getName();
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
                logged.clear();
                QueueLog.log(Level.INFO, "a worker can use its queue again: queue=" + queue + ", worker=" + worker);
            }
        } finally {
            lock.unlock();
        }
    }

    boolean isInOutage() {
        return inOutage;
    }
}
