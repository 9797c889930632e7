// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Keys;
import java.time.Duration;

/**
 * Reads once a second whether a queue is paused. A worker waits for jobs at most until the next check. So a pause is in
 * force after about one second. Only the dispatching thread uses this class.
 */
final class PauseCheck {

    private static final long INTERVAL_NANOS = 1_000_000_000;
    private static final Duration MIN_WAIT = Duration.ofMillis(10);

    private final RedisClient client;
    private final Command<Long> command;
    private long checkedAt = System.nanoTime() - INTERVAL_NANOS;
    private long roundTripNanos;
    private boolean paused;

    PauseCheck(RedisClient client, String key) {
        this.client = client;
        this.command = Keys.exist(key);
    }

    boolean isPaused() {
        long start = System.nanoTime();
        if (start - checkedAt >= INTERVAL_NANOS) {
            paused = client.call(command) > 0;
            checkedAt = start;
            roundTripNanos = System.nanoTime() - start;
        }
        return paused;
    }

    /** Returns {@code wait}, or the time until the next check if this time is shorter, but at least 10 ms. */
    Duration untilNext(Duration wait) {
        Duration left = Duration.ofNanos(INTERVAL_NANOS - (System.nanoTime() - checkedAt));
        Duration atLeast = left.compareTo(MIN_WAIT) > 0 ? left : MIN_WAIT;
        return wait.compareTo(atLeast) < 0 ? wait : atLeast;
    }

    /** The duration of the last check. */
    long roundTripNanos() {
        return roundTripNanos;
    }
}
