// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import io.millrace.lab.experiment.ProcessContender;
import io.millrace.lab.experiment.ProcessContender.Ended;
import io.millrace.lab.experiment.ProcessContender.Invocation;
import io.millrace.lab.experiment.ProcessContender.Program;
import io.millrace.lab.experiment.ProgressEvent;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.measure.WorkerMessages.MeasuredPart;
import io.millrace.lab.server.CpuTime;
import io.millrace.lab.server.EndWithJvm;
import io.millrace.lab.server.LabException;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Measures a process from its start to its exit, once per round. Used by one thread.
 *
 * <p>A shell starts the process, because a JVM cannot read the CPU time of an ended child process: the shell writes the
 * times of its children to a file. The shell adds one or two milliseconds of wall time to each process.
 */
final class ProcessRound implements ReadyContender {

    /** Figure: the largest resident memory of the process, for a process that runs for more than a second. */
    static final String PEAK_MEMORY = "peakResidentMebibytes";

    private static final String SCRIPT = "\"$@\"; code=$?; times > \"$MILLRACE_LAB_TIMES\"; exit $code";
    private static final Pattern TIME = Pattern.compile("(\\d+)m(\\d+)[.,](\\d+)s");

    private final ProcessContender contender;
    private final WorkContext context;
    private final EndWithJvm end = EndWithJvm.run(this::kill);
    private Invocation invocation = Invocation.of(List.of());
    private Optional<Ended> ended = Optional.empty();
    private double peakMebibytes;
    private boolean isReleased;

    /** The process of the current round. Read by the thread that ends this JVM. */
    private volatile Optional<Process> running = Optional.empty();

    private ProcessRound(ProcessContender contender, WorkContext context) {
        this.contender = contender;
        this.context = context;
    }

    static ProcessRound open(ProcessContender contender, WorkContext context) {
        var round = new ProcessRound(contender, context);
        try {
            contender.program().prepare(context);
            return round;
        } catch (Exception e) {
            round.abort(); // The first part of the preparation may run already.
            throw switch (e) {
                case RuntimeException unchecked -> unchecked;
                case InterruptedException interrupted -> new LabInterrupted();
                default ->
                    new LabException(
                            contender.label() + " cannot prepare its input: cause=" + FailureText.of(e)
                                    + ". Check the free space of " + context.folder() + ".",
                            e);
            };
        }
    }

    @Override
    public boolean isAlive() {
        return true;
    }

    @Override
    public void prepare() {
        invocation = contender.program().invocation(context);
        ended = Optional.empty();
        peakMebibytes = 0;
    }

    @Override
    public void fill() {}

    @Override
    public MeasuredPart run(Consumer<ProgressEvent> listener) {
        Program program = contender.program();
        Optional<Path> bash = Programs.find("bash"); // Only bash counts in milliseconds.
        try {
            long start = System.nanoTime();
            Process process = start(bash.map(Path::toString).orElse("/bin/sh"));
            running = Optional.of(process);
            await(process);
            double wallSeconds = (System.nanoTime() - start) / 1e9;
            running = Optional.empty();
            ended = Optional.of(
                    new Ended(process.exitValue(), Files.readString(file("output")), Files.readString(file("errors"))));
            CpuTime client = childTimes(Files.readString(file("times")), bash.isPresent() ? 0.001 : 0.01);
            return new MeasuredPart(program.operations(context), 1, wallSeconds, client, Optional.empty());
        } catch (IOException e) {
            throw new UncheckedIOException(contender.label() + " cannot be measured", e);
        }
    }

    private Path file(String name) {
        return context.folder().resolve(name);
    }

    private Process start(String shell) throws IOException {
        List<String> command = new ArrayList<>(List.of(shell, "-c", SCRIPT, "millrace-lab"));
        command.addAll(invocation.command());
        Files.deleteIfExists(file("times"));
        var builder = new ProcessBuilder(command)
                .redirectInput(invocation.input().map(Path::toFile).orElse(new File("/dev/null")))
                .redirectOutput(file("output").toFile())
                .redirectError(file("errors").toFile());
        builder.environment().putAll(invocation.environment());
        builder.environment().put("MILLRACE_LAB_TIMES", file("times").toString());
        return builder.start();
    }

    private void await(Process process) {
        long deadlineNanos = System.nanoTime() + TimeUnit.MINUTES.toNanos(LIMIT_MINUTES);
        try {
            while (!process.waitFor(1, TimeUnit.SECONDS)) {
                peakMebibytes = Math.max(peakMebibytes, peakMebibytes(process));
                if (System.nanoTime() > deadlineNanos) {
                    kill();
                    throw new LabException(
                            contender.label() + " did not end within " + LIMIT_MINUTES + " min. It was killed.");
                }
            }
        } catch (InterruptedException e) {
            kill();
            throw new LabInterrupted();
        }
    }

    /** Largest resident memory so far of the processes below {@code shell}; 0 if unknown. */
    private static double peakMebibytes(Process shell) {
        return shell.descendants()
                        .mapToLong(child -> {
                            Path status = Path.of("/proc", Long.toString(child.pid()), "status");
                            try (Stream<String> lines = Files.lines(status)) {
                                return lines.filter(line -> line.startsWith("VmHWM:"))
                                        .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                                        .findFirst()
                                        .orElse(0);
                            } catch (IOException | UncheckedIOException e) {
                                return 0; // The machine has no /proc, or the process has just ended.
                            }
                        })
                        .sum()
                / 1024.0;
    }

    /** Reads the output of {@code times}: one line for the shell, one line for its children. */
    static CpuTime childTimes(String text, double resolutionSeconds) {
        List<Double> seconds = text.lines()
                .skip(1)
                .flatMap(line -> TIME.matcher(line).results())
                .map(ProcessRound::seconds)
                .toList();
        if (seconds.size() != 2) {
            throw new LabException(
                    "the times of the shell cannot be read: " + text.strip().replace("\n", " | "));
        }
        return new CpuTime(seconds.get(0), seconds.get(1), resolutionSeconds);
    }

    private static double seconds(MatchResult time) {
        return 60 * Integer.parseInt(time.group(1)) + Double.parseDouble(time.group(2) + "." + time.group(3));
    }

    @Override
    public RoundDetails details() {
        RoundDetails details = contender.program().details(context, ended.orElseThrow());
        return peakMebibytes > 0 ? details.withFigure(PEAK_MEMORY, peakMebibytes) : details;
    }

    private void kill() {
        running.ifPresent(process -> {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        });
    }

    @Override
    public void close() {
        end.cancel();
        if (isReleased) {
            return;
        }
        isReleased = true;
        boolean interrupted = Thread.interrupted(); // The release may wait, for example for a server to end.
        try {
            contender.program().release(context);
        } catch (Exception e) {
            throw new LabException(contender.label() + " cannot end its preparation: cause=" + FailureText.of(e), e);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void abort() {
        kill();
        try {
            close();
        } catch (LabException e) {
            System.err.println("lab: " + e.getMessage()); // The first failure of the contender is thrown.
        }
    }
}
