// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.Map;

/**
 * The stats of explored schedules, without a failure.
 *
 * @param schedules number of schedules run
 * @param distinct number of schedules that differ from all earlier ones in at least one decision
 * @param steps decisions in all schedules together
 * @param outcomes count of each {@link Schedule#outcome outcome}, sorted by name
 */
public record ExplorationStats(int schedules, int distinct, long steps, Map<String, Integer> outcomes) {

    /** Number of times that {@code outcome} was reported. */
    public int count(String outcome) {
        return outcomes.getOrDefault(outcome, 0);
    }
}
