// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import io.millrace.lab.run.ProcessContender.Ended;
import io.millrace.lab.run.ProcessContender.Invocation;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Starts a contender's process for each round and measures it from the outside. Used by one thread. */
final class WholeProcess implements Entrant {

    /** Longest round that is waited for: ten million rows on a slow machine, and then some. */
    static final Duration LIMIT = Duration.ofMinutes(30);

    private static final Duration LOOK_AT_MEMORY = Duration.ofMillis(250);

    private final ProcessContender contender;
    private final Task task;
    private final Path times;
    private final Path output;
    private final Path errors;

    /** The process of the current round; ended with this JVM, for which its children would go on otherwise. */
    private volatile Optional<Process> running = Optional.empty();

    private final EndWithJvm end = EndWithJvm.doing(() -> running.ifPresent(WholeProcess::end));

    private WholeProcess(ProcessContender contender, Task task) {
        this.contender = contender;
        this.task = task;
        var folder = Path.of(task.folder());
        this.times = folder.resolve("times");
        this.output = folder.resolve("output");
        this.errors = folder.resolve("errors");
    }

    static WholeProcess prepare(ProcessContender contender, Task task) {
        contender.prepare(task);
        return new WholeProcess(contender, task);
    }

    @Override
    public Measured round(Consumer<News> live) {
        var invocation = contender.invocation(task);
        try {
            long start = System.nanoTime();
            var process = start(invocation);
            running = Optional.of(process);
            var memory = await(process, invocation.watchMemory());
            double wall = (System.nanoTime() - start) / 1e9;
            running = Optional.empty();
            return measured(process, wall, memory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Process start(Invocation invocation) throws IOException {
        var builder = new ProcessBuilder(Shell.wrap(invocation.command()))
                .redirectInput(invocation.input().map(Path::toFile).orElse(new File("/dev/null")))
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile());
        builder.environment().putAll(invocation.environment());
        builder.environment().put(Shell.TIMES_VARIABLE, times.toString());
        return builder.start();
    }

    private ResidentMemory await(Process process, boolean watchMemory) {
        var memory = new ResidentMemory();
        long deadlineNanos = System.nanoTime() + LIMIT.toNanos();
        var step = watchMemory ? LOOK_AT_MEMORY : LIMIT;
        try {
            while (!process.waitFor(step.toMillis(), TimeUnit.MILLISECONDS)) {
                if (System.nanoTime() > deadlineNanos) {
                    end(process);
                    throw new LabException(contender.label() + " did not end: workload=" + task.workload() + ", waited="
                            + LIMIT.toMinutes() + " min. It was ended.");
                }
                memory.lookAt(process);
            }
        } catch (InterruptedException e) {
            end(process);
            Thread.currentThread().interrupt();
            throw new LabException("interrupted while " + contender.label() + " was running", e);
        }
        return memory;
    }

    private Measured measured(Process process, double wall, ResidentMemory memory) throws IOException {
        var ended = new Ended(process.exitValue(), Files.readString(output), Files.readString(errors));
        var account = contender.account(task, ended);
        var cpu = Shell.parse(Files.readString(times));
        Map<String, Double> figures = new HashMap<>(account.figures());
        memory.peakMebibytes().ifPresent(peak -> figures.put("peakResidentMebibytes", peak));
        return Measured.of(
                wall, cpu.user() + cpu.system(), OptionalDouble.of(cpu.system()), account.outcomes(), figures);
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    @Override
    public void close() {
        end.callOff();
    }
}
