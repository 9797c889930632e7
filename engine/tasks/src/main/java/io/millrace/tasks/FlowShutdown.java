// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.time.Duration;
import java.util.List;

/**
 * Settles the remaining tasks and then closes the sources, after all threads of a flow have ended. Both steps call user
 * code, on a separate thread that is interrupted when it takes longer than the flow's grace period. The flow then still
 * waits for this thread.
 *
 * @param tally counters of the supervisor, used by this thread while the supervisor waits
 * @param left tasks that were not executed
 */
record FlowShutdown<T>(Supervisor<T> flow, Counters tally, List<Entry<T>> left, List<Source<T>> sources) {

    private static final Duration BETWEEN_INTERRUPTS = Duration.ofMillis(1);

    void run() throws InterruptedException {
        Thread thread = Thread.ofPlatform()
                .daemon()
                .name("millrace-" + flow.settings().name() + "-end")
                .unstarted(this::settleAndClose);
        try {
            thread.start();
        } catch (OutOfMemoryError e) { // no further thread can be created
            settleAndClose();
            return;
        }
        Duration patience = Duration.ofNanos(flow.settings().graceNanos());
        while (!thread.join(patience)) {
            thread.interrupt();
            patience = BETWEEN_INTERRUPTS;
        }
    }

    private void settleAndClose() {
        flow.markOwnThread();
        left.forEach(this::cancel);
        sources.forEach(this::close);
    }

    private void cancel(Entry<T> entry) {
        try {
            flow.stats().settle(entry, StopReason.CANCELLED, tally);
        } catch (Throwable e) {
            flow.stats().sourceFailed(e, OnStop.DROP);
        }
    }

    private void close(Source<T> source) {
        try {
            var unused = Thread.interrupted(); // clears an interrupt of the previous call
            source.close();
        } catch (Throwable e) {
            flow.stats().sourceFailed(e, flow.settings().onStop());
        }
    }
}
