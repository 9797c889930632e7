// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.report.Environment;
import io.millrace.lab.report.Findings;
import io.millrace.lab.report.JsonReport;
import io.millrace.lab.report.RunRecord;
import io.millrace.lab.report.Tables;
import io.millrace.lab.report.Tables.WorkloadVerdict;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.RedisServer;
import io.millrace.lab.run.Run;
import io.millrace.lab.run.Runner;
import io.millrace.lab.run.Size;
import io.millrace.lab.run.Tools;
import io.millrace.lab.run.Workload;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The options of the bench, and what becomes of them. */
@Command(
        name = "bench",
        description =
                "Measures Millrace beside redis-cli --pipe, Jedis and Lettuce on a Redis server of its own; all take turns.",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:measured; whether every bar held is in the table",
            "1:a contender failed or left wrong data",
            "2:wrong options, or something that is needed is missing",
            "3:with --strict: a bar was not held"
        })
final class BenchCommand implements Callable<Integer> {

    private static final int DEFAULT_ROUNDS = 5;
    private static final int QUICK_ROUNDS = 2;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "show this help")
    @SuppressWarnings("UnusedVariable") // picocli looks at it
    private boolean help;

    @Option(names = "--rounds", paramLabel = "N", description = "rounds after the warm-up; default 5, with --quick 2")
    private Optional<Integer> rounds = Optional.empty();

    @Option(
            names = "--operations",
            paramLabel = "N",
            defaultValue = "1000000",
            description = "default ${DEFAULT-VALUE}")
    private long operations;

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "10000000",
            description = "rows of postgres-memory, bits of e6-population, ids of e6-month; default ${DEFAULT-VALUE}")
    private long memoryRows;

    @Option(
            names = "--only",
            paramLabel = "WORKLOAD",
            split = ",",
            description = "${COMPLETION-CANDIDATES}",
            completionCandidates = Names.class)
    private List<String> only = List.of();

    @Option(names = "--quick", description = "a tenth of the operations, two rounds")
    private boolean quick;

    @Option(names = "--json", description = "print one JSON object and nothing else")
    private boolean json;

    @Option(names = "--report", paramLabel = "FILE", description = "write the JSON object to a file")
    private Optional<Path> report = Optional.empty();

    @Option(names = "--out", paramLabel = "DIR", description = "write command, versions, raw samples, table and JSON")
    private Optional<Path> folder = Optional.empty();

    @Option(names = "--strict", description = "exit with 3 if a bar is not held")
    private boolean strict;

    private final PrintStream out;
    private final PrintStream progress;
    private final String arguments;

    BenchCommand(PrintStream out, PrintStream progress, String arguments) {
        this.out = out;
        this.progress = progress;
        this.arguments = arguments;
    }

    /** The workloads, for the help. */
    static final class Names extends ArrayList<String> {

        private static final long serialVersionUID = 1L;

        Names() {
            super(Workloads.ALL.stream().map(Workload::name).toList());
        }
    }

    @Override
    public Integer call() throws IOException {
        int count = rounds.orElse(quick ? QUICK_ROUNDS : DEFAULT_ROUNDS);
        if (count < 1) {
            throw new LabException("too few rounds: rounds=" + count + ". Ask for 1 or more.");
        }
        var workloads = workloads();
        var size = size();
        var server = Tools.requireRedis();
        var environment = Environment.here(Clock.systemUTC()); // the load average is read before the bench adds load
        try (var temporary = TemporaryFolder.make()) {
            var runner = new Runner(temporary.path(), count, progress::println);
            var runs = new ArrayList<Run>();
            var verdicts = new ArrayList<WorkloadVerdict>();
            for (var workload : workloads) {
                var mine = run(runner, workload, size, server, temporary.path());
                runs.addAll(mine);
                workload.bars().forEach(bar -> verdicts.add(new WorkloadVerdict(workload.name(), bar.judge(mine))));
            }
            publish(environment, runs, verdicts);
            return exitCode(runs, verdicts);
        }
    }

    /** Each workload has a server of its own, that none finds what another has left in its memory. */
    private static List<Run> run(Runner runner, Workload workload, Size size, Path program, Path folder)
            throws IOException {
        var log = Files.createDirectories(folder.resolve(workload.name()));
        try (var server = RedisServer.start(program, log)) {
            return runner.run(workload, size, server);
        }
    }

    private List<Workload> workloads() {
        return only.isEmpty()
                ? Workloads.ALL.stream().filter(Workload::runByDefault).toList()
                : only.stream().map(Workloads::named).toList();
    }

    private Size size() {
        try {
            var size = new Size(operations, memoryRows);
            return quick ? size.tenth() : size;
        } catch (IllegalArgumentException e) {
            throw new LabException("the size is not right: " + e.getMessage(), e);
        }
    }

    private void publish(Environment environment, List<Run> runs, List<WorkloadVerdict> verdicts) throws IOException {
        var table = Tables.runs(runs) + "\n" + Tables.verdicts(verdicts);
        var command = "make bench ARGS='" + arguments + "'";
        var object = JsonReport.of(environment, Findings.of(command, runs));
        out.print(json ? object + "\n" : "\n" + table);
        if (report.isPresent()) {
            Files.writeString(report.get(), object + "\n", StandardCharsets.UTF_8);
        }
        if (folder.isPresent()) {
            new RunRecord(command, environment, runs, table, object).write(folder.get());
        }
    }

    private int exitCode(List<Run> runs, List<WorkloadVerdict> verdicts) {
        if (!runs.stream().allMatch(Run::verified)) {
            return 1;
        }
        boolean missed = verdicts.stream()
                .anyMatch(named -> named.verdict().held().stream().anyMatch(held -> !held));
        return strict && missed ? 3 : 0;
    }
}
