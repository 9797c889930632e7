// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.Result;
import io.millrace.lab.measure.Environment;
import io.millrace.lab.measure.Interruption;
import io.millrace.lab.measure.ProgressLine;
import io.millrace.lab.measure.Session;
import io.millrace.lab.report.MeasuredRun;
import io.millrace.lab.report.Report;
import io.millrace.lab.statistics.BarVerdict;
import io.millrace.lab.statistics.BarVerdict.BarState;
import io.millrace.lab.tasks.TaskExperiment;
import io.millrace.lab.tune.TuneAdvice;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.OptionalInt;
import picocli.CommandLine;

/** One run: opens the server, measures, and publishes the results. */
record LabRun(
        ServerOptions server,
        MeasureOptions measure,
        PublishOptions publish,
        String command,
        PrintStream out,
        PrintStream progress) {

    /** The exit code of {@code --strict} if a limit is missed, or cannot be judged because a contender failed. */
    private static final int MISSED = 3;

    /** Measures the experiments called {@code names}, or all, and returns the exit code. */
    int run(List<String> names) throws IOException {
        List<Path> jars = measure.loadJars();
        Session.Options options = measure.sessionOptions(jars);
        List<Experiment> experiments = measure.experiments(names);
        boolean isComplete = names.isEmpty() && measure.isComplete();
        try (var interruption = Interruption.ofThisThread();
                var session = Session.open(server.open(), options, progressLine())) {
            Environment environment =
                    Environment.here(Clock.systemUTC(), session.server().version());
            publish.requireWritable(environment);
            progress.println("lab: " + experiments.size() + " experiments, about "
                    + Durations.rough(session.expected(experiments)));
            try {
                experiments.forEach(session::run);
            } catch (RuntimeException e) {
                progress.println("lab: the run ends early; the report has what was measured before");
                publish(session, environment, experiments, false);
                throw e;
            }
            publish(session, environment, experiments, isComplete);
            return exitCode(session.results());
        }
    }

    private ProgressLine progressLine() {
        return progress.equals(System.err)
                ? ProgressLine.onStandardError()
                : new ProgressLine(progress, OptionalInt.empty());
    }

    private void publish(Session session, Environment environment, List<Experiment> experiments, boolean isComplete)
            throws IOException {
        boolean isLocal = session.server().isOnThisMachine();
        var measured = new MeasuredRun(
                environment,
                command,
                isComplete,
                experiments,
                session.results(),
                session.missing(),
                session.addedRoundTrips(),
                experiments.stream().anyMatch(experiment -> experiment.name().equals(TaskExperiment.NAME))
                        ? TaskExperiment.waits(measure.parameters())
                        : List.of(),
                TuneAdvice.of(session.results(), isLocal, Parameters.DEFAULT.seed()));
        publish.publish(Report.json(measured), command, environment, out);
    }

    private int exitCode(List<Result> results) {
        if (!results.stream().allMatch(Result::isVerified)) {
            return CommandLine.ExitCode.SOFTWARE;
        }
        boolean isMissed = BarVerdict.of(results, Parameters.DEFAULT.seed()).stream()
                .anyMatch(verdict -> verdict.state() == BarState.MISSED || verdict.state() == BarState.UNKNOWN);
        return measure.isStrict() && isMissed ? MISSED : CommandLine.ExitCode.OK;
    }
}
