// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures, for as long as it is open, how late this machine wakes a thread that sleeps for 5 ms and then a virtual one: what a
 * timeout takes without any client. On an idle machine that is a fraction of a millisecond.
 */
final class MachineLateness implements AutoCloseable {

    private static final long SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Lateness lateness = new Lateness();
    private final Thread thread = Thread.ofPlatform().start(this::measure);
    private volatile boolean stopped;

    private void measure() {
        while (!stopped) {
            long due = System.nanoTime() + SLEEP_NANOS;
            for (long left = SLEEP_NANOS; left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            Thread woken = Thread.ofVirtual().start(() -> lateness.add(System.nanoTime() - due));
            try {
                woken.join();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Ends it, and says what was measured. */
    Lateness stop() throws InterruptedException {
        stopped = true;
        thread.join();
        return lateness;
    }

    @Override
    public void close() throws InterruptedException {
        stop();
    }
}
