// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import java.time.Duration;

/**
 * How often a contender is measured.
 *
 * <p>A round repeats the unit of work until {@code minimum} has passed. So a short unit, such as one pipeline, has a
 * round that is long enough to be measured.
 *
 * @param forks processes of each contender, one after the other, 1 or more. Two processes of the same program differ,
 *     because the JIT compiler makes different decisions
 * @param warmUps rounds of each process that are not counted, 0 or more
 * @param rounds rounds of each process that are counted, 1 or more
 * @param minimum minimum duration of a round; zero for one unit
 * @param maxUnits maximum number of units in one round
 * @param expectedUnit expected duration of one unit, for the estimate of the duration of a run; zero for a unit that is
 *     much shorter than a round. With a minimum duration, a quick run expects a tenth; without, the experiment gives
 *     the duration for its parameters
 */
public record RoundPlan(int forks, int warmUps, int rounds, Duration minimum, int maxUnits, Duration expectedUnit) {

    /**
     * Three processes, each with two warm-ups and two counted rounds of at least one second. After one warm-up, the JIT
     * compiler still used a core in the first counted round of several libraries.
     */
    public static final RoundPlan USUAL =
            new RoundPlan(3, 2, 2, Duration.ofSeconds(1), Integer.MAX_VALUE, Duration.ZERO);

    /** One unit in a round. For work whose length is given, such as a program that runs for ten seconds. */
    public static final RoundPlan ONE_UNIT = new RoundPlan(1, 0, 4, Duration.ZERO, 1, Duration.ofSeconds(1));

    public RoundPlan {
        if (forks < 1 || warmUps < 0 || rounds < 1 || minimum.isNegative() || maxUnits < 1) {
            throw new IllegalArgumentException("wrong plan: forks=" + forks + ", warmUps=" + warmUps + ", rounds="
                    + rounds + ", minimum=" + minimum + ", maxUnits=" + maxUnits);
        }
    }

    public RoundPlan withForks(int number) {
        return new RoundPlan(number, warmUps, rounds, minimum, maxUnits, expectedUnit);
    }

    public RoundPlan withWarmUps(int number) {
        return new RoundPlan(forks, number, rounds, minimum, maxUnits, expectedUnit);
    }

    public RoundPlan withRounds(int number) {
        return new RoundPlan(forks, warmUps, number, minimum, maxUnits, expectedUnit);
    }

    public RoundPlan withMinimum(Duration duration) {
        return new RoundPlan(forks, warmUps, rounds, duration, maxUnits, expectedUnit);
    }

    public RoundPlan withMaxUnits(int number) {
        return new RoundPlan(forks, warmUps, rounds, minimum, number, expectedUnit);
    }

    public RoundPlan withExpectedUnit(Duration duration) {
        return new RoundPlan(forks, warmUps, rounds, minimum, maxUnits, duration);
    }

    /** Expected duration of all rounds of one contender, without the start of its processes. */
    public Duration expected() {
        Duration round = minimum.compareTo(expectedUnit) > 0 ? minimum : expectedUnit;
        return round.multipliedBy((long) forks * (warmUps + rounds));
    }
}
