// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Why a load shall read no further: the first reason counts, so that what follows from it does not hide it. Any thread. */
final class StopSign {

    private final AtomicReference<LoadReport.@Nullable Ending> reason = new AtomicReference<>();
    private final Alarm interrupted = new Alarm();
    private final Alarm abandoned = new Alarm();

    /** Somebody asks for the end. Wakes a reader that waits for its source. */
    void interrupt() {
        reason.compareAndSet(null, new LoadReport.Ending.Interrupted());
        interrupted.ring();
    }

    /** Somebody asks for the end and will not wait for replies. */
    void abandon() {
        interrupt();
        abandoned.ring();
    }

    void stop(String why) {
        reason.compareAndSet(null, new LoadReport.Ending.Stopped(why));
    }

    boolean isUp() {
        return reason.get() != null;
    }

    /** Runs {@code action} on another thread when the load is interrupted. */
    Alarm.Watch onInterrupt(Runnable action) {
        return interrupted.watch(action);
    }

    /** Runs {@code action} on another thread when the load is abandoned. */
    Alarm.Watch onAbandon(Runnable action) {
        return abandoned.watch(action);
    }

    LoadReport.Ending ending() {
        LoadReport.Ending known = reason.get();
        return known == null ? new LoadReport.Ending.Completed() : known;
    }
}
