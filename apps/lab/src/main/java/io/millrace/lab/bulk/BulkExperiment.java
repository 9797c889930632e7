// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import static io.millrace.lab.experiment.Bar.Limit.atLeast;
import static io.millrace.lab.experiment.Bar.Limit.atMost;

import io.millrace.client.command.Fusion;
import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ProcessContender;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.load.target.HashTarget;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Very many commands and rows: whole processes and warm libraries. */
public final class BulkExperiment {

    private static final long COMMANDS = 1_000_000;
    private static final long PROGRAM_COMMANDS = 100_000;

    /** More {@code SET}s than rows, so that the fastest contender, which is one process in a round, needs a second. */
    private static final long SETS_IN_ROUND = 1_500_000;

    private static final long POPS = 11_000_000;
    private static final long MEMORY_ROWS = 20_000_000;

    static final String SETS = RedisTools.PIPE + "/set";
    private static final String MSETS = RedisTools.PIPE + "/mset";
    static final String HSETS = RedisTools.PIPE + "/hset";
    private static final String FUSED = "millrace/fused";
    private static final String UNFUSED = "millrace/unfused";

    /** A process does the whole work in each round, so forks would add nothing. */
    private static final RoundPlan PROCESSES = new RoundPlan(1, 1, 5, Duration.ofSeconds(1), 1, Duration.ofSeconds(3));

    public static Experiment of(Parameters parameters) {
        long commands = parameters.size(COMMANDS);
        var rows = new RowData(commands);
        return new Experiment(
                "bulk",
                "Bulk loading",
                "How fast do very many commands and rows get to the server, and with how much memory?",
                List.of(
                        sets(parameters.size(SETS_IN_ROUND)),
                        fused("fields", FieldData.ofCommands(commands), Fusion.FOR_BULK_WRITES, 0.6),
                        fused("bits", new BitData(commands), Fusion.ALL_EXACT, 0.15),
                        fused("pops", PopData.ofCommands(parameters.size(POPS)), Fusion.ALL_EXACT, 0.4),
                        csvHash(rows, parameters),
                        postgresHash(rows, parameters),
                        postgresMemory(parameters),
                        start(parameters),
                        randomSets(commands, parameters),
                        ClientMemory.scenario(parameters)));
    }

    /** {@code SET}s over one connection. No {@code SET} waits for another. */
    private static Scenario sets(long commands) {
        var data = new StringData(commands);
        return Scenario.named("set", "Small SETs over one connection")
                .contender(RedisTools.pipeSets(commands))
                .contender(RedisTools.pipeMsets(commands))
                .contender(JedisSets.sets(commands))
                .contender(JedisSets.msets(commands))
                .contenders(BulkWriterWork.bothWays(data, Fusion.ALL_EXACT, "fuses as by default"))
                .plan(RoundPlan.USUAL.withExpectedUnit(Duration.ofSeconds(1)))
                .server(data.server())
                .bars(
                        ratio("wall", FUSED, SETS, 0.75),
                        shownRatio("wall", FUSED, MSETS),
                        ratio("wall", FUSED, "jedis", 0.8),
                        shownRatio("wall", FUSED, "jedis/mset-" + RedisTools.PAIRS_PER_MSET),
                        ratio("wall", FUSED, UNFUSED, 0.8),
                        ratio("wall", UNFUSED, SETS, 1.0),
                        ratio("wall", UNFUSED, "jedis", 0.95),
                        Bar.absolute("server busy", UNFUSED, Figure.SERVER_BUSY, atLeast(0.95)),
                        Bar.absolute("client CPU, us per command", UNFUSED, Figure.CLIENT_CPU_MICROS, atMost(0.4)),
                        shown("client CPU, us per command", FUSED, Figure.CLIENT_CPU_MICROS))
                .build();
    }

    /** Adjacent commands on one key, by a bulk writer that fuses them and by one that does not. */
    private static Scenario fused(String name, BulkData data, Set<Fusion> fusion, double limit) {
        // Lists that are empty cannot be emptied again, so there is one large unit.
        boolean isOnce = data instanceof PopData;
        var plan = RoundPlan.USUAL.withMaxUnits(isOnce ? 1 : Integer.MAX_VALUE);
        String words = fusion.equals(Fusion.ALL_EXACT) ? "fuses as by default" : "fuses as for bulk writes";
        return Scenario.named(name, "Adjacent commands on one key: " + name)
                .contenders(BulkWriterWork.bothWays(data, fusion, words))
                .plan(plan)
                .server(data.server())
                .bars(
                        ratio("wall", FUSED, UNFUSED, limit),
                        shown("client CPU, us per command", FUSED, Figure.CLIENT_CPU_MICROS))
                .build();
    }

    private static Scenario csvHash(RowData rows, Parameters parameters) {
        var loader = new Description(
                "millrace",
                "warm",
                "Loader with default options, from opening the file to the report; connects in every unit",
                "docs/load.md");
        return Scenario.named("csv-hash", "A CSV file of five columns into hashes")
                .unit("rows")
                .contender(pipeRows(rows))
                .contender(new JvmContender(
                                loader,
                                new LoaderWork(LoaderWork.csv(rows::writeCsv), HashTarget.of(LoadCommand.KEY_TEMPLATE)))
                        .unfair("the JVM is warm, and the other contenders are whole processes")
                        .asReference())
                .contender(LoadCommand.contender(RowSource.csv(rows), false))
                .contenders(Riot.both(RowSource.csv(rows), RowSource.csv(rows)))
                .plan(withoutQuickWarmUp(
                        parameters, RoundPlan.USUAL.withForks(2).withRounds(3).withExpectedUnit(Duration.ofSeconds(3))))
                .server(rows.server())
                .bars(
                        ratio("wall", "millrace/warm", HSETS, 1.0),
                        ratio("whole process", "millrace/process", HSETS, 1.1))
                .build();
    }

    static ProcessContender pipeRows(RowData rows) {
        return RedisTools.pipe("hset", rows.rows(), rows.rows(), FusedCalls.NONE, rows::hsets);
    }

    private static Scenario postgresHash(RowData rows, Parameters parameters) {
        return Scenario.named("postgres-hash", "A table of PostgreSQL into hashes, with a heap of 256 MB")
                .unit("rows")
                .contender(pipeRows(rows))
                .contender(LoadCommand.contender(RowSource.table(rows), false))
                .contenders(Riot.both(RowSource.table(rows), RowSource.table(rows)))
                .plan(processes(parameters))
                .server(rows.server())
                .bars(ownSeconds("millrace/process-256m"), ratio("whole process", "millrace/process-256m", HSETS, 1.5))
                .build();
    }

    /** One round tells whether the heap stays flat. */
    private static Scenario postgresMemory(Parameters parameters) {
        // A quick run has a fortieth of the rows.
        var rows = new RowData(parameters.size(parameters.quick() ? MEMORY_ROWS / 4 : MEMORY_ROWS));
        var millrace = "millrace/process-256m";
        return Scenario.named("postgres-memory", "A long table of PostgreSQL through a heap of 256 MB")
                .unit("rows")
                .contender(LoadCommand.contender(RowSource.table(rows), true))
                .plan(RoundPlan.ONE_UNIT
                        .withRounds(1)
                        .withExpectedUnit(Duration.ofSeconds(parameters.quick() ? 3 : 120)))
                .server(rows.server())
                .figure("largest heap after a collection MiB", Figure.own(HeapRecording.PEAK))
                .bars(
                        Bar.absolute(
                                "heap after collections, last quarter to second quarter",
                                millrace,
                                Figure.own(HeapRecording.GROWTH),
                                atMost(1.1)),
                        shown("largest heap after a collection, MiB", millrace, Figure.own(HeapRecording.PEAK)),
                        shown("largest resident memory, MiB", millrace, Figure.own("peakResidentMebibytes")))
                .build();
    }

    /** What the start of a JVM costs. */
    private static Scenario start(Parameters parameters) {
        long commands = parameters.size(PROGRAM_COMMANDS);
        return Scenario.named("start", "A small program as a whole process")
                .contender(RedisTools.pipeSets(commands))
                .contender(SmallProgramProcess.contender(commands))
                .plan(processes(parameters).withRounds(10).withExpectedUnit(Duration.ofMillis(200)))
                .server(new StringData(commands).server())
                .bars(ratio("whole process", "millrace/process", SETS, 2.5))
                .build();
    }

    private static Scenario randomSets(long commands, Parameters parameters) {
        return Scenario.named("random-sets", "SETs of random keys by redis-benchmark")
                .contender(RedisTools.benchmark(commands))
                .plan(processes(parameters))
                .server(ServerUse.checkedBy(RedisTools::randomKeys))
                .build();
    }

    private static RoundPlan processes(Parameters parameters) {
        return withoutQuickWarmUp(parameters, PROCESSES);
    }

    /** A quick run proves no difference, so that nothing must be warm. */
    private static RoundPlan withoutQuickWarmUp(Parameters parameters, RoundPlan plan) {
        return parameters.quick() ? plan.withWarmUps(0) : plan;
    }

    static Bar ratio(String name, String contender, String other, double limit) {
        return Bar.ratio(name, contender, Figure.UNIT_SECONDS, List.of(other), atMost(limit));
    }

    static Bar shownRatio(String name, String contender, String other) {
        return new Bar(name, contender, Figure.UNIT_SECONDS, List.of(other), Optional.empty());
    }

    static Bar shown(String name, String contender, Figure figure) {
        return new Bar(name, contender, figure, List.of(), Optional.empty());
    }

    private static Bar ownSeconds(String contender) {
        return Bar.ratio("own seconds", contender, LoadCommand.OWN_SECONDS, List.of(HSETS), atMost(1.25));
    }

    private BulkExperiment() {}
}
