// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.time.Duration;
import java.util.List;

/**
 * Settles the remaining tasks of a flow and then closes its sources. Runs when each producer and each worker has ended
 * or was abandoned. A separate thread executes both steps, because both steps call user code. If this thread takes
 * longer than the grace period of the flow, the thread is interrupted. The flow still waits until the thread ends.
 *
 * @param counters counters of the supervisor; the separate thread uses them while the supervisor waits
 * @param left tasks that were not executed
 */
record FlowShutdown<T>(Supervisor<T> flow, Counters counters, List<Entry<T>> left, List<Source<T>> sources) {

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
        Duration interruptDelay = Duration.ofNanos(flow.settings().graceNanos());
        while (!thread.join(interruptDelay)) {
            thread.interrupt();
            interruptDelay = BETWEEN_INTERRUPTS;
        }
    }

    private void settleAndClose() {
        flow.markOwnThread();
        left.forEach(this::cancel);
        sources.forEach(this::close);
    }

    private void cancel(Entry<T> entry) {
        try {
            flow.stats().settle(entry, StopReason.CANCELLED, counters);
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
