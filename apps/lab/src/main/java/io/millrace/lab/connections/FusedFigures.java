// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.lab.client.ClientAdapter;
import io.millrace.lab.client.FusingClient;
import io.millrace.lab.client.FusingClient.FusedCommands;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Sample;

/** What a client has fused in one round, as figures of the sample. Used by one thread. */
final class FusedFigures {

    private static final String COMMANDS = "fusedCommands";
    private static final String BATCHES = "fusedBatches";

    private final ClientAdapter adapter;
    private FusedCommands before = FusedCommands.NONE;

    FusedFigures(ClientAdapter adapter) {
        this.adapter = adapter;
    }

    /** Begins a round. */
    void begin() {
        before = now();
    }

    /** The commands that were fused since {@link #begin}, as figures. */
    RoundDetails details() {
        FusedCommands fused = now().minus(before);
        return RoundDetails.NONE.withFigure(COMMANDS, (double) fused.commands()).withFigure(BATCHES, (double)
                fused.batches());
    }

    private FusedCommands now() {
        return adapter instanceof FusingClient fusing ? fusing.fused() : FusedCommands.NONE;
    }

    /** What the contender says about the round of {@code sample}; none if the contender says nothing. */
    static FusedCommands of(Sample sample) {
        return of(sample.details());
    }

    static FusedCommands of(RoundDetails details) {
        return new FusedCommands(
                Math.round(details.figures().getOrDefault(COMMANDS, 0.0)),
                Math.round(details.figures().getOrDefault(BATCHES, 0.0)));
    }
}
