// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.Map;

/**
 * The account of schedules that were explored, none of which failed.
 *
 * @param schedules how many were run
 * @param distinct how many of them differed from all before in at least one decision
 * @param steps decisions in all schedules together
 * @param outcomes how often each {@link Schedule#outcome outcome} was told, in the order of the names
 */
public record Exploration(int schedules, int distinct, long steps, Map<String, Integer> outcomes) {

    /** How often {@code outcome} was told. */
    public int count(String outcome) {
        return outcomes.getOrDefault(outcome, 0);
    }
}
