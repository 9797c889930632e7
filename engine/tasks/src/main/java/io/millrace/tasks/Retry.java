// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * Defines which failures are retried, how often, and with which backoff. A consumer takes no other task during the
 * backoff, so a failing service receives fewer calls.
 *
 * @param attempts maximum number of attempts, 1 to 1,000,000
 * @param firstWait wait before the second attempt, zero to 24 h; doubled for each further attempt
 * @param longestWait maximum wait, {@code firstWait} to 24 h
 * @param jitter random part of each wait, 0 to 1. With 0.5, a wait of 100 ms becomes a random wait of 50 to 100 ms. So
 *     tasks that failed at the same time are retried at different times
 * @param on the failures to retry; an {@link InterruptedException} and an {@link Error} are never retried
 */
public record Retry(
        int attempts, Duration firstWait, Duration longestWait, double jitter, Predicate<? super Throwable> on) {

    private static final Duration MAX_WAIT = Duration.ofHours(24);

    /** No retries. */
    public static final Retry NONE = of(1);

    public Retry {
        RangeChecks.check("attempts", attempts, 1, 1_000_000);
        RangeChecks.check("firstWait", firstWait, Duration.ZERO, MAX_WAIT);
        RangeChecks.check("longestWait", longestWait, firstWait, MAX_WAIT);
        RangeChecks.check("jitter", jitter, 0, 1);
        Objects.requireNonNull(on, "on");
    }

    /**
     * Retries every failure, with up to {@code attempts} attempts in all. The first wait is 100 ms, the longest is 10
     * s, and the jitter is 0.5. The first waits are short, which suits a brief failure of a service. The waits between
     * ten attempts add up to at least 16 s, which suits the restart of a service.
     */
    public static Retry of(int attempts) {
        return new Retry(attempts, Duration.ofMillis(100), Duration.ofSeconds(10), 0.5, failure -> true);
    }

    public Retry backoff(Duration first, Duration longest) {
        return new Retry(attempts, first, longest, jitter, on);
    }

    public Retry jitter(double part) {
        return new Retry(attempts, firstWait, longestWait, part, on);
    }

    /** Retries only failures of these classes. Replaces the previous rule for the failures to retry. */
    @SafeVarargs
    public final Retry on(Class<? extends Exception>... classes) {
        List<Class<?>> types = new ArrayList<>();
        for (Class<?> type : classes) {
            types.add(type);
        }
        return on(failure -> types.stream().anyMatch(type -> type.isInstance(failure)));
    }

    /**
     * Retries only failures for which the predicate returns true. Replaces the previous rule for the failures to retry.
     * A failure is not retried if the predicate throws an exception.
     */
    public Retry on(Predicate<? super Throwable> predicate) {
        return new Retry(attempts, firstWait, longestWait, jitter, predicate);
    }

    /** Whether a task is retried after an attempt failed with {@code failure}. The first attempt has the number 1. */
    @SuppressWarnings("ReferenceEquality") // a throwable cannot suppress itself
    boolean isRetried(int attempt, Throwable failure) {
        if (attempt >= attempts || !(failure instanceof Exception) || failure instanceof InterruptedException) {
            return false;
        }
        try {
            return on.test(failure);
        } catch (RuntimeException | Error e) {
            if (e != failure) {
                failure.addSuppressed(e);
            }
            return false;
        }
    }

    /** The wait after attempt number {@code attempt}, from 1. */
    long waitNanos(int attempt, RandomGenerator random) {
        double doubled = (double) firstWait.toNanos() * Math.pow(2, attempt - 1);
        double whole = Math.min(doubled, (double) longestWait.toNanos());
        return (long) (whole * (1 - jitter * random.nextDouble()));
    }
}
