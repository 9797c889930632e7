// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.measure.WorkerMessages.Answer;
import io.millrace.lab.measure.WorkerMessages.Command;
import io.millrace.lab.measure.WorkerMessages.Kind;
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
    private final HeapWatch heap = new HeapWatch();
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
        answers.println(answer.line());
    }

    private Answer execute(String line) {
        try {
            return execute(WorkerMessages.JSON.readValue(line, Command.class));
        } catch (Exception | LinkageError | AssertionError | OutOfMemoryError | StackOverflowError e) {
            return Answer.of(Kind.FAILED, FailureText.of(e));
        }
    }

    private Answer execute(Command command) throws Exception {
        switch (command.action()) {
            case OPEN -> open(command.work(), command.opening().orElseThrow());
            case PREPARE -> work(command).prepare();
            case FILL -> work(command).fill();
            case RUN -> {
                return Answer.of(
                        Kind.MEASURED, run(work(command), command.limits().orElseThrow()));
            }
            case DETAILS -> {
                return Answer.of(Kind.DETAILS, work(command).details());
            }
            case CLOSE -> {
                ReadyWork work = opened.remove(command.work());
                if (work != null) {
                    work.close();
                }
            }
        }
        return Answer.of(Kind.DONE, "");
    }

    private void open(String key, Opening opening) throws Exception {
        Contender contender = source.experiment(
                        opening.experiment(), opening.context().parameters())
                .scenario(opening.scenario())
                .contender(opening.contender());
        if (!(contender instanceof JvmContender inJvm)) {
            throw new IllegalArgumentException("the contender is a process of its own: " + contender.label());
        }
        ReadyWork work = inJvm.work().open(opening.context());
        work.watch(event -> answer(Answer.of(event)));
        opened.put(key, work);
    }

    private ReadyWork work(Command command) {
        return Optional.ofNullable(opened.get(command.work()))
                .orElseThrow(() -> new IllegalArgumentException("the work is not open: " + command.work()));
    }

    /** Repeats the unit of work. Nothing else happens between two units. */
    private MeasuredPart run(ReadyWork work, Limits limits) throws Exception {
        heap.start();
        CpuTime before = ProcessCpu.now();
        long start = System.nanoTime();
        long operations = 0;
        int units = 0;
        long nanos;
        do {
            operations += work.run();
            units++;
            nanos = System.nanoTime() - start;
        } while (nanos < limits.minimumNanos() && units < limits.maxUnits());
        CpuTime client = ProcessCpu.now().minus(before);
        return new MeasuredPart(operations, units, nanos / 1e9, client, Optional.of(heap.use()));
    }
}
