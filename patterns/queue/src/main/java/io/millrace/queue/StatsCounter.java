// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/** Counts the outcomes of the jobs of a worker. Thread-safe. */
final class StatsCounter {

    private final ReentrantLock lock = new ReentrantLock();

    // The lock guards all fields below.
    private long taken;
    private long repeated;
    private long succeeded;
    private long failed;
    private long dead;
    private long returned;
    private long rejected;
    private long noLongerHeld;
    private long unacknowledged;
    private long timedOut;
    private long missing;

    void taken(List<? extends TakenJob<?>> jobs) {
        locked(() -> {
            taken += jobs.size();
            repeated += jobs.stream().filter(job -> job.attempt() > 1).count();
        });
    }

    void missing(int jobs) {
        locked(() -> missing += jobs);
    }

    void timedOut() {
        locked(() -> timedOut++);
    }

    /** Counts a job whose end the server knows. {@code wasHeld} says whether this worker still held the job. */
    void settled(Acknowledgement acknowledgement, boolean wasHeld) {
        locked(() -> {
            if (!wasHeld) {
                noLongerHeld++;
                return;
            }
            switch (acknowledgement.kind()) {
                case DONE -> succeeded++;
                case FAILED, DIED -> failed++;
                case DEAD -> dead++;
                case RETURNED, NOT_BEGUN -> returned++;
                case REJECTED -> {
                    returned++;
                    rejected++;
                }
            }
        });
    }

    void unacknowledged() {
        locked(() -> unacknowledged++);
    }

    WorkerStats stats(WorkerState state, int abandoned) {
        lock.lock();
        try {
            long ended = succeeded + failed + dead + returned + noLongerHeld + unacknowledged;
            return new WorkerStats(
                    state,
                    taken,
                    succeeded,
                    failed,
                    dead,
                    returned,
                    noLongerHeld,
                    unacknowledged,
                    taken - ended,
                    repeated,
                    timedOut,
                    missing,
                    rejected,
                    abandoned);
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
}
