// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ProcessContender;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.CpuTime;
import io.millrace.lab.server.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Runs one round of a contender in this JVM, as the runner does in other processes. */
public record RoundOnServer(RedisServer server, Parameters parameters, Path folder) {

    private static final CpuTime NO_TIME = new CpuTime(0, 0, 1);

    /** Parameters with {@code size} operations in one unit. */
    public static Parameters size(long size) {
        return new Parameters(
                OptionalLong.of(size),
                Optional.of(Duration.ofMillis(200)),
                OptionalInt.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                42,
                false);
    }

    /** Runs {@code units} units. The complaints of the sample come from the contender. */
    public Sample run(Scenario scenario, Contender contender, int units) throws Exception {
        var context = new WorkContext(server.target(), server.target(), parameters, folder);
        return switch (contender) {
            case JvmContender jvm -> run(jvm, scenario, context, units);
            case ProcessContender process -> run(process.program(), scenario, context);
        };
    }

    /** The complaints of the contender, then the complaints of the check of the server. */
    public List<String> complaints(Scenario scenario, Sample sample) {
        var complaints = new ArrayList<>(sample.complaints());
        complaints.addAll(scenario.server().check().complaints(server, sample));
        return complaints;
    }

    private Sample run(JvmContender contender, Scenario scenario, WorkContext context, int units) throws Exception {
        try (var ready = contender.work().open(context)) {
            ready.prepare();
            empty(scenario);
            ready.fill();
            long operations = 0;
            for (int unit = 0; unit < units; unit++) {
                operations += ready.run();
            }
            return sample(operations, units, ready.details());
        }
    }

    private Sample run(ProcessContender.Program program, Scenario scenario, WorkContext context) throws Exception {
        program.prepare(context);
        try {
            empty(scenario);
            var ended = start(program.invocation(context), context.folder());
            return sample(program.operations(context), 1, program.details(context, ended));
        } finally {
            program.release(context);
        }
    }

    private void empty(Scenario scenario) {
        server.reset();
        scenario.server().fill().fill(server);
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

    private static Sample sample(long operations, int units, RoundDetails details) {
        return new Sample(
                1,
                1,
                operations,
                units,
                1,
                NO_TIME,
                Optional.empty(),
                Optional.empty(),
                details,
                List.of(),
                details.complaints());
    }

    /** {@code sample} with other numbers of succeeded operations and of units. */
    public static Sample with(Sample sample, long operations, int units) {
        return sample(operations, units, sample.details());
    }
}
