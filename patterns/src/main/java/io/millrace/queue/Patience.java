// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.ConnectException;
import io.millrace.client.ConnectionLostException;
import io.millrace.client.ErrorReplyException;
import io.millrace.client.InterruptedCommandException;
import io.millrace.client.RedisException;
import io.millrace.client.RefusedException;
import io.millrace.client.TimedOutException;
import io.millrace.client.UnexpectedReplyException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Tries again what fails while a server or a connection is away.
 *
 * @param most for how long
 */
record Patience(Duration most) {

    private static final long FIRST_WAIT_NANOS = 10_000_000;
    private static final long LONGEST_WAIT_NANOS = 1_000_000_000;

    /** Error replies of a server that starts, changes its part, is full, or whose key went while it was waited on. */
    private static final Set<String> PASSING = Set.of(
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
     * What {@code action} gives.
     *
     * @throws RedisException that does not pass, or has not passed in time
     * @throws InterruptedException if the thread was interrupted between two attempts
     */
    <R> R call(Supplier<R> action) throws InterruptedException {
        long begun = System.nanoTime();
        for (int failures = 0; ; failures++) {
            try {
                return action.get();
            } catch (RedisException e) {
                if (!passes(e) || System.nanoTime() - begun >= most.toNanos()) {
                    throw e;
                }
            }
            TimeUnit.NANOSECONDS.sleep(waitNanos(failures));
        }
    }

    static boolean passes(RedisException failure) {
        return switch (failure) {
            case ConnectionLostException lost -> true;
            case TimedOutException late -> true;
            case RefusedException refused -> true;
            case ConnectException refused -> refused.reason() == ConnectException.Reason.UNREACHABLE;
            case ErrorReplyException error -> PASSING.contains(error.code());
            case UnexpectedReplyException wrong -> false;
            case InterruptedCommandException interrupted -> false;
        };
    }

    /** After so many failures one after the other, the first being 0; half of it is left to chance. */
    static long waitNanos(int failures) {
        long whole = Math.min(FIRST_WAIT_NANOS << Math.min(failures, 20), LONGEST_WAIT_NANOS);
        return whole / 2 + ThreadLocalRandom.current().nextLong(whole / 2);
    }
}
