// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures the scheduling delay of this machine. A thread sleeps for 5 ms and then starts a virtual thread. The
 * scheduling delay is the time from the end of the 5 ms until the virtual thread runs. A timeout is late by such a
 * delay even without the work of the client. On an idle machine the delay is a fraction of a millisecond.
 */
final class MachineDelayProbe implements AutoCloseable {

    private static final long SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final DelaySamples delaySamples = new DelaySamples();
    private final Thread thread = Thread.ofPlatform().start(this::measure);
    private volatile boolean stopped;

    private void measure() {
        while (!stopped) {
            long due = System.nanoTime() + SLEEP_NANOS;
            for (long left = SLEEP_NANOS; left > 0; left = due - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            Thread woken = Thread.ofVirtual().start(() -> delaySamples.add(System.nanoTime() - due));
            try {
                woken.join();
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    /** Stops the measurement and returns the measured delays. */
    DelaySamples stop() throws InterruptedException {
        stopped = true;
        thread.join();
        return delaySamples;
    }

    @Override
    public void close() throws InterruptedException {
        stop();
    }
}
