// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * Limits the wait for a server that cannot be reached, for example during a failover. The time counts from the creation of this
 * object.
 */
final class ConnectPatience {

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final long limitNanos;
    private final BooleanSupplier killed;
    private final long startNanos = System.nanoTime();

    /**
     * Begins the time.
     *
     * @param killed whether the wait has to end early
     */
    ConnectPatience(Duration limit, BooleanSupplier killed) {
        this.limitNanos = limit.toNanos();
        this.killed = killed;
    }

    /** A borrower that does not wait. */
    static ConnectPatience none() {
        return new ConnectPatience(Duration.ZERO, () -> false);
    }

    /**
     * Waits before the next attempt to connect. Blocks for a quarter of a second.
     *
     * @param failure the exception of the last attempt
     * @return false if there is no next attempt: the time has passed, the task has ended, or {@code failure} is permanent
     */
    boolean waited(RedisException failure) {
        if (isPermanent(failure) || System.nanoTime() - startNanos >= limitNanos) {
            return false;
        }
        LockSupport.parkNanos(PAUSE_NANOS);
        return !isTaskEnded();
    }

    /** Whether the task was killed or interrupted. Called by its thread. */
    boolean isTaskEnded() {
        return killed.getAsBoolean() || Thread.currentThread().isInterrupted();
    }

    /**
     * Acquires {@code lock}, which another task holds while it connects.
     *
     * @throws InterruptedCommandException if the task ends first
     */
    void lock(ReentrantLock lock) {
        try {
            while (!lock.tryLock(PAUSE_NANOS, TimeUnit.NANOSECONDS)) {
                if (killed.getAsBoolean()) {
                    throw notConnected();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw notConnected();
        }
    }

    private static InterruptedCommandException notConnected() {
        return new InterruptedCommandException("the task ended while it waited for a connection", false);
    }

    /** The exception of a borrower whose wait has ended with {@code failure}. Its message has the time of the wait. */
    RedisException ended(RedisException failure) {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNanos);
        if (limitNanos == 0 || seconds == 0 || !(failure instanceof ConnectException connect)) {
            return failure;
        }
        return new ConnectException(
                connect.reason(), "no connection for " + seconds + " s: " + failure.getMessage(), failure);
    }

    private static boolean isPermanent(RedisException failure) {
        if (!(failure instanceof ConnectException connect)) {
            return failure instanceof InterruptedCommandException;
        }
        return switch (connect.reason()) {
            case AUTHENTICATION, TLS -> true;
            case UNREACHABLE, HANDSHAKE -> false;
        };
    }
}
