// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.experiment.Tuning;
import io.millrace.lab.report.Curve;
import io.millrace.lab.report.Environment;
import io.millrace.lab.report.Findings;
import io.millrace.lab.report.Findings.Setting;
import io.millrace.lab.report.Page;
import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Experiment;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.Run;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import redis.clients.jedis.exceptions.JedisException;

/** The lab's commands, and what becomes of them. */
@Command(
        name = "millrace lab",
        description =
                "Measures which way of talking to Redis is best on this server and network, Millrace beside its peers.",
        synopsisSubcommandLabel = "list | run NAME… | tune | report FILE",
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:measured",
            "1:a contender failed or left wrong data",
            "2:wrong options, or a server that cannot be used",
            "130:interrupted; the lab has taken its keys away"
        })
final class LabCommand implements Runnable {

    static final int INTERRUPTED = 130;

    @Option(names = "--help", usageHelp = true, description = "show this help", scope = CommandLine.ScopeType.INHERIT)
    @SuppressWarnings("UnusedVariable") // picocli looks at it
    private boolean help;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
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
        throw new ParameterException(spec.commandLine(), "say list, run, tune or report");
    }

    @Command(name = "list", description = "Lists the experiments, what each does, and who takes part.")
    int list() {
        for (var experiment : Experiments.all()) {
            out.println(experiment.name() + "  " + experiment.title() + ". " + experiment.description());
            for (var workload : experiment.workloads()) {
                var names = workload.contenders().stream()
                        .map(Contender::name)
                        .distinct()
                        .toList();
                out.println("    " + workload.name() + ": " + String.join(", ", names));
            }
        }
        return CommandLine.ExitCode.OK;
    }

    @Command(
            name = "run",
            description =
                    "Runs experiments, all of them if none is named. Contenders take turns; their data is checked.")
    int run(
            @Parameters(paramLabel = "NAME", arity = "0..*", description = "such as e1; see list") List<String> names,
            @Mixin ServerOptions serverOptions,
            @Mixin MeasureOptions measure,
            @Mixin PublishOptions publish)
            throws IOException {
        boolean all = names == null || names.isEmpty();
        var experiments =
                all ? Experiments.all() : names.stream().map(Experiments::named).toList();
        return measured(measure.asAsked(experiments, all), serverOptions, measure, publish);
    }

    @Command(
            name = "tune",
            description = "Sweeps connections, commands in flight and batches, and prints the settings to use.")
    int tune(@Mixin ServerOptions serverOptions, @Mixin MeasureOptions measure, @Mixin PublishOptions publish)
            throws IOException {
        return measured(List.of(Experiments.named("e8")), serverOptions, measure, publish);
    }

    @Command(name = "report", description = "Makes the page with plots of a JSON report.")
    int report(
            @Parameters(paramLabel = "FILE", description = "the JSON, as --report wrote it") Path json,
            @Option(names = "--html", paramLabel = "FILE", required = true, description = "where the page goes")
                    Path html)
            throws IOException {
        if (!Files.isReadable(json)) {
            throw new LabException("the report cannot be read: file=" + json + ". Make one with --report.");
        }
        PublishOptions.requireWritable("--html", html);
        // The line that ends the file is not of the object: the page is to be the one that came with it.
        Files.writeString(html, Page.of(Files.readString(json).stripTrailing()), StandardCharsets.UTF_8);
        return CommandLine.ExitCode.OK;
    }

    private int measured(
            List<Experiment> experiments, ServerOptions serverOptions, MeasureOptions measure, PublishOptions publish)
            throws IOException {
        var rounds = measure.rounds();
        var roundTrips = measure.roundTrips();
        var chosen = measure.chosen(experiments);
        experiments.forEach(measure::sizeOf);
        publish.requireWritable();
        var screen = new TerminalProgress(progress, TerminalProgress.columnsOfError());
        var runs = new ArrayList<Run>();
        try (var interruption = Interruption.ofThisThread();
                var session = Session.open(serverOptions.open(), roundTrips, rounds, screen)) {
            var curves = new ArrayList<Curve>();
            var settings = new ArrayList<Setting>();
            var environment =
                    Environment.here(Clock.systemUTC(), session.server().version());
            try {
                for (var experiment : experiments) {
                    if (experiment instanceof Tuning) {
                        var tuner = new Tuner(session, measure.sizeOf(experiment), chosen);
                        tuner.tune();
                        runs.addAll(tuner.runs());
                        curves.addAll(tuner.curves());
                        settings.addAll(tuner.settings());
                    } else {
                        runs.addAll(session.run(experiment, measure.sizeOf(experiment), chosen));
                    }
                }
            } catch (LabException | JedisException e) {
                screen.line("lab: it ends early; what follows is what had been measured before");
                publish.publish(environment, findings(session, runs, curves, settings), out);
                throw e;
            }
            screen.end();
            publish.publish(environment, findings(session, runs, curves, settings), out);
        }
        return runs.stream().allMatch(Run::verified) ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private Findings findings(Session session, List<Run> runs, List<Curve> curves, List<Setting> settings) {
        return new Findings(typed, runs, session.missing(), session.delays(), curves, settings);
    }
}
