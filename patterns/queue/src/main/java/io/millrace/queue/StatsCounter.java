// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** Counts the outcomes of the tasks of a source. Thread-safe. */
final class StatsCounter {

    private static final int MAX_IDS = 10_000;
    private static final int MAX_DEAD_LETTERS = 1_000;

    private final ReentrantLock lock = new ReentrantLock();

    // The lock guards all fields below.
    private long delivered;
    private long rejected;
    private long redelivered;
    private long acknowledged;
    private long returned;
    private long deadLettered;
    private long noLongerPending;
    private long unacknowledged;
    private long missing;
    private final List<String> redeliveredIds = new ArrayList<>();
    private final List<DeadLetter> deadLetters = new ArrayList<>();
    private final List<String> unacknowledgedIds = new ArrayList<>();

    void delivered(String id, int number) {
        locked(() -> {
            delivered++;
            if (number > 1) {
                redelivered++;
                keep(redeliveredIds, id, MAX_IDS);
            }
        });
    }

    void rejected() {
        locked(() -> rejected++);
    }

    void missing(int tasks) {
        locked(() -> missing += tasks);
    }

    /** Counts a task that the server dead-lettered and did not deliver. */
    void deadLettered(DeadLetter letter) {
        locked(() -> {
            rejected++;
            deadLettered++;
            keep(deadLetters, letter, MAX_DEAD_LETTERS);
        });
    }

    /**
     * Counts a task that the server has settled. {@code wasPending} says whether the task was still pending for this
     * consumer.
     */
    void settled(Acknowledgement acknowledgement, boolean wasPending) {
        locked(() -> {
            if (!wasPending) {
                noLongerPending++;
                return;
            }
            switch (acknowledgement.kind()) {
                case DONE -> acknowledged++;
                case FAILED, CANCELLED, NOT_STARTED -> returned++;
                case DEAD_LETTERED -> {
                    deadLettered++;
                    keep(
                            deadLetters,
                            DeadLetter.of(acknowledgement.id(), acknowledgement.number(), acknowledgement.reason()),
                            MAX_DEAD_LETTERS);
                }
            }
        });
    }

    void unacknowledged(Acknowledgement acknowledgement) {
        locked(() -> {
            unacknowledged++;
            keep(unacknowledgedIds, acknowledgement.id(), MAX_IDS);
        });
    }

    QueueStats stats() {
        lock.lock();
        try {
            long ended = acknowledged + returned + deadLettered + noLongerPending + unacknowledged;
            return new QueueStats(
                    delivered,
                    rejected,
                    redelivered,
                    acknowledged,
                    returned,
                    deadLettered,
                    noLongerPending,
                    unacknowledged,
                    delivered + rejected - ended,
                    missing,
                    redeliveredIds,
                    deadLetters,
                    unacknowledgedIds);
        } finally {
            lock.unlock();
        }
    }

    private void locked(Runnable change) {
        lock.lock();
        try {
            change.run();
        } finally {
            lock.unlock();
        }
    }

    private static <A> void keep(List<A> list, A element, int max) {
        if (list.size() < max) {
            list.add(element);
        }
    }
}
