// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.JvmContender.OwnClassPath;
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
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Starts worker JVMs. Usually each contender has its own worker, which ends with the contender. If shared, all
 * contenders of one library with the same JVM options and class path have one worker, because the start of a JVM and the
 * loading of a library take a second. Used by one thread.
 *
 * @param main calls {@link WorkerJvm#serve}
 * @param jars added to the class path of the workers
 */
record WorkerPool(Class<?> main, List<Path> jars, boolean shared, Map<List<String>, WorkerProcess> sharedWorkers)
        implements AutoCloseable {

    WorkerPool(Class<?> main, List<Path> jars, boolean shared) {
        this(main, jars, shared, new HashMap<>());
    }

    /** If shared, starts the workers of {@code contenders} without waiting, so that their JVMs start together. */
    void prepare(List<Contender> contenders) {
        if (shared) {
            inJvm(contenders).forEach(this::sharedWorker);
        }
    }

    /** Number of workers that {@code contenders} share; 0 if not shared. */
    long sharedBy(List<Contender> contenders) {
        return shared ? inJvm(contenders).map(this::key).distinct().count() : 0;
    }

    private static Stream<JvmContender> inJvm(List<Contender> contenders) {
        return contenders.stream().filter(JvmContender.class::isInstance).map(JvmContender.class::cast);
    }

    private List<String> key(JvmContender contender) {
        return List.of(
                contender.description().library(),
                String.join(" ", contender.jvmOptions()),
                contender.classPath().map(OwnClassPath::toString).orElse(""));
    }

    private List<String> command(JvmContender contender) {
        return contender
                .classPath()
                .map(own -> Programs.jvm(own.main(), contender.jvmOptions(), own.text()))
                .orElseGet(() -> Programs.jvm(main, contender.jvmOptions(), jars));
    }

    /** Opens the work of {@code contender}. */
    ReadyContender open(JvmContender contender, Opening opening, RoundPlan plan) {
        var worker = shared ? sharedWorker(contender) : WorkerProcess.start(opening.contender(), command(contender));
        var limits = new Limits(plan.minimum().toNanos(), plan.maxUnits());
        var ready = new InWorker(worker, opening, limits, shared);
        try {
            ready.ask(Action.OPEN);
            return ready;
        } catch (LabException e) {
            ready.abort();
            throw e;
        }
    }

    private WorkerProcess sharedWorker(JvmContender contender) {
        return sharedWorkers.compute(
                key(contender),
                (key, running) -> running != null && running.isAlive()
                        ? running
                        : WorkerProcess.start(contender.description().library(), command(contender)));
    }

    /** A contender in a worker. */
    private record InWorker(WorkerProcess worker, Opening opening, Limits limits, boolean shared)
            implements ReadyContender {

        private Answer ask(Action action) {
            return worker.ask(new Command(action, opening, limits), event -> {});
        }

        @Override
        public boolean isAlive() {
            return worker.isAlive();
        }

        @Override
        public void prepare() {
            ask(Action.PREPARE);
        }

        @Override
        public void fill() {
            ask(Action.FILL);
        }

        @Override
        public MeasuredPart run(Consumer<ProgressEvent> listener) {
            return worker.ask(new Command(Action.RUN, opening, limits), listener)
                    .measured()
                    .orElseThrow();
        }

        @Override
        public RoundDetails details() {
            return ask(Action.DETAILS).details().orElseThrow();
        }

        @Override
        public void close() {
            if (!worker.isAlive()) {
                return;
            }
            try {
                ask(Action.CLOSE);
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
