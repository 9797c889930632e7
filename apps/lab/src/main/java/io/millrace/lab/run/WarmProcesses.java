// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The JVMs of the warm contenders of one workload, or of several, each started when the first of those that share it is
 * opened. Used by one thread.
 */
public final class WarmProcesses implements AutoCloseable {

    private final Map<String, WarmProcess> byName = new HashMap<>();

    /** Opens {@code contender} in its JVM. */
    Entrant open(WarmContender contender, Task task) {
        if (contender.isFreshEachRound()) {
            return new Fresh(contender, task);
        }
        var process = byName.compute(
                contender.jvm(),
                (name, running) -> running != null && running.isAlive() ? running : WarmProcess.take(contender));
        process.open(task);
        return new Guest(process, contender.label());
    }

    /** One of those that live in a JVM. */
    private record Guest(WarmProcess process, String label) implements Entrant {

        @Override
        public void prepare() {
            process.prepare(label);
        }

        @Override
        public void fill() {
            process.fill(label);
        }

        @Override
        public Measured round(Consumer<News> live) {
            return process.round(label, live);
        }

        @Override
        public void close() {
            process.close(label);
        }
    }

    /** A new JVM for each round; its start and its opening are not timed. */
    private static final class Fresh implements Entrant {

        private final WarmContender contender;
        private final Task task;
        private Optional<WarmProcess> process = Optional.empty();

        Fresh(WarmContender contender, Task task) {
            this.contender = contender;
            this.task = task;
        }

        @Override
        public void prepare() {
            close();
            var started = WarmProcess.start(contender);
            process = Optional.of(started);
            started.open(task);
            started.prepare(contender.label());
        }

        @Override
        public void fill() {
            process.orElseThrow().fill(contender.label());
        }

        @Override
        public Measured round(Consumer<News> live) {
            try {
                return process.orElseThrow().round(contender.label(), live);
            } finally {
                close();
            }
        }

        @Override
        public void close() {
            process.ifPresent(WarmProcess::close);
            process = Optional.empty();
        }
    }

    @Override
    public void close() {
        byName.values().forEach(WarmProcess::close);
    }
}
