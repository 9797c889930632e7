// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tasks;

import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Scenario;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Experiment {@code e4}: how tasks get from producers to consumers. Three scenarios of tasks that wait, tasks that
 * block, and blocking takes on two threads. There is no Redis in this experiment.
 */
public final class TaskExperiment {

    /** Wall time divided by the ideal. */
    private static final Figure TIMES_IDEAL = sample -> {
        Double ideal = sample.details().figures().get(TaskWork.IDEAL_SECONDS);
        return ideal == null ? OptionalDouble.empty() : OptionalDouble.of(sample.wallSeconds() / ideal);
    };

    private static final double MAX_TIMES_IDEAL = 1.05;

    /** The only modes of a quick run in the scenarios with the longer waits. */
    private static final Set<ApproachMode> QUICK = EnumSet.of(ApproachMode.UNORDERED);

    /** The only modes of a quick run with the slow producer: one of each kind. */
    private static final Set<ApproachMode> QUICK_SLOW_PRODUCER = EnumSet.of(
            ApproachMode.BATCH,
            ApproachMode.STREAM_ORDERED,
            ApproachMode.TWO_PRODUCERS_QUEUE,
            ApproachMode.UNORDERED,
            ApproachMode.TEN_PRODUCERS);

    private TaskExperiment() {}

    public static Experiment of(Parameters parameters) {
        List<Scenario> scenarios = Stream.concat(
                        Arrays.stream(Pace.values()).map(pace -> waiting(pace, parameters)),
                        Stream.concat(blocked(parameters), Stream.of(deadlock(parameters))))
                .toList();
        return new Experiment(
                "e4",
                "Task processing",
                "How do tasks get from producers to consumers without idle consumers, blocked threads and deadlocks?",
                scenarios);
    }

    /** The waits of all scenarios, for the JSON. */
    public static List<TaskScenario.Waits> waits(Parameters parameters) {
        return Arrays.stream(Pace.values())
                .flatMap(pace -> modes(pace, parameters).stream()
                        .map(ApproachMode::producers)
                        .distinct()
                        .sorted()
                        .map(producers -> pace.scenario(parameters, producers).waits()))
                .toList();
    }

    private static Scenario waiting(Pace pace, Parameters parameters) {
        Scenario.Builder builder = Scenario.named(pace.word(), pace.title())
                .unit("tasks")
                .plan(plan(parameters)
                        .withExpectedUnit(pace.scenario(parameters, 1).ideal()))
                .figure("ideal", Figure.own(TaskWork.IDEAL_SECONDS))
                .figure("time / ideal", TIMES_IDEAL);
        for (ApproachMode mode : modes(pace, parameters)) {
            for (TaskLibrary library : TaskLibraries.ALL) {
                TaskLibrary.Described described = library.approaches().get(mode);
                if (described != null) {
                    builder.contender(new JvmContender(
                            new Description(library.name(), mode.word(), described.note(), library.documentation()),
                            new TaskWork(described.approach(), pace, mode.producers())));
                }
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
        if (!parameters.quick()) {
            return EnumSet.allOf(ApproachMode.class);
        }
        return pace == Pace.SLOW_PRODUCER ? QUICK_SLOW_PRODUCER : QUICK;
    }

    /** Nearly all of a round is waits, which are the same in each round, so a quick run has only one. */
    private static RoundPlan plan(Parameters parameters) {
        return parameters.quick() ? RoundPlan.ONE_UNIT.withRounds(1) : RoundPlan.ONE_UNIT;
    }

    private static Stream<Scenario> blocked(Parameters parameters) {
        return Stream.of(1_000, 10_000).limit(parameters.quick() ? 1 : 2).map(tasks -> blocked(tasks, parameters));
    }

    /** Each round has a new JVM, because a JVM keeps the memory of an earlier round. */
    private static Scenario blocked(int tasks, Parameters parameters) {
        return Scenario.named("blocked-" + tasks, tasks + " consumers that block at the same time")
                .unit("tasks")
                .plan(RoundPlan.ONE_UNIT.withForks(parameters.quick() ? 1 : 3).withRounds(1))
                .figure("max threads", Figure.own(BlockedTasks.MAX_THREADS))
                .figure("peak memory MB", Figure.own(BlockedTasks.PEAK_RSS))
                .figure("peak heap MB", Figure.own(BlockedTasks.PEAK_HEAP))
                .figure("all blocked after s", Figure.own(BlockedTasks.BLOCKED_AFTER))
                .contenders(BlockingPools.contenders(tasks))
                .build();
    }

    private static Scenario deadlock(Parameters parameters) {
        return Scenario.named("deadlock", "Blocking takes on two threads")
                .unit("tasks")
                .plan(plan(parameters).withRounds(1))
                .figure("deadlocks", Figure.own("deadlocks"))
                .contenders(BlockingTakes.contenders())
                .build();
    }
}
