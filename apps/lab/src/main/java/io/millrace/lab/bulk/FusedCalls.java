// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.client.FusionCounts;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.server.RedisServer;
import java.util.ArrayList;
import java.util.List;

/**
 * Commands that were sent as parts of other commands. The server counts only the other commands. A contender reports
 * these numbers as figures, and the check compares the figures with the counts of the server.
 *
 * @param commands commands that were fused
 * @param batches commands that the server received instead
 */
public record FusedCalls(long commands, long batches) {

    public static final FusedCalls NONE = new FusedCalls(0, 0);

    private static final String COMMANDS = "fusedCommands";
    private static final String BATCHES = "fusedBatches";

    public static FusedCalls of(FusionCounts counts) {
        return new FusedCalls(counts.commands(), counts.fusedBatches());
    }

    /** What the contender reported about its round. */
    public static FusedCalls of(Sample sample) {
        var figures = sample.details().figures();
        return new FusedCalls(
                Math.round(figures.getOrDefault(COMMANDS, 0.0)), Math.round(figures.getOrDefault(BATCHES, 0.0)));
    }

    public FusedCalls plus(FusedCalls more) {
        return new FusedCalls(commands + more.commands, batches + more.batches);
    }

    public FusedCalls minus(FusedCalls earlier) {
        return new FusedCalls(commands - earlier.commands, batches - earlier.batches);
    }

    public RoundDetails addTo(RoundDetails details) {
        return details.withFigure(COMMANDS, (double) commands).withFigure(BATCHES, (double) batches);
    }

    /**
     * Compares the number of succeeded operations, and the counts of the server, with {@code expected}.
     *
     * @param command in lower case
     * @param fusedCommand what several commands are fused into, in lower case; may be the same
     */
    public static List<String> complaints(
            RedisServer server, Sample sample, String command, String fusedCommand, long expected) {
        var fused = of(sample);
        long single = expected - fused.commands;
        var complaints = new ArrayList<String>();
        if (sample.operations() != expected) {
            complaints.add("operations: expected=" + expected + ", succeeded=" + sample.operations());
        }
        if (command.equals(fusedCommand)) {
            complaints.addAll(server.statistics(command).complaints(command, single + fused.batches));
        } else {
            complaints.addAll(server.statistics(command).complaints(command, single));
            complaints.addAll(server.statistics(fusedCommand).complaints(fusedCommand, fused.batches));
        }
        return complaints;
    }
}
