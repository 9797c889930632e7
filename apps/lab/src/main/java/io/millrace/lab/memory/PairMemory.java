// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.memory;

import io.millrace.lab.bulk.Connections;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** E7: what many small pairs take in the memory of the server. */
public final class PairMemory {

    private static final long PAIRS = 1_000_000;

    public static Experiment of(Parameters parameters) {
        return new Experiment(
                "e7",
                "Memory of small pairs",
                "How much memory do a million pairs of two numbers take as strings, and packed into hashes?",
                Arrays.stream(PairLayout.values())
                        .map(layout -> scenario(layout, parameters))
                        .toList());
    }

    /** The memory is the same in every round. Some rounds show that. */
    private static Scenario scenario(PairLayout layout, Parameters parameters) {
        long pairs = parameters.size(PAIRS);
        var millrace = new Description(
                "millrace",
                "",
                "BulkWriter with default options, places by BucketLayout; memory is used_memory without the buffers of"
                        + " clients, after all pairs were read back",
                "docs/packed.md");
        var jedis = new Description(
                "jedis",
                "",
                "Pipeline, sync() every 1,000 commands, places by division; memory as for the others",
                "https://redis.io/docs/latest/develop/clients/jedis/transpipe/");
        return Scenario.named(layout.scenario, layout.title)
                .unit("pairs")
                .contender(new JvmContender(
                        millrace,
                        new StorePairs(layout, pairs, PairWriter::millrace),
                        List.of(),
                        MemoryServer::missing))
                .contender(new JvmContender(
                        jedis,
                        new StorePairs(layout, pairs, PairWriter::jedis),
                        List.of(),
                        target -> Connections.missingForJedis(target).or(() -> MemoryServer.missing(target))))
                .plan(RoundPlan.ONE_UNIT.withExpectedUnit(Duration.ofMillis(parameters.quick() ? 200 : 1_900)))
                .server(ServerUse.checkedBy(
                        (server, sample) -> sample.operations() == pairs && server.keys() == layout.keys(pairs)
                                ? List.of()
                                : List.of("pairs: expected=" + pairs + ", succeeded=" + sample.operations()
                                        + "; keys: expected=" + layout.keys(pairs) + ", found=" + server.keys())))
                .comparedBy(StorePairs.BYTES_PER_PAIR, Figure.own(StorePairs.BYTES_PER_PAIR), true)
                .build();
    }

    private PairMemory() {}
}
