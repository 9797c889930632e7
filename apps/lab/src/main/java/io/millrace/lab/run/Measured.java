// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * What was measured of one contender in one round.
 *
 * @param wallSeconds from first command to last reply, or from start to exit of a process
 * @param cpuSeconds of the client, user and system
 * @param systemSeconds the system part of it; empty where the machine does not tell
 * @param outcomes empty if the contender keeps no account
 * @param figures further figures by name
 */
public record Measured(
        double wallSeconds,
        double cpuSeconds,
        OptionalDouble systemSeconds,
        Optional<Outcomes> outcomes,
        Map<String, Double> figures) {

    /** The figure by which a contender says how many operations there were, if it was to go on for a time. */
    public static final String OPERATIONS = "operations";

    public Measured {
        figures = Map.copyOf(figures);
    }

    /** How many operations there were: what the contender says, or else all that were {@code asked} for. */
    long operations(long asked) {
        return figures.containsKey(OPERATIONS) ? Math.round(figures.get(OPERATIONS)) : asked;
    }
}
