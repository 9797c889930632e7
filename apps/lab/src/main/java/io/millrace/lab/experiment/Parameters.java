// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What the user changes in an experiment. Each experiment is built from these parameters, in the lab and in each worker
 * process, so both have the same experiment.
 *
 * @param size operations in one unit of work; empty for the size of each scenario
 * @param duration minimum duration of a round; empty for the duration of each scenario
 * @param payloadBytes length of a value in bytes; empty for the length of each scenario
 * @param keys number of distinct keys; empty for the number of each scenario
 * @param mix which part of the commands reads; empty for the mix of each scenario
 * @param rate commands per second; empty for the rates of each scenario
 * @param seed start of all random numbers
 * @param quick whether to measure a tenth of the size, with one process and one round
 */
public record Parameters(
        OptionalLong size,
        Optional<Duration> duration,
        OptionalInt payloadBytes,
        OptionalInt keys,
        Optional<Mix> mix,
        OptionalLong rate,
        long seed,
        boolean quick) {

    /** Every scenario without changes. */
    public static final Parameters DEFAULT = usual(false);

    /** The same as {@link #DEFAULT}, but quick. */
    public static final Parameters QUICK = usual(true);

    private static Parameters usual(boolean quick) {
        return new Parameters(
                OptionalLong.empty(),
                Optional.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                42,
                quick);
    }

    /** These parameters with {@code operations} in one unit of work. */
    public Parameters withSize(long operations) {
        return new Parameters(OptionalLong.of(operations), duration, payloadBytes, keys, mix, rate, seed, quick);
    }

    /** These parameters with a minimum duration of a round. */
    public Parameters withDuration(Duration minimum) {
        return new Parameters(size, Optional.of(minimum), payloadBytes, keys, mix, rate, seed, quick);
    }

    /** The size that the user has set; otherwise {@code usual}, or a tenth of {@code usual} if quick. At least 1. */
    public long size(long usual) {
        return Math.max(1, size.orElse(quick ? usual / 10 : usual));
    }

    public int payloadBytes(int usual) {
        return payloadBytes.orElse(usual);
    }

    public int keys(int usual) {
        return keys.orElse(usual);
    }

    public Mix mix(Mix usual) {
        return mix.orElse(usual);
    }

    /**
     * {@code plan}, with the duration that the user has set. If quick, one process and one round of a tenth of the
     * duration. A plan without a minimum duration keeps the expected duration of its unit: the experiment knows it.
     */
    public RoundPlan shortened(RoundPlan plan) {
        RoundPlan shortened = quick
                ? plan.withForks(1)
                        .withWarmUps(Math.min(1, plan.warmUps()))
                        .withRounds(1)
                        .withMinimum(plan.minimum().dividedBy(10))
                : plan;
        if (shortened.minimum().isZero()) {
            return shortened;
        }
        return shortened
                .withMinimum(duration.orElse(shortened.minimum()))
                .withExpectedUnit(plan.expectedUnit().dividedBy(quick ? 10 : 1));
    }
}
