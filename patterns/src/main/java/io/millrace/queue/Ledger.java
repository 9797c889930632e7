// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** Adds up what became of the tasks of a source. For any number of threads. */
final class Ledger {

    private static final int MOST_IDS = 10_000;
    private static final int MOST_LETTERS = 1_000;

    private final ReentrantLock lock = new ReentrantLock();

    // All guarded by the lock.
    private long delivered;
    private long rejected;
    private long redelivered;
    private long acknowledged;
    private long returned;
    private long deadLettered;
    private long takenAway;
    private long unacknowledged;
    private long vanished;
    private final List<String> redeliveredIds = new ArrayList<>();
    private final List<DeadLetter> deadLetters = new ArrayList<>();
    private final List<String> unacknowledgedIds = new ArrayList<>();

    void delivered(String id, int number) {
        locked(() -> {
            delivered++;
            if (number > 1) {
                redelivered++;
                keep(redeliveredIds, id, MOST_IDS);
            }
        });
    }

    void rejected() {
        locked(() -> rejected++);
    }

    void vanished(int tasks) {
        locked(() -> vanished += tasks);
    }

    /** The server put it aside by itself. */
    void aside(DeadLetter letter) {
        locked(() -> {
            rejected++;
            deadLettered++;
            keep(deadLetters, letter, MOST_LETTERS);
        });
    }

    /** The queue has taken note; {@code wasOurs} if the task was still this consumer's. */
    void settled(Settlement settlement, boolean wasOurs) {
        locked(() -> {
            if (!wasOurs) {
                takenAway++;
                return;
            }
            switch (settlement.fate()) {
                case DONE -> acknowledged++;
                case FAILED, STOPPED, UNTOUCHED -> returned++;
                case DEAD -> {
                    deadLettered++;
                    keep(
                            deadLetters,
                            DeadLetter.of(settlement.id(), settlement.number(), settlement.reason()),
                            MOST_LETTERS);
                }
            }
        });
    }

    void unacknowledged(Settlement settlement) {
        locked(() -> {
            unacknowledged++;
            keep(unacknowledgedIds, settlement.id(), MOST_IDS);
        });
    }

    QueueAccount account() {
        lock.lock();
        try {
            long ended = acknowledged + returned + deadLettered + takenAway + unacknowledged;
            return new QueueAccount(
                    delivered,
                    rejected,
                    redelivered,
                    acknowledged,
                    returned,
                    deadLettered,
                    takenAway,
                    unacknowledged,
                    delivered + rejected - ended,
                    vanished,
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

    private static <A> void keep(List<A> list, A element, int most) {
        if (list.size() < most) {
            list.add(element);
        }
    }
}
