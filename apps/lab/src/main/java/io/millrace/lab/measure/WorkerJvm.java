// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.measure.WorkerMessages.Action;
import io.millrace.lab.measure.WorkerMessages.Answer;
import io.millrace.lab.measure.WorkerMessages.Command;
import io.millrace.lab.measure.WorkerMessages.Limits;
import io.millrace.lab.measure.WorkerMessages.MeasuredPart;
import io.millrace.lab.measure.WorkerMessages.Opening;
import io.millrace.lab.server.CpuTime;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** The main loop of a worker JVM: reads commands, does the work, writes answers. See {@link WorkerMessages}. */
public final class WorkerJvm {

    private final ExperimentSource source;
    private final PrintStream answers;
    private final UsageMeter usage = new UsageMeter();
    private final Map<String, ReadyWork> opened = new HashMap<>();

    private WorkerJvm(ExperimentSource source, PrintStream answers) {
        this.source = source;
        this.answers = answers;
    }

    /** Builds experiments by name. */
    @FunctionalInterface
    public interface ExperimentSource {

        /**
         * Builds the same experiment in the lab and in a worker.
         *
         * @throws RuntimeException if there is no experiment {@code name}
         */
        Experiment experiment(String name, Parameters parameters);
    }

    /** Executes the commands on the standard input. Ends this JVM at the end of the input. Does not return. */
    public static void serve(ExperimentSource source) throws InterruptedException {
        var answers = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
        System.setOut(System.err); // Text that a library prints must not mix with answers.
        FirstWarnings.install();
        BlockingQueue<String> lines = new LinkedBlockingQueue<>();
        Thread.ofPlatform().daemon().name("lab-input").start(() -> read(lines));
        var worker = new WorkerJvm(source, answers);
        while (true) {
            worker.answer(worker.execute(lines.take()));
        }
    }

    /** Reads the input. The end of the input means that the lab has ended, so the work of a running round ends too. */
    private static void read(BlockingQueue<String> lines) {
        try (var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                lines.add(line);
            }
            System.exit(0);
        } catch (IOException e) {
            System.err.println("worker: the input cannot be read: " + e.getMessage());
            System.exit(1);
        }
    }

    private void answer(Answer answer) {
        answers.println(WorkerMessages.ANSWER + WorkerMessages.JSON.writeValueAsString(answer));
    }

    private Answer execute(String line) {
        try {
            return execute(WorkerMessages.JSON.readValue(line, Command.class));
        } catch (Exception | LinkageError | AssertionError | OutOfMemoryError | StackOverflowError e) {
            return Answer.failed(FailureText.of(e));
        }
    }

    private Answer execute(Command command) throws Exception {
        String key = command.work().key();
        if (command.action() == Action.OPEN) {
            opened.put(key, open(command.work()));
            return Answer.DONE;
        }
        ReadyWork work = Optional.ofNullable(opened.get(key))
                .orElseThrow(() -> new IllegalArgumentException("the work is not open: " + key));
        switch (command.action()) {
            case OPEN -> throw new AssertionError("see above");
            case PREPARE -> work.prepare();
            case FILL -> work.fill();
            case RUN -> {
                return Answer.of(run(work, command.limits()));
            }
            case DETAILS -> {
                return Answer.of(work.details());
            }
            case CLOSE -> {
                opened.remove(key);
                work.close();
            }
        }
        return Answer.DONE;
    }

    private ReadyWork open(Opening opening) throws Exception {
        var contender = source.experiment(
                        opening.experiment(), opening.context().parameters())
                .scenario(opening.scenario())
                .contender(opening.contender());
        if (!(contender instanceof JvmContender inJvm)) {
            throw new IllegalArgumentException("the contender is a process of its own: " + contender.label());
        }
        ReadyWork work = inJvm.work().open(opening.context());
        work.watch(event -> answer(Answer.of(event)));
        return work;
    }

    /** Repeats the unit of work. Nothing else happens between two units. */
    private MeasuredPart run(ReadyWork work, Limits limits) throws Exception {
        usage.start();
        CpuTime before = UsageMeter.cpu();
        long start = System.nanoTime();
        long operations = 0;
        int units = 0;
        long nanos;
        do {
            operations += work.run();
            units++;
            nanos = System.nanoTime() - start;
        } while (nanos < limits.minimumNanos() && units < limits.maxUnits());
        CpuTime client = UsageMeter.cpu().minus(before);
        return new MeasuredPart(operations, units, nanos / 1e9, client, Optional.of(usage.memory()));
    }
}
