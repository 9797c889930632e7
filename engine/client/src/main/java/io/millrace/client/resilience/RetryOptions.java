// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.resilience;

import io.millrace.client.ClientOptions;
import io.millrace.client.Setting;
import io.millrace.client.Setting.Unit;
import java.time.Duration;

/**
 * Options of a {@link Retry}. The constants document the range and the default of each setting, and the reason for the
 * default.
 *
 * @param attempts maximum number of attempts, {@link #ATTEMPTS}; the first attempt counts
 * @param delay delay before the second attempt, {@link #DELAY}; the delay doubles with each further attempt
 * @param maxDelay maximum delay before an attempt, {@link #MAX_DELAY}; not less than {@code delay}
 * @param timeLimit time limit of all attempts and delays together, {@link #TIME_LIMIT}
 */
public record RetryOptions(int attempts, Duration delay, Duration maxDelay, Duration timeLimit) {

    /** Range: 1 to 100. Default: 3. Each further attempt adds load to a server that may already be overloaded. */
    public static final Setting<Integer> ATTEMPTS =
            new Setting<>("attempts", 1, 100, 3, Unit.COUNT, "Maximum number of attempts of a command.");

    /** Range: 1 ms to 1 min. Default: 50 ms. Each delay is shortened at random by up to one half. */
    public static final Setting<Duration> DELAY = new Setting<>(
            "delay",
            Duration.ofMillis(1),
            Duration.ofMinutes(1),
            Duration.ofMillis(50),
            Unit.TIME,
            "Delay before the second attempt of a command.");

    /** Range: 1 ms to 10 min. Default: 1 s, as in {@link ClientOptions#MAX_RECONNECT_DELAY}. */
    public static final Setting<Duration> MAX_DELAY = new Setting<>(
            "maxDelay",
            Duration.ofMillis(1),
            Duration.ofMinutes(10),
            Duration.ofSeconds(1),
            Unit.TIME,
            "Maximum delay before an attempt of a command.");

    /** Range: 1 ms to 24 h. Default: 10 s, as in {@link ClientOptions#COMMAND_TIMEOUT}. */
    public static final Setting<Duration> TIME_LIMIT = new Setting<>(
            "timeLimit",
            Duration.ofMillis(1),
            Duration.ofHours(24),
            Duration.ofSeconds(10),
            Unit.TIME,
            "Time limit of all attempts of a command together.");

    /** The default of each setting. */
    public static final RetryOptions DEFAULT = new RetryOptions(
            ATTEMPTS.defaultValue(), DELAY.defaultValue(), MAX_DELAY.defaultValue(), TIME_LIMIT.defaultValue());

    public RetryOptions {
        ATTEMPTS.check(attempts);
        DELAY.check(delay);
        MAX_DELAY.check(maxDelay);
        TIME_LIMIT.check(timeLimit);
        if (maxDelay.compareTo(delay) < 0) {
            throw new IllegalArgumentException("maxDelay=" + maxDelay + " must not be less than delay=" + delay);
        }
    }

    /** Returns a copy with this maximum number of attempts. */
    public RetryOptions withAttempts(int newAttempts) {
        return new RetryOptions(newAttempts, delay, maxDelay, timeLimit);
    }

    /** Returns a copy with these delays. */
    public RetryOptions withDelays(Duration newDelay, Duration newMaxDelay) {
        return new RetryOptions(attempts, newDelay, newMaxDelay, timeLimit);
    }

    /** Returns a copy with this time limit. */
    public RetryOptions withTimeLimit(Duration newTimeLimit) {
        return new RetryOptions(attempts, delay, maxDelay, newTimeLimit);
    }
}
