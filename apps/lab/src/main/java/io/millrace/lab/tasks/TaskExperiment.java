// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ProgressEvent;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.WorkContext;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Experiment {@code e4}: how tasks get from producers to consumers. Three scenarios of tasks that wait, tasks that
 * block, and blocking takes on two threads. There is no Redis in this experiment.
 */
public final class TaskExperiment {

    /** The name of the experiment. */
    public static final String NAME = "e4";

    private static final String IDEAL_SECONDS = "idealSeconds";

    /** Wall time divided by the ideal. */
    private static final Figure TIMES_IDEAL = sample -> {
        Double ideal = sample.details().figures().get(IDEAL_SECONDS);
        return ideal == null ? OptionalDouble.empty() : OptionalDouble.of(sample.wallSeconds() / ideal);
    };

    private static final double MAX_TIMES_IDEAL = 1.05;
    private static final int WARM_UP_DIVISOR = 100;

    private TaskExperiment() {}

    public static Experiment of(Parameters parameters) {
        Stream<Scenario> waiting = Arrays.stream(Pace.values()).map(pace -> waiting(pace, parameters));
        // With a given size, both would be the same.
        Stream<Scenario> blocked = parameters.quick() || parameters.size().isPresent()
                ? Stream.of(blocked(1_000, parameters))
                : Stream.of(blocked(1_000, parameters), blocked(10_000, parameters));
        return new Experiment(
                NAME,
                "Task processing",
                "How do tasks get from producers to consumers without idle consumers, blocked threads and deadlocks?",
                Stream.of(waiting, blocked, Stream.of(deadlock()))
                        .flatMap(part -> part)
                        .toList());
    }

    /** The waits of each scenario for each number of producers, for the JSON report. */
    public static List<Map<String, Object>> waits(Parameters parameters) {
        return Arrays.stream(Pace.values())
                .flatMap(pace -> modes(pace, parameters).stream()
                        .map(ApproachMode::producers)
                        .distinct()
                        .sorted()
                        .map(producers -> pace.scenario(parameters, producers).json()))
                .toList();
    }

    /** Nearly all of a round is waits, which are the same in each round, so one process is enough. */
    private static Scenario waiting(Pace pace, Parameters parameters) {
        double meanMillis = modes(pace, parameters).stream()
                .mapToLong(mode ->
                        pace.scenario(parameters, mode.producers()).ideal().toMillis())
                .average()
                .orElseThrow();
        Scenario.Builder builder = Scenario.named(pace.word(), pace.title(parameters))
                .unit("tasks")
                .plan(RoundPlan.ONE_UNIT
                        .withRounds(parameters.quick() ? 1 : 5)
                        .withExpectedUnit(Duration.ofMillis((long) meanMillis)))
                .figure("ideal", Figure.own(IDEAL_SECONDS))
                .comparedBy("time / ideal", TIMES_IDEAL, true)
                .comparedByMode();
        for (ApproachMode mode : modes(pace, parameters)) {
            for (TaskLibrary library : TaskLibrary.ALL) {
                library.approaches()
                        .apply(mode)
                        .ifPresent(approach -> builder.contender(new JvmContender(
                                new Description(
                                        library.name(), mode.word(), library.settings(), library.documentation()),
                                context -> open(approach, pace, mode.producers(), context))));
            }
            if (mode.canReachIdeal()) {
                builder.bars(Bar.absolute(
                        mode.word() + ": time / ideal",
                        "millrace/" + mode.word(),
                        TIMES_IDEAL,
                        Bar.Limit.atMost(MAX_TIMES_IDEAL)));
            }
        }
        return builder.build();
    }

    private static Set<ApproachMode> modes(Pace pace, Parameters parameters) {
        Set<ApproachMode> modes = parameters.quick()
                ? switch (pace) {
                    case SLOW_PRODUCER -> EnumSet.of(ApproachMode.TWO_PRODUCERS_QUEUE);
                    case BALANCED -> EnumSet.of(ApproachMode.UNORDERED);
                    case SLOW_CONSUMER -> EnumSet.of(ApproachMode.STREAM_ORDERED);
                }
                : EnumSet.allOf(ApproachMode.class);
        modes.removeIf(mode -> !pace.measures(mode));
        return modes;
    }

    /** Opens the work after one run with a hundredth of the shortest waits, so that the classes are loaded. */
    private static ReadyWork open(Approach approach, Pace pace, int producers, WorkContext context) throws Exception {
        TaskScenario warmUp =
                Pace.SLOW_PRODUCER.scenario(context.parameters().seed(), Pace.TASKS, WARM_UP_DIVISOR, producers);
        approach.run(warmUp, new TaskRecorder(warmUp, event -> {}));
        return new Ready(approach, pace.scenario(context.parameters(), producers));
    }

    private static final class Ready implements ReadyWork {

        private final Approach approach;
        private final TaskScenario scenario;
        private Consumer<ProgressEvent> listener = event -> {};
        private TaskRecorder recorder;

        Ready(Approach approach, TaskScenario scenario) {
            this.approach = approach;
            this.scenario = scenario;
            this.recorder = new TaskRecorder(scenario, listener);
        }

        @Override
        public void watch(Consumer<ProgressEvent> newListener) {
            listener = newListener;
        }

        @Override
        public long run() throws Exception {
            recorder = new TaskRecorder(scenario, listener);
            approach.run(scenario, recorder);
            return recorder.consumedTasks();
        }

        @Override
        public RoundDetails details() {
            int consumed = recorder.consumedTasks();
            return RoundDetails.NONE
                    .withOutcomes(new Outcomes(consumed, 0, 0, 0, scenario.tasks() - consumed))
                    .withComplaints(recorder.complaints())
                    .withFigure(IDEAL_SECONDS, scenario.ideal().toNanos() / 1e9)
                    .withTrace(recorder.trace());
        }

        @Override
        public void close() {}
    }

    /** Each round has a new JVM, because a JVM keeps the memory of an earlier round. */
    private static Scenario blocked(int usual, Parameters parameters) {
        int tasks = Math.toIntExact(parameters.size().orElse(usual));
        return Scenario.named("blocked-" + usual, tasks + " consumers that block at the same time")
                .unit("tasks")
                .plan(RoundPlan.ONE_UNIT
                        .withForks(parameters.quick() ? 1 : 5)
                        .withRounds(1)
                        .withExpectedUnit(Duration.ofMillis(200)))
                .figure("max threads", Figure.own(BlockedTasks.MAX_THREADS))
                .comparedBy("peak memory MB", Figure.own(BlockedTasks.PEAK_RSS), true)
                .figure("peak heap MB", Figure.own(BlockedTasks.PEAK_HEAP))
                .figure("all blocked after s", Figure.own(BlockedTasks.BLOCKED_AFTER))
                .contenders(BlockedTasks.contenders(tasks))
                .build();
    }

    private static Scenario deadlock() {
        return Scenario.named("deadlock", "Blocking takes on two threads")
                .unit("tasks")
                .plan(RoundPlan.ONE_UNIT.withRounds(1).withExpectedUnit(Duration.ofMillis(600)))
                .figure("deadlocks", Figure.own("deadlocks"))
                .notCompared()
                .contenders(DeadlockProbe.contenders())
                .build();
    }
}
