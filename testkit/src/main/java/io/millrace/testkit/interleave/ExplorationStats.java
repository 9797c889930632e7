// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.Map;

/**
 * The stats of an exploration in which no schedule failed.
 *
 * @param schedules number of schedules that were run
 * @param distinct number of different schedules. Two schedules are different if at least one of their decisions differs
 * @param steps number of decisions in all schedules together
 * @param outcomes number of times that each {@link Schedule#outcome outcome} was reported, by name, sorted
 */
public record ExplorationStats(int schedules, int distinct, long steps, Map<String, Integer> outcomes) {

    /** Number of times that {@code outcome} was reported. */
    public int count(String outcome) {
        return outcomes.getOrDefault(outcome, 0);
    }
}
