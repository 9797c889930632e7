// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import static io.millrace.lab.experiment.Bar.Limit.atLeast;
import static io.millrace.lab.experiment.Bar.Limit.atMost;

import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.experiment.SlotMoves;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Bulk writes to a cluster. */
public final class ClusterBulk {

    private static final long ROWS = 500_000;

    /** Smaller than rows, so that a round of the fastest contender takes about as long. */
    private static final long STRINGS = 1_000_000;

    private static final int MOVES_PER_SECOND = 10;

    private static final String PIPES = RedisTools.PIPE + "/each";
    private static final String MILLRACE = "millrace";
    private static final String ONE_SERVER = "one-server";
    private static final String MOVING = "moving";

    /** The scenarios of the experiment about clusters. */
    public static List<Scenario> scenarios(Parameters parameters) {
        var rows = new HashRows(size(ROWS, parameters));
        return List.of(rows(rows, parameters), strings(parameters), moves(rows, parameters));
    }

    private static Scenario rows(HashRows rows, Parameters parameters) {
        return bulk("rows", "Rows of five fields into hashes on three primaries", rows, parameters)
                .unit("rows")
                .contender(onOneServer(rows), rows.server())
                .bars(
                        wall("jedis", 0.65),
                        wall("lettuce", 0.4),
                        wall(PIPES, 1.3),
                        Bar.ratio(
                                "client CPU of a row, to one server",
                                MILLRACE,
                                Figure.CLIENT_CPU_MICROS,
                                List.of(MILLRACE + "/" + ONE_SERVER),
                                atMost(1.15)))
                .build();
    }

    private static Scenario strings(Parameters parameters) {
        var strings = new StringData(size(STRINGS, parameters));
        return bulk("strings", "Small SETs on three primaries", strings, parameters)
                .bars(wall("jedis", 0.6), wall("lettuce", 0.25), wall(PIPES, 2.2))
                .build();
    }

    private static Scenario.Builder bulk(String name, String title, PipelinedData data, Parameters parameters) {
        return Scenario.named(name, title)
                .contender(RedisTools.pipeToEachPrimary(data))
                .contender(JedisClusterPipeline.contender(data))
                .contender(LettuceClusterPipeline.contender(data))
                .contender(BulkWriterWork.byDefault("", data))
                .plan(plan(parameters))
                .server(data.server().onCluster());
    }

    /** The same program, whose only other setting is the address. */
    private static JvmContender onOneServer(BulkData data) {
        return BulkWriterWork.byDefault(ONE_SERVER, data)
                .missingIf(target -> target.cluster()
                        ? Optional.of("the server is a cluster. Name a server that stands alone, or no server.")
                        : Optional.empty())
                .unfair("one server instead of three")
                .asReference();
    }

    private static Scenario moves(HashRows rows, Parameters parameters) {
        ServerUse cluster = rows.server().onCluster();
        String moving = MILLRACE + "/" + MOVING;
        return Scenario.named(
                        "rows-moves",
                        "The same rows, without and with " + MOVES_PER_SECOND + " hash slots that move each second")
                .unit("rows")
                .contender(BulkWriterWork.byDefault("", rows))
                .contender(
                        BulkWriterWork.byDefault(MOVING, rows)
                                .unfair("hash slots move")
                                .asReference(),
                        cluster.during(new SlotMoves(MOVES_PER_SECOND, HashRows::key)))
                .plan(plan(parameters))
                .server(cluster)
                .notCompared()
                .figure("moves per second", Figure.own(SlotMoves.MOVES_PER_SECOND))
                .bars(
                        Bar.ratio(
                                "rows per second, to a cluster at rest",
                                moving,
                                Figure.PER_SECOND,
                                List.of(MILLRACE),
                                atLeast(0.8)),
                        new Bar(
                                "moves per second",
                                moving,
                                Figure.own(SlotMoves.MOVES_PER_SECOND),
                                List.of(),
                                Optional.empty()))
                .build();
    }

    /** A quick run has a fiftieth of the commands. */
    private static long size(long usual, Parameters parameters) {
        return parameters.size(parameters.quick() ? Math.ceilDiv(usual, 5) : usual);
    }

    private static RoundPlan plan(Parameters parameters) {
        return parameters.quick()
                ? RoundPlan.ONE_UNIT.withRounds(1).withExpectedUnit(Duration.ofMillis(50))
                : RoundPlan.USUAL.withExpectedUnit(Duration.ofMillis(2_700));
    }

    private static Bar wall(String other, double limit) {
        return BulkExperiment.ratio("wall", MILLRACE, other, limit);
    }

    private ClusterBulk() {}
}
