// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
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
        return !killed.getAsBoolean() && !Thread.currentThread().isInterrupted();
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
