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

    public Measured {
        figures = Map.copyOf(figures);
    }
}
