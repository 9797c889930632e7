// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.client.exception.UnexpectedReplyException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Retries calls that fail because of a temporary error of the server or the connection.
 *
 * @param timeout the time after which a failed call is not retried. The time begins with the first attempt
 */
record RetryPolicy(Duration timeout) {

    private static final long MIN_WAIT_NANOS = 10_000_000;
    private static final long MAX_WAIT_NANOS = 1_000_000_000;

    /**
     * The error codes of temporary errors. Examples: the server is starting; the server fails over; the server has no
     * free memory; the key of a blocking command was deleted.
     */
    private static final Set<String> TEMPORARY = Set.of(
            "LOADING",
            "UNBLOCKED",
            "BUSY",
            "MASTERDOWN",
            "READONLY",
            "TRYAGAIN",
            "CLUSTERDOWN",
            "NOREPLICAS",
            "OOM",
            "MISCONF");

    /**
     * Calls {@code action} until it succeeds, and returns its result.
     *
     * @throws RedisException if the error is permanent, or lasts longer than the timeout
     * @throws InterruptedException if the thread was interrupted between two attempts
     */
    <R> R call(Supplier<R> action) throws InterruptedException {
        long start = System.nanoTime();
        for (int failures = 0; ; failures++) {
            try {
                return action.get();
            } catch (RedisException e) {
                if (!isTemporary(e) || System.nanoTime() - start >= timeout.toNanos()) {
                    throw e;
                }
            }
            TimeUnit.NANOSECONDS.sleep(waitNanos(failures));
        }
    }

    static boolean isTemporary(RedisException failure) {
        return switch (failure) {
            case ConnectionLostException lost -> true;
            case TimedOutException late -> true;
            case RefusedException refused -> true;
            case ConnectException refused ->
                // The login of the client was accepted earlier, so a refused login may be accepted again.
                refused.reason() == ConnectException.Reason.UNREACHABLE
                        || refused.reason() == ConnectException.Reason.AUTHENTICATION;
            case ErrorReplyException error -> TEMPORARY.contains(error.code());
            case UnexpectedReplyException wrong -> false;
            case InterruptedCommandException interrupted -> false;
        };
    }

    /**
     * Returns the wait in nanoseconds after a failed attempt. {@code failures} is the number of consecutive failures
     * before this failure. The wait doubles with each failure, up to one second. Then a random part, at most one half,
     * is subtracted.
     */
    static long waitNanos(int failures) {
        long full = Math.min(MIN_WAIT_NANOS << Math.min(failures, 20), MAX_WAIT_NANOS);
        return full / 2 + ThreadLocalRandom.current().nextLong(full / 2);
    }
}
