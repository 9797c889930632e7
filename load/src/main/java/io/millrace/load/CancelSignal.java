// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The signal that stops a load, with its reason. Only the first reason is kept, because a later failure may be a
 * consequence of the first failure. Any thread may call the methods.
 */
final class CancelSignal {

    private final AtomicReference<LoadReport.@Nullable Ending> reason = new AtomicReference<>();
    private final CancelActions interrupted = new CancelActions();
    private final CancelActions abandoned = new CancelActions();

    /** Whether all rows have their outcomes and are being verified. Set once by the loading thread. */
    private volatile boolean verifying;

    /** Stops the load at the request of a caller. Wakes a reader that waits for its source. */
    void interrupt() {
        reason.compareAndSet(null, new LoadReport.Ending.Interrupted());
        interrupted.run();
    }

    /** Stops the load at the request of a caller. The load does not wait for the replies to the commands in flight. */
    void abandon() {
        interrupt();
        abandoned.run();
    }

    void stop(String why) {
        reason.compareAndSet(
                null, verifying ? new LoadReport.Ending.Unverified(why) : new LoadReport.Ending.Stopped(why));
    }

    /** Called before the verification of a completed load. A later stop concerns only the verification. */
    void verificationBegins() {
        verifying = true;
    }

    /** Called after the verification, before the load replaces old data. A later stop concerns the load again. */
    void verificationEnded() {
        verifying = false;
    }

    boolean isRaised() {
        return reason.get() != null;
    }

    /** Runs {@code action} on another thread when the load is interrupted. */
    CancelActions.Registration onInterrupt(Runnable action) {
        return interrupted.register(action);
    }

    /** Runs {@code action} on another thread when the load is abandoned. */
    CancelActions.Registration onAbandon(Runnable action) {
        return abandoned.register(action);
    }

    LoadReport.Ending ending() {
        LoadReport.Ending first = reason.get();
        return first == null ? new LoadReport.Ending.Completed() : first;
    }
}
