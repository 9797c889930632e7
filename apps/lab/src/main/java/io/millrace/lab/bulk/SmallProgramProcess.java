// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bulk;

import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.experiment.ProcessContender;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.WorkContext;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * {@link SmallProgram} as a process whose JVM starts fast: with an ahead-of-time cache, which is made once before the
 * first round as a deployment does, with the quick compiler only, and with the serial collector.
 */
public record SmallProgramProcess(long sets) implements ProcessContender.Program {

    private static final List<String> OPTIONS =
            List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xms64m", "-Xmx64m");
    private static final int FIRST_JAVA_WITH_CACHE = 25;

    /** Label {@code millrace/process}. */
    public static ProcessContender contender(long sets) {
        String note = "a main method with the BulkWriter and default options, with the start of the JVM: java "
                + (hasCache() ? "-XX:AOTCache=FILE " : "(without an ahead-of-time cache) ")
                + String.join(" ", OPTIONS);
        return new ProcessContender(
                new Description("millrace", "process", note, "docs/fusion.md"),
                new SmallProgramProcess(sets),
                target -> Optional.empty());
    }

    /** A cache holds classes from jars only. */
    private static boolean hasCache() {
        return Runtime.version().feature() >= FIRST_JAVA_WITH_CACHE
                && Stream.of(ExternalPrograms.CLASS_PATH.split(Pattern.quote(File.pathSeparator)))
                        .noneMatch(entry -> Files.isDirectory(Path.of(entry)));
    }

    @Override
    public void prepare(WorkContext context) throws IOException {
        if (hasCache()) {
            ExternalPrograms.run(
                    command("-XX:AOTCacheOutput=" + cache(context)),
                    Connections.environment(context.target()),
                    context.folder().resolve("training"));
        }
    }

    /** With {@code -XX:AOTMode=on}, the JVM fails if the cache does not fit, instead of ignoring the cache. */
    @Override
    public ProcessContender.Invocation invocation(WorkContext context) {
        var command = hasCache() ? command("-XX:AOTMode=on", "-XX:AOTCache=" + cache(context)) : command();
        return new ProcessContender.Invocation(command, Connections.environment(context.target()), Optional.empty());
    }

    private static Path cache(WorkContext context) {
        return context.folder().resolve("small-program.aot");
    }

    private List<String> command(String... options) {
        var command = new ArrayList<>(List.of(ExternalPrograms.java()));
        command.addAll(OPTIONS);
        command.addAll(List.of(options));
        command.addAll(List.of("-cp", ExternalPrograms.CLASS_PATH, SmallProgram.class.getName(), Long.toString(sets)));
        return command;
    }

    @Override
    public RoundDetails details(WorkContext context, ProcessContender.Ended ended) {
        var figures = ExternalPrograms.figures(ended.output());
        if (ended.exitCode() != 0 || !figures.containsKey("commands") || !figures.containsKey("batches")) {
            throw ExternalPrograms.failure("the small program failed", ended);
        }
        var fused = new FusedCalls(
                figures.getOrDefault("commands", 0.0).longValue(),
                figures.getOrDefault("batches", 0.0).longValue());
        return fused.addTo(RoundDetails.NONE.withOutcomes(Outcomes.ok(sets)));
    }

    @Override
    public long operations(WorkContext context) {
        return sets;
    }
}
