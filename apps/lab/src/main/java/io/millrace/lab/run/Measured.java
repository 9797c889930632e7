// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.List;
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
 * @param complaints what was wrong with what the contender read; empty if nothing was
 * @param seconds what happened second by second; empty where that is not looked at
 * @param trace when tasks were produced and consumed; empty where that is not looked at
 * @param remark what it has shown that figures do not say; empty if nothing
 */
public record Measured(
        double wallSeconds,
        double cpuSeconds,
        OptionalDouble systemSeconds,
        Optional<Outcomes> outcomes,
        Map<String, Double> figures,
        List<String> complaints,
        List<Second> seconds,
        Optional<Trace> trace,
        Optional<String> remark) {

    /** The figure by which a contender says how many operations there were, if it was to go on for a time. */
    public static final String OPERATIONS = "operations";

    public Measured {
        figures = Map.copyOf(figures);
        complaints = List.copyOf(complaints);
        seconds = List.copyOf(seconds);
    }

    /** Of a round of which nothing more is known. */
    public static Measured of(
            double wallSeconds,
            double cpuSeconds,
            OptionalDouble systemSeconds,
            Optional<Outcomes> outcomes,
            Map<String, Double> figures) {
        return new Measured(
                wallSeconds,
                cpuSeconds,
                systemSeconds,
                outcomes,
                figures,
                List.of(),
                List.of(),
                Optional.empty(),
                Optional.empty());
    }

    /** How many operations there were: what the contender says, or else all that were {@code asked} for. */
    long operations(long asked) {
        return figures.containsKey(OPERATIONS) ? Math.round(figures.get(OPERATIONS)) : asked;
    }

    /** The part of one processor that the client used, about 0.0 to the number of cores. */
    public double cpuShare() {
        return cpuSeconds / wallSeconds;
    }

    /** The same with the server's count of each second, as far as there is one. */
    Measured with(List<Long> serverCommands) {
        var counted = seconds.stream()
                .map(second -> second.second() <= serverCommands.size()
                        ? second.with(serverCommands.get(second.second() - 1))
                        : second)
                .toList();
        return new Measured(
                wallSeconds, cpuSeconds, systemSeconds, outcomes, figures, complaints, counted, trace, remark);
    }
}
