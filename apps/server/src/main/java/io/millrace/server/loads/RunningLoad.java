// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import io.millrace.load.LoadEvent;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A load whose end is not in the load log. The threads of the load write its progress; any thread reads it. */
final class RunningLoad {

    private final LoadRecord start;
    private final RejectedRows rejected = new RejectedRows();
    private final CountDownLatch begun = new CountDownLatch(1);

    /** Number of the run of the starter; 0 until the thread of the job has begun. Guarded by the lock of the loads. */
    private long run;

    /** Null until the thread of the job has begun. Not made with the load: the files of a source may be slow. */
    private volatile @Nullable TextMask mask;

    /** Written by the threads of the load, one at a time. A reader sees the newest progress, and may miss earlier ones. */
    private volatile LoadProgress progress = LoadProgress.NONE;

    RunningLoad(LoadRecord start) {
        this.start = start;
    }

    LoadRecord start() {
        return start;
    }

    /** The mask of a load that has begun. */
    TextMask mask() {
        return Objects.requireNonNull(mask, "mask");
    }

    RejectedRows rejected() {
        return rejected;
    }

    LoadProgress progress() {
        return progress;
    }

    boolean hasRun(long number) {
        return run == number;
    }

    /** Whether the thread of the job has begun this load. */
    boolean hasBegun() {
        return run != 0;
    }

    void begin(long number) {
        run = number;
    }

    /** Called before the first event of the load. */
    void maskWith(TextMask ofJob) {
        mask = ofJob;
    }

    /** Ends the wait of {@link #awaitStart}. The load log then has the start, or the write has failed. */
    void releaseCaller() {
        begun.countDown();
    }

    /** Waits until the load log has the start, or never gets the start. */
    void awaitStart() throws InterruptedException {
        begun.await();
    }

    /** Never waits: a load must not wait for its listeners. */
    void on(LoadEvent event) {
        TextMask known = mask;
        if (event instanceof LoadEvent.Rejected row) {
            if (known != null) { // otherwise the event of the start was lost
                rejected.add(row, known);
            }
        } else {
            progress = progress.after(event);
        }
    }
}
