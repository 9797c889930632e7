// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ProcessContender;
import io.millrace.lab.experiment.RoundInThisJvm;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Runs one round of a contender in this JVM, as the runner does in other processes. */
public record RoundOnServer(RedisServer server, Parameters parameters, Path folder) {

    /** Parameters with {@code size} operations in one unit. */
    public static Parameters size(long size) {
        return Parameters.DEFAULT.withSize(size).withDuration(Duration.ofMillis(200));
    }

    /** Runs {@code units} units. The complaints of the sample come from the contender. */
    public Sample run(Scenario scenario, Contender contender, int units) throws Exception {
        return switch (contender) {
            case JvmContender jvm ->
                new RoundInThisJvm(server, parameters, folder).run(jvm.work(), scenario.server(contender), units);
            case ProcessContender process -> run(process.program(), scenario);
        };
    }

    /** The complaints of the contender, then the complaints of the check of the server. */
    public List<String> complaints(Scenario scenario, Sample sample) {
        return complaints(scenario.server(), sample);
    }

    /** The same for a contender that may need another server than the others. */
    public List<String> complaints(Scenario scenario, Contender contender, Sample sample) {
        return complaints(scenario.server(contender), sample);
    }

    private List<String> complaints(ServerUse use, Sample sample) {
        var complaints = new ArrayList<>(sample.complaints());
        complaints.addAll(use.check().complaints(server, sample));
        return complaints;
    }

    private Sample run(ProcessContender.Program program, Scenario scenario) throws Exception {
        var context = new WorkContext(server.target(), server.target(), parameters, folder);
        program.prepare(context);
        try {
            server.reset();
            scenario.server().fill().fill(server);
            var ended = start(program.invocation(context), context.folder());
            return RoundInThisJvm.sample(program.operations(context), 1, program.details(context, ended));
        } finally {
            program.release(context);
        }
    }

    private static ProcessContender.Ended start(ProcessContender.Invocation invocation, Path folder)
            throws IOException, InterruptedException {
        var output = Files.createTempFile(folder, "output", "");
        var errors = Files.createTempFile(folder, "errors", "");
        var builder = new ProcessBuilder(invocation.command())
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile());
        invocation.input().ifPresent(file -> builder.redirectInput(file.toFile()));
        builder.environment().putAll(invocation.environment());
        int exitCode = builder.start().waitFor();
        return new ProcessContender.Ended(exitCode, Files.readString(output), Files.readString(errors));
    }

    /** {@code sample} with other numbers of succeeded operations and of units. */
    public static Sample with(Sample sample, long operations, int units) {
        return RoundInThisJvm.sample(operations, units, sample.details());
    }
}
