// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.run.Contender;
import io.millrace.lab.run.Inputs;
import io.millrace.lab.run.Run;
import io.millrace.lab.run.Serverless;
import io.millrace.lab.run.Size;
import io.millrace.lab.tasks.Ideal;
import io.millrace.lab.tasks.Pace;
import io.millrace.lab.tasks.Plan;
import io.millrace.lab.tasks.Scenario;
import io.millrace.lab.tasks.TaskLibraries;
import io.millrace.lab.tasks.TaskLibrary;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * A scenario of tasks that wait, and every library's approaches to it.
 *
 * @param seed of the waits
 * @param glance whether only some of the plans are gone through
 */
public record WaitingTasks(Pace pace, long seed, boolean glance) implements Serverless {

    /** One of each kind where they differ most; elsewhere the fastest. */
    private static final Map<Pace, Set<Plan>> AT_A_GLANCE = Map.of(
            Pace.SLOW_PRODUCER,
            Set.of(Plan.BATCH, Plan.STREAM_ORDERED, Plan.TWO_PRODUCERS_QUEUE, Plan.UNORDERED, Plan.TEN_PRODUCERS),
            Pace.BALANCED,
            Set.of(Plan.UNORDERED),
            Pace.SLOW_CONSUMER,
            Set.of(Plan.UNORDERED));

    private static final Set<String> BATCHES_AT_A_GLANCE = Set.of("fs2", "millrace");

    /** The input for the seed. */
    static final String SEED = "seed";

    @Override
    public String name() {
        return pace.word();
    }

    @Override
    public String experiment() {
        return "e4";
    }

    @Override
    public String variant(Contender contender) {
        return name() + "/" + contender.variant();
    }

    /** Thousandths of the full waits. */
    @Override
    public long operations(Size size) {
        return Math.min(Pace.FULL, size.operations());
    }

    /** None: contenders go through a much shorter scenario when they are opened. */
    @Override
    public int warmUps() {
        return 0;
    }

    /** A fifth: next to all of a round is waits that are the same each time, and five rounds of all would take more than an hour. */
    @Override
    public int rounds(int asked) {
        return Math.max(1, asked / 5);
    }

    /** Plan by plan, so that those who do the same come one after the other. */
    @Override
    public List<Contender> contenders() {
        return Arrays.stream(Plan.values())
                .filter(this::isGoneThrough)
                .flatMap(plan -> TaskLibraries.all().stream()
                        .filter(library -> isSeen(plan, library))
                        .flatMap(library -> Optional.ofNullable(
                                        library.approaches().get(plan))
                                .stream()
                                .<Contender>map(approach -> new WaitingThrough(library, plan, approach, pace))))
                .toList();
    }

    /** Batch by batch all take as long as each other: at a glance two are enough. */
    private boolean isSeen(Plan plan, TaskLibrary library) {
        return !glance || plan != Plan.BATCH || BATCHES_AT_A_GLANCE.contains(library.name());
    }

    private boolean isGoneThrough(Plan plan) {
        return !glance || AT_A_GLANCE.getOrDefault(pace, Set.of()).contains(plan);
    }

    @Override
    public Inputs prepare(Path folder, long operations) {
        return Inputs.of(Map.of(SEED, Long.toString(seed)));
    }

    /** What {@code run} went through: the waits at its scale, and as many producers as its approach has. */
    public Optional<Scenario> scenario(Run run) {
        return run.contender() instanceof WaitingThrough waiting
                ? Optional.of(
                        pace.scenario(seed, run.operations(), waiting.plan().producers()))
                : Optional.empty();
    }

    @Override
    public OptionalDouble idealSeconds(Run run) {
        return scenario(run)
                .map(scenario -> OptionalDouble.of(Ideal.of(scenario).toNanos() / 1e9))
                .orElse(OptionalDouble.empty());
    }
}
