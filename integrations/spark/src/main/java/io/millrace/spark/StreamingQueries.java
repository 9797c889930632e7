// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The streaming queries of this JVM, on the driver. Spark creates a new {@link StreamingJob} for each epoch, so the memory of
 * the epochs is here. Thread-safe.
 */
final class StreamingQueries {

    /** The queries of this driver. */
    static final StreamingQueries OF_THIS_JVM = new StreamingQueries();

    /** Maximum number of remembered queries. A forgotten query is checked again at its next epoch. */
    private static final int MAX_QUERIES = 1_000;

    private static final long NO_EPOCH = -1;

    private final ReentrantLock lock = new ReentrantLock();

    /** The last committed epoch of each checked query. Guarded by the lock. */
    private final Map<String, Long> epochs = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
            return size() > MAX_QUERIES;
        }
    };

    /** The query and the target of its rows, without a password. */
    private static String key(JobPlan plan) {
        return plan.id() + " " + plan;
    }

    /** Whether {@link #checked} was called for an equal plan. */
    boolean isChecked(JobPlan plan) {
        lock.lock();
        try {
            return epochs.containsKey(key(plan));
        } finally {
            lock.unlock();
        }
    }

    /** Notes that the server of the query can store its rows. */
    void checked(JobPlan plan) {
        lock.lock();
        try {
            epochs.putIfAbsent(key(plan), NO_EPOCH);
        } finally {
            lock.unlock();
        }
    }

    /** The last epoch that this JVM has committed; empty before the first one, and after an epoch that has failed. */
    OptionalLong lastCommitted(JobPlan plan) {
        lock.lock();
        try {
            long last = epochs.getOrDefault(key(plan), NO_EPOCH);
            return last == NO_EPOCH ? OptionalLong.empty() : OptionalLong.of(last);
        } finally {
            lock.unlock();
        }
    }

    /** Notes that an epoch is about to end. If the epoch fails, Spark repeats the epoch. */
    void ending(JobPlan plan) {
        committed(plan, NO_EPOCH);
    }

    /** Notes the last committed epoch. */
    void committed(JobPlan plan, long epoch) {
        lock.lock();
        try {
            epochs.put(key(plan), epoch);
        } finally {
            lock.unlock();
        }
    }
}
