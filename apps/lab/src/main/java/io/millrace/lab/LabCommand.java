// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.PublishOptions.PageOption;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.micro.MicroBenchmarks;
import io.millrace.lab.report.Comparison;
import io.millrace.lab.report.MergedReport;
import io.millrace.lab.report.Report;
import io.millrace.lab.server.LabException;
import io.millrace.lab.tune.TuneExperiment;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The commands of the lab. */
@Command(
        name = "millrace lab",
        description = "Compares ways to use Redis, with Millrace and other clients, on your server and your network.",
        synopsisSubcommandLabel = "list | run NAME… | tune | report FILE | compare A B | merge PART… | micro",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:measured",
            "1:a contender failed or left wrong data",
            "2:wrong options, or a server that cannot be used",
            "3:a limit was missed: by micro, or by run with --strict",
            "130:interrupted; the lab has removed its keys"
        })
final class LabCommand implements Runnable {

    @Option(names = "--help", usageHelp = true, description = "show this help", scope = CommandLine.ScopeType.INHERIT)
    @SuppressWarnings("UnusedVariable") // picocli reads the field
    private boolean help;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets the field
    private CommandSpec spec;

    private final PrintStream out;
    private final PrintStream progress;
    private final String typed;

    LabCommand(PrintStream out, PrintStream progress, String typed) {
        this.out = out;
        this.progress = progress;
        this.typed = typed;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "say list, run, tune, report, compare, merge or micro");
    }

    @Command(name = "list", description = "Lists the experiments, their contenders and their scenarios.")
    int list() {
        for (Experiment experiment : Experiments.all(io.millrace.lab.experiment.Parameters.DEFAULT)) {
            String libraries = experiment.scenarios().stream()
                    .flatMap(scenario -> scenario.contenders().stream())
                    .map(contender -> contender.description().library())
                    .distinct()
                    .collect(Collectors.joining(", "));
            out.println(experiment.name() + "  " + experiment.title() + ". " + experiment.question() + " Contenders: "
                    + libraries);
            experiment
                    .scenarios()
                    .forEach(scenario -> out.println("    " + scenario.name() + ": " + scenario.title()
                            + (scenario.roundTrip().isZero()
                                    ? ""
                                    : ", round trip of " + scenario.roundTrip().toMillis() + " ms")));
        }
        return CommandLine.ExitCode.OK;
    }

    @Command(name = "run", description = "Runs the named experiments, or all. Says first how long the run takes.")
    int run(
            @Parameters(paramLabel = "NAME", arity = "0..*", description = "such as calls; see list")
                    List<String> names,
            @Mixin ServerOptions server,
            @Mixin MeasureOptions measure,
            @Mixin PublishOptions publish)
            throws IOException {
        return new LabRun(server, measure, publish, typed, out, progress).run(names == null ? List.of() : names);
    }

    @Command(name = "tune", description = "Finds the settings to use for each client; the same as: run tune.")
    int tune(@Mixin ServerOptions server, @Mixin MeasureOptions measure, @Mixin PublishOptions publish)
            throws IOException {
        return run(List.of(TuneExperiment.NAME), server, measure, publish);
    }

    @Command(name = "report", description = "Shows a JSON report as text, or makes a page.")
    int report(@Parameters(paramLabel = "FILE", description = "the JSON of --report") Path json, @Mixin PageOption page)
            throws IOException {
        String object = read(json);
        return show(Report.text(object), page, () -> Report.html(object));
    }

    @Command(name = "compare", description = "Compares two JSON reports.")
    int compare(
            @Parameters(index = "0", paramLabel = "A", description = "the earlier report") Path first,
            @Parameters(index = "1", paramLabel = "B", description = "the later report") Path second,
            @Mixin PageOption page)
            throws IOException {
        Comparison comparison = Comparison.of(read(first), read(second));
        return show(comparison.text(), page, comparison::html);
    }

    @Command(
            name = "merge",
            description =
                    "Merges the reports of runs, each of some experiments, into one record. A part may be a merged record."
                            + " Keeps the micro.txt of a part.")
    int merge(
            @Parameters(paramLabel = "PART", arity = "1..*", description = "records or JSON reports, in order")
                    List<Path> parts,
            @Option(names = "--out", paramLabel = "FOLDER", required = true, description = "the new record")
                    Path folder)
            throws IOException {
        List<String> reports = new ArrayList<>();
        Map<String, String> micro = new HashMap<>();
        for (Path part : parts) {
            reports.add(read(part));
            if (Files.exists(part.resolve(Report.MICRO))) {
                micro.put(Report.MICRO, Files.readString(part.resolve(Report.MICRO)));
            }
        }
        MergedReport merged = MergedReport.of(
                reports,
                Experiments.all(io.millrace.lab.experiment.Parameters.DEFAULT).stream()
                        .map(Experiment::name)
                        .toList());
        RunRecord.requireNew(folder, merged.environment());
        Map<String, String> files = new HashMap<>(Report.record(merged.json()));
        files.putAll(micro);
        RunRecord.write(folder, files, merged.command(), merged.environment());
        return CommandLine.ExitCode.OK;
    }

    @Command(name = "micro", description = "Runs the JMH benchmarks of costs within a process, with options of JMH.")
    int micro(@Parameters(paramLabel = "OPTION", arity = "0..*", description = "such as -f 3") List<String> options)
            throws IOException {
        return MicroBenchmarks.run(out, progress, options == null ? new String[0] : options.toArray(String[]::new));
    }

    private static String read(Path json) throws IOException {
        Path file = Files.isDirectory(json) ? json.resolve("report.json") : json;
        if (!Files.isReadable(file)) {
            throw new LabException("the report cannot be read: file=" + file + ". Make one with --report.");
        }
        return Files.readString(file).stripTrailing();
    }

    private int show(String text, PageOption page, Supplier<String> html) throws IOException {
        page.requireWritable();
        page.write(html);
        if (page.file.isEmpty()) {
            out.print(text);
        }
        return CommandLine.ExitCode.OK;
    }
}
