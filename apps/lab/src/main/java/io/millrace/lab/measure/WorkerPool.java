// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.ProgressEvent;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.measure.WorkerMessages.Action;
import io.millrace.lab.measure.WorkerMessages.Answer;
import io.millrace.lab.measure.WorkerMessages.Command;
import io.millrace.lab.measure.WorkerMessages.Limits;
import io.millrace.lab.measure.WorkerMessages.MeasuredPart;
import io.millrace.lab.measure.WorkerMessages.Opening;
import io.millrace.lab.server.LabException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Starts worker JVMs. Usually each contender has its own worker, which ends with the contender. If shared, all
 * contenders of one library with the same JVM options have one worker, because the start of a JVM takes a second. Used
 * by one thread.
 */
final class WorkerPool implements AutoCloseable {

    private final Class<?> main;
    private final List<Path> jars;
    private final boolean shared;
    private final Map<List<String>, WorkerProcess> sharedWorkers = new HashMap<>();

    /**
     * @param main calls {@link WorkerJvm#serve}
     * @param jars added to the class path of the workers
     */
    WorkerPool(Class<?> main, List<Path> jars, boolean shared) {
        this.main = main;
        this.jars = List.copyOf(jars);
        this.shared = shared;
    }

    /** Opens the work of {@code contender}. */
    ReadyContender open(JvmContender contender, Opening opening, RoundPlan plan) {
        String library = contender.description().library();
        List<String> command = Programs.jvm(main, contender.jvmOptions(), jars);
        String key = opening.experiment() + "/" + opening.scenario() + "/" + opening.contender();
        WorkerProcess worker = shared
                ? sharedWorkers.compute(
                        List.of(library, String.join(" ", command)),
                        (ignored, running) ->
                                running != null && running.isAlive() ? running : WorkerProcess.start(library, command))
                : WorkerProcess.start(opening.contender(), command);
        var ready = new InWorker(worker, key, Limits.of(plan), shared);
        try {
            ready.ask(new Command(Action.OPEN, key, Optional.of(opening), Optional.empty()));
            return ready;
        } catch (LabException e) {
            ready.abort();
            throw e;
        }
    }

    /** A contender in a worker. */
    private record InWorker(WorkerProcess worker, String key, Limits limits, boolean shared) implements ReadyContender {

        private Answer ask(Command command) {
            return worker.ask(command, event -> {});
        }

        private Command command(Action action) {
            return new Command(action, key, Optional.empty(), Optional.empty());
        }

        @Override
        public boolean isAlive() {
            return worker.isAlive();
        }

        @Override
        public void prepare() {
            ask(command(Action.PREPARE));
        }

        @Override
        public void fill() {
            ask(command(Action.FILL));
        }

        @Override
        public MeasuredPart run(Consumer<ProgressEvent> listener) {
            return worker.ask(new Command(Action.RUN, key, Optional.empty(), Optional.of(limits)), listener)
                    .value(MeasuredPart.class);
        }

        @Override
        public RoundDetails details() {
            return ask(command(Action.DETAILS)).value(RoundDetails.class);
        }

        @Override
        public void close() {
            if (!worker.isAlive()) {
                return;
            }
            try {
                ask(command(Action.CLOSE));
            } finally {
                if (!shared) {
                    worker.close();
                }
            }
        }

        /** Kills the worker. Contenders that share the worker are opened again, in another worker. */
        @Override
        public void abort() {
            worker.kill();
        }
    }

    @Override
    public void close() {
        sharedWorkers.values().forEach(WorkerProcess::close);
        sharedWorkers.clear();
    }
}
