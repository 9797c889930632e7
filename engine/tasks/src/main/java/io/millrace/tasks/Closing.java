// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import io.millrace.tasks.Worker.Verdict;
import java.time.Duration;
import java.util.List;

/**
 * The end of a flow whose threads have ended: what was not done is settled, then the sources are closed. Both call the user's code, on
 * a thread of its own, which can be interrupted when it takes longer than the flow's grace. It is waited for nevertheless.
 *
 * @param tally of the supervisor, which lends it meanwhile
 * @param left what was not done
 */
record Closing<T>(Supervisor<T> flow, Tally tally, List<Entry<T>> left, List<Source<T>> sources) {

    private static final Duration BETWEEN_INTERRUPTS = Duration.ofMillis(1);

    void run() throws InterruptedException {
        Thread thread = Thread.ofPlatform()
                .daemon()
                .name("millrace-" + flow.settings().name() + "-end")
                .unstarted(this::settleAndClose);
        try {
            thread.start();
        } catch (OutOfMemoryError e) { // there are no more threads to be had
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
        flow.own();
        left.forEach(this::cancel);
        sources.forEach(this::close);
    }

    private void cancel(Entry<T> entry) {
        try {
            flow.account().settle(entry, Verdict.CANCELLED, tally);
        } catch (Throwable e) {
            flow.account().fault(e, OnStop.DROP);
        }
    }

    private void close(Source<T> source) {
        try {
            var unused = Thread.interrupted(); // meant for the one before
            source.close();
        } catch (Throwable e) {
            flow.account().fault(e, flow.settings().onStop());
        }
    }
}
