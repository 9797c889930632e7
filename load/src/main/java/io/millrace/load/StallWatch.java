// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

/**
 * Measures how long the server sent no reply although commands were in flight. A distant server sends replies all the
 * time, because many commands are in flight. So a time without any reply is a stall of the server, and not a wait for
 * the network.
 *
 * <p>Used by the progress thread, and by the loading thread after the progress thread has ended.
 */
final class StallWatch {

    private long lastAnswered = -1;
    private boolean wasInFlight;
    private long lastNanos;
    private long stalledNanos;

    /**
     * Records the state at the time {@code nanos}.
     *
     * @param answered number of commands with an outcome so far
     */
    void observe(long answered, long inFlight, long nanos) {
        if (wasInFlight && inFlight > 0 && answered == lastAnswered) {
            stalledNanos += nanos - lastNanos;
        }
        lastAnswered = answered;
        wasInFlight = inFlight > 0;
        lastNanos = nanos;
    }

    double seconds() {
        return stalledNanos / 1e9;
    }
}
