// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How many of a contender's commands went out as part of another, which the server then counts in their place. A
 * contender says so by figures, which are held against the server's own.
 *
 * @param commands that were fused
 * @param runs what they became
 */
public record FusedCalls(long commands, long runs) {

    public static final String COMMANDS = "fusedCommands";
    public static final String RUNS = "fusedRuns";

    public static final FusedCalls NONE = new FusedCalls(0, 0);

    /** What the contender said of its round; none if it said nothing. */
    public static FusedCalls of(Measured measured) {
        var figures = measured.figures();
        return new FusedCalls(
                Math.round(figures.getOrDefault(COMMANDS, 0.0)), Math.round(figures.getOrDefault(RUNS, 0.0)));
    }

    /** What has come to these since they were {@code earlier}. */
    public FusedCalls minus(FusedCalls earlier) {
        return new FusedCalls(commands - earlier.commands, runs - earlier.runs);
    }

    /** As figures of a round. */
    public Map<String, Double> figures() {
        return Map.of(COMMANDS, (double) commands, RUNS, (double) runs);
    }

    /**
     * What is wrong with the server's counts.
     *
     * @param command that was to be carried out {@code expected} times, in lower case
     * @param fusedInto what several of them become; may be the same
     */
    public List<String> complaints(RedisServer server, String command, String fusedInto, long expected) {
        long single = expected - commands;
        if (command.equals(fusedInto)) {
            return server.statistics(command).complaints(command, single + runs);
        }
        var complaints = new ArrayList<>(server.statistics(command).complaints(command, single));
        complaints.addAll(server.statistics(fusedInto).complaints(fusedInto, runs));
        return complaints;
    }
}
