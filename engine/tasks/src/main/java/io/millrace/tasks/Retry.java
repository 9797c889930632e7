// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;

/**
 * Which failures are tried again, how often, and after how long. While a consumer waits it takes no other task, so that a service
 * that fails is left in peace.
 *
 * @param attempts in all, 1 to 1,000,000
 * @param firstWait how long to wait before the second attempt, 0 to 24 h; doubled for each further one
 * @param longestWait what the doubling stops at, {@code firstWait} to 24 h
 * @param jitter which part of a wait is left to chance, 0 to 1: with 0.5 a wait of 100 ms is of 50 to 100 ms, so that those who
 *     failed together do not come back together
 * @param on which failures; an {@link InterruptedException} and an {@link Error} are never tried again
 */
public record Retry(
        int attempts, Duration firstWait, Duration longestWait, double jitter, Predicate<? super Throwable> on) {

    private static final Duration MOST = Duration.ofHours(24);

    /** No second attempt. */
    public static final Retry NONE = of(1);

    public Retry {
        Ranges.check("attempts", attempts, 1, 1_000_000);
        Ranges.check("firstWait", firstWait, Duration.ZERO, MOST);
        Ranges.check("longestWait", longestWait, firstWait, MOST);
        Ranges.check("jitter", jitter, 0, 1);
        Objects.requireNonNull(on, "on");
    }

    /**
     * So many attempts at every failing task, 100 ms after the first, at most 10 s apart, half of each wait left to chance: quick
     * enough for a service that hiccups, and within ten attempts slow enough for one that restarts.
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

    /** Only failures of these classes; in place of what was chosen before. */
    @SafeVarargs
    public final Retry on(Class<? extends Exception>... types) {
        List<Class<?>> chosen = new ArrayList<>();
        for (Class<?> type : types) {
            chosen.add(type);
        }
        return on(failure -> chosen.stream().anyMatch(type -> type.isInstance(failure)));
    }

    /** Only failures that pass, in place of what was chosen before. One that cannot be judged is not tried again. */
    public Retry on(Predicate<? super Throwable> chosen) {
        return new Retry(attempts, firstWait, longestWait, jitter, chosen);
    }

    /** Whether a task is tried again whose attempt of this number, from 1, failed by {@code failure}. */
    @SuppressWarnings("ReferenceEquality") // none can be added to itself
    boolean again(int attempt, Throwable failure) {
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

    /** How long to wait after the attempt of this number, from 1. */
    long waitNanos(int attempt, RandomGenerator random) {
        double doubled = (double) firstWait.toNanos() * Math.pow(2, attempt - 1);
        double whole = Math.min(doubled, (double) longestWait.toNanos());
        return (long) (whole * (1 - jitter * random.nextDouble()));
    }
}
