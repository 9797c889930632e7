// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.resilience;

import io.millrace.client.command.Command;
import io.millrace.client.exception.RedisException;
import io.millrace.client.internal.time.ClockAndRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The attempts of one command. Not thread-safe: one thread at a time uses the attempts. The completion of a future, or
 * the start of a thread, hands them over to the thread of the next attempt.
 */
final class Attempts<T> {

    /** The shortest time limit of a command. If less time is left, there is no further attempt. */
    private static final long MIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Command<T> command;
    private final RetryOptions options;
    private final ClockAndRandom clockAndRandom;
    private final long deadline;

    /** The failures of the earlier attempts, fewer than {@link RetryOptions#attempts}. */
    private final List<RedisException> failures = new ArrayList<>();

    private long nextDelay;

    Attempts(Command<T> command, RetryOptions options, ClockAndRandom clockAndRandom) {
        this.command = command;
        this.options = options;
        this.clockAndRandom = clockAndRandom;
        this.deadline = now() + options.timeLimit().toNanos();
        this.nextDelay = options.delay().toNanos();
    }

    /** Returns the command for the next attempt, whose time limit ends with the time limit of all attempts. */
    Command<T> next() {
        return command.withinAtMost(Duration.ofNanos(Math.max(MIN_NANOS, deadline - now())));
    }

    /**
     * Returns the nanoseconds before the next attempt after {@code failure}; -1 if there is no further attempt. Then
     * the failures of the earlier attempts are suppressed exceptions of {@code failure}.
     */
    long delayAfter(RedisException failure) {
        long half = nextDelay / 2;
        long delay = half + clockAndRandom.random().nextLong(half + 1);
        boolean ended = failures.size() + 1 >= options.attempts()
                || !FailureRules.isRepeatable(command, failure)
                || deadline - now() < delay + MIN_NANOS;
        if (ended) {
            addFailuresTo(failure);
            return -1;
        }
        nextDelay = Math.min(options.maxDelay().toNanos(), nextDelay * 2);
        failures.add(failure);
        return delay;
    }

    /** Adds the failures of the earlier attempts to {@code last} as suppressed exceptions. */
    void addFailuresTo(RedisException last) {
        for (RedisException failure : failures) {
            // An exception must not suppress itself: a caller may throw the same exception again.
            if (failure != last) {
                last.addSuppressed(failure);
            }
        }
    }

    /** Number of attempts that failed and were followed by another attempt. */
    int failed() {
        return failures.size();
    }

    private long now() {
        return clockAndRandom.clock().getAsLong();
    }
}
