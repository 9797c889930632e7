// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Waits for states of a cluster by polling. All waits of one object share one time limit, which starts now. */
final class ClusterWait {

    /** A cluster forms within three seconds. The limit is much longer, because a machine may be busy. */
    static final Duration LIMIT = Duration.ofMinutes(1);

    private static final long PROBE_INTERVAL_NANOS = 10_000_000;

    private final Duration limit;
    private final long startedNanos = System.nanoTime();

    ClusterWait(Duration limit) {
        this.limit = limit;
    }

    /**
     * Waits until {@code obstacle} returns an empty result.
     *
     * @param state the awaited state, for the message of the exception
     * @param obstacle describes a condition that is not met yet
     * @throws EmbeddedRedisException if the limit has passed, or the thread is interrupted
     */
    void until(String state, Supplier<Optional<String>> obstacle) {
        for (Optional<String> missing = obstacle.get(); missing.isPresent(); missing = obstacle.get()) {
            pause(state, missing.get());
        }
    }

    /** Waits until {@code value} returns a value, and returns this value. Fails as {@link #until} does. */
    <T> T value(String state, Supplier<Optional<T>> value) {
        Optional<T> found = value.get();
        while (found.isEmpty()) {
            pause(state, "all of the state");
            found = value.get();
        }
        return found.get();
    }

    private void pause(String state, String missing) {
        long waitedNanos = System.nanoTime() - startedNanos;
        boolean interrupted = Thread.currentThread().isInterrupted();
        if (interrupted || waitedNanos > limit.toNanos()) {
            throw new EmbeddedRedisException(String.format(
                    Locale.ROOT,
                    "the cluster did not reach a state after %.1f s: state=%s, missing=%s, interrupted=%s. "
                            + "Check whether all servers run and are not paused, and whether the machine is too busy for "
                            + "the option cluster-node-timeout.",
                    waitedNanos / 1e9,
                    state,
                    missing,
                    interrupted));
        }
        LockSupport.parkNanos(PROBE_INTERVAL_NANOS);
    }
}
