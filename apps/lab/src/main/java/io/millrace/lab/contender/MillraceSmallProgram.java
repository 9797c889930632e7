// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.contender;

import io.millrace.lab.SmallProgram;
import io.millrace.lab.run.FusedCalls;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.ProcessContender;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.Tools;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@link SmallProgram} as a process, its JVM started with what starts fastest: an ahead-of-time cache of loaded
 * classes, made once before the first round as a deployment would make it, the quick compiler alone, and the collector
 * with the least to set up.
 *
 * @param variant how it is called
 * @param keyPrefix what its keys begin with
 */
public record MillraceSmallProgram(String variant, String keyPrefix) implements ProcessContender {

    private static final List<String> FLAGS =
            List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xms64m", "-Xmx64m");
    private static final int FIRST_WITH_CACHE = 25;

    /** With keys that have no prefix, on a server of the bench's own. */
    public MillraceSmallProgram() {
        this("process", "");
    }

    @Override
    public String name() {
        return "millrace";
    }

    @Override
    public String note() {
        return "a main method with the BulkWriter, fused as by default, the start of the JVM included: java "
                + (hasCache() ? "-XX:AOTCache=… " : "(no ahead-of-time cache) ") + String.join(" ", FLAGS);
    }

    private static boolean hasCache() {
        return Runtime.version().feature() >= FIRST_WITH_CACHE
                && Tools.classPath().stream().noneMatch(Files::isDirectory); // a cache holds classes of jars alone
    }

    @Override
    public void prepare(Task task) {
        if (hasCache()) {
            Tools.run(
                    command(task, "-XX:AOTCacheOutput=" + cache(task)),
                    environment(task),
                    Path.of(task.folder(), "training"));
        }
    }

    @Override
    public Invocation invocation(Task task) {
        // With the mode "on" a cache that does not fit is an error, where otherwise it would be left aside in silence.
        var command = hasCache() ? command(task, "-XX:AOTMode=on", "-XX:AOTCache=" + cache(task)) : command(task);
        return new Invocation(command, environment(task), Optional.empty(), false);
    }

    private static Map<String, String> environment(Task task) {
        return task.endpoint()
                .password()
                .map(password -> Map.of(SmallProgram.PASSWORD_VARIABLE, password))
                .orElse(Map.of());
    }

    private static Path cache(Task task) {
        return Path.of(task.folder(), "small-program.aot");
    }

    private List<String> command(Task task, String... more) {
        var command = new ArrayList<>(List.of(Tools.java()));
        command.addAll(FLAGS);
        command.addAll(List.of(more));
        command.addAll(List.of("-cp", Tools.classPathText(), SmallProgram.class.getName()));
        command.addAll(List.of(task.host(), Integer.toString(task.port()), Long.toString(task.operations())));
        command.addAll(List.of(Integer.toString(task.endpoint().database()), keyPrefix));
        task.endpoint().username().ifPresent(command::add);
        return command;
    }

    @Override
    public Account account(Task task, Ended ended) {
        if (ended.exit() != 0) {
            throw new LabException("the small program failed: exit=" + ended.exit() + ", said="
                    + (ended.errors() + ended.output()).strip());
        }
        var said = SaidFigures.in(ended.output());
        var fused =
                Map.of(FusedCalls.COMMANDS, said.of(FusedCalls.COMMANDS), FusedCalls.RUNS, said.of(FusedCalls.RUNS));
        return new Account(Optional.of(Outcomes.answered(task.operations(), 0)), fused);
    }
}
