// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import io.millrace.load.LoadEvent;
import java.util.concurrent.CountDownLatch;

/** A load whose end is not in the load log. The threads of the load write its progress; any thread reads it. */
final class RunningLoad {

    private final LoadRecord start;
    private final TextMask mask;
    private final RejectedRows rejected;
    private final CountDownLatch begun = new CountDownLatch(1);

    /** Number of the run of the starter; 0 until the thread of the job has begun. Guarded by the lock of the loads. */
    private long run;

    /** Written by the threads of the load, one at a time. A reader sees the newest progress, and may miss earlier ones. */
    private volatile LoadProgress progress = LoadProgress.NONE;

    RunningLoad(LoadRecord start, TextMask mask) {
        this.start = start;
        this.mask = mask;
        this.rejected = new RejectedRows(mask);
    }

    LoadRecord start() {
        return start;
    }

    TextMask mask() {
        return mask;
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

    /** The load log has the start, or will never have it. */
    void releaseCaller() {
        begun.countDown();
    }

    /** Waits until the load log has the start. */
    void awaitStart() throws InterruptedException {
        begun.await();
    }

    /** Never waits: a load must not wait for its listeners. */
    void on(LoadEvent event) {
        if (event instanceof LoadEvent.Rejected row) {
            rejected.add(row);
        } else {
            progress = progress.after(event);
        }
    }
}
