// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.run.Measured;
import io.millrace.lab.run.News;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.Trace;
import io.millrace.lab.run.WarmContender;
import io.millrace.lab.tasks.Approach;
import io.millrace.lab.tasks.Overseer;
import io.millrace.lab.tasks.Pace;
import io.millrace.lab.tasks.Plan;
import io.millrace.lab.tasks.Scenario;
import io.millrace.lab.tasks.TaskLibrary;
import io.millrace.lab.tasks.TaskLibrary.Described;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** A library that goes through a scenario by one of its approaches. */
record WaitingThrough(TaskLibrary library, Plan plan, Described<Approach> approach, Pace pace)
        implements WarmContender {

    /** A hundredth of the waits, of the scenario with the shortest: all code has been run then, and a tenth of a second is gone. */
    private static final int WARM_UP_THOUSANDTHS = 10;

    /** The approaches that have been warmed up in this JVM, in whichever scenario. */
    private static final Set<String> WARM = ConcurrentHashMap.newKeySet();

    @Override
    public String name() {
        return library.name();
    }

    @Override
    public String variant() {
        return plan.word();
    }

    /** All that a library does, it does in one JVM. */
    @Override
    public String jvm() {
        return name();
    }

    @Override
    public String note() {
        return approach.note();
    }

    @Override
    public Optional<String> unfair() {
        return approach.unfair();
    }

    @Override
    public Rounds open(Task task) throws Exception {
        long seed = Long.parseLong(task.input(WaitingTasks.SEED));
        if (!WARM.contains(label())) {
            var warmUp = Pace.SLOW_PRODUCER.scenario(seed, WARM_UP_THOUSANDTHS, plan.producers());
            approach.way().run(warmUp, new Overseer(warmUp));
            WARM.add(label()); // one that failed is to fail again
        }
        return new Watched(approach.way(), pace.scenario(seed, task.operations(), plan.producers()));
    }

    /** Rounds of one approach under an overseer, who also tells how they go. */
    static final class Watched implements Rounds {

        /** Often enough for a rhythm, seldom enough to cost nothing. */
        private static final long TELL_EVERY_MILLIS = 100;

        private final Approach approach;
        private final Scenario scenario;
        private Consumer<News> listener = news -> {};
        private Overseer overseer;

        Watched(Approach approach, Scenario scenario) {
            this.approach = approach;
            this.scenario = scenario;
            this.overseer = new Overseer(scenario);
        }

        @Override
        public void watch(Consumer<News> news) {
            listener = news;
        }

        @Override
        public Optional<Outcomes> run() throws Exception {
            var current = new Overseer(scenario);
            overseer = current;
            try (var clock = Executors.newSingleThreadScheduledExecutor()) {
                var ticks = clock.scheduleAtFixedRate(
                        () -> listener.accept(current.step()),
                        TELL_EVERY_MILLIS,
                        TELL_EVERY_MILLIS,
                        TimeUnit.MILLISECONDS);
                approach.run(scenario, current);
                ticks.cancel(false);
            }
            listener.accept(current.step()); // what came since the last tick; the clock's thread has ended
            int consumed = current.consumed();
            return Optional.of(new Outcomes(consumed, 0, 0, 0, scenario.tasks() - consumed));
        }

        @Override
        public List<String> complaints() {
            return overseer.complaints();
        }

        @Override
        public Optional<Trace> trace() {
            return Optional.of(overseer.trace());
        }

        @Override
        public Map<String, Double> figures() {
            return Map.of(Measured.OPERATIONS, (double) scenario.tasks());
        }

        @Override
        public void close() {}
    }
}
