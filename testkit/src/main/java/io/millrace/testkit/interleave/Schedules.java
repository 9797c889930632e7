// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.List;

/**
 * Runs a concurrent scenario in many schedules, each with another interleaving of its threads, to find schedules in
 * which it fails.
 *
 * {@snippet :
 * Schedules.of(TwoProducers.class).instrumenting("io.millrace.tasks").explore(5_000);
 * }
 *
 * <p>The classes of the scenario's package, and of other packages on request, are loaded again with a point before each
 * access that other threads could notice: fields that are not final, array elements, variable handles, atomics,
 * collections, locks, parking, interrupts. At a point the seed decides which thread runs next. The threads are virtual.
 * Exactly one of them runs at a time, and the schedule has its own time. A schedule fails when a thread throws, when no
 * thread can run, or when it does not end.
 *
 * <p>Interleavings are sequentially consistent. Errors that occur only under a weaker memory order are not found.
 *
 * <p>Woven code cannot use these while a schedule runs: {@code synchronized} and {@code Object.wait}, executors, {@code
 * new Thread}, read-write locks, barriers, asynchronous stages, sockets and files. Most of them are rejected with their
 * name. A seed does not repeat its schedule if the code uses other random numbers than {@link Schedule#random} and
 * {@code ThreadLocalRandom}, the order of hash tables over identity hash codes, or changing static fields. The message
 * of a failure says whether the same seed repeated the schedule.
 *
 * <p>Immutable. An exploration blocks the caller. Several explorations may run at the same time.
 */
public final class Schedules {

    /** System property with a seed. If it is set, explorations run the schedule of this seed only. */
    public static final String SEED = "millrace.seed";

    private final Class<? extends InterleavingScenario> scenario;
    private final SchedulePlan schedulePlan;

    private Schedules(Class<? extends InterleavingScenario> scenario, SchedulePlan schedulePlan) {
        this.scenario = scenario;
        this.schedulePlan = schedulePlan;
    }

    /** Creates schedules of {@code scenario} with points in the classes of its package and of the subpackages. */
    public static Schedules of(Class<? extends InterleavingScenario> scenario) {
        return new Schedules(scenario, SchedulePlan.DEFAULT);
    }

    /** Inserts points into the classes of these packages and of their subpackages too. */
    public Schedules instrumenting(String... packages) {
        return with(schedulePlan.packages(List.of(packages)));
    }

    /**
     * Number of steps after which a schedule fails as endless, 1 or more. The default is 20,000, a hundred times the
     * need of a small scenario.
     */
    public Schedules stepLimit(int steps) {
        return with(schedulePlan.stepLimit(steps));
    }

    /**
     * Inserts points only before volatile accesses and calls, not before accesses of plain fields and array elements.
     * Use this for code with much thread-private state: with fewer points, an exploration covers more of the relevant
     * interleavings. But it does not find a plain write that wrongly follows its publication.
     */
    public Schedules withoutPlainAccess() {
        return with(schedulePlan.withoutPlainAccess());
    }

    /**
     * Lets time leap to a deadline only when no thread can run. While a thread can run, time advances by the
     * microsecond of each step. By default, time also leaps at other points with some seeds.
     */
    public Schedules withSteadyTime() {
        return with(schedulePlan.withSteadyTime());
    }

    /**
     * Runs {@code count} schedules with new seeds, or only the schedule of the seed in the system property {@value
     * #SEED} if it is set.
     *
     * @throws ScheduleFailure at the first schedule that fails
     */
    public ExplorationStats explore(int count) {
        Long seed = Long.getLong(SEED);
        return seed == null ? explore(count, System.nanoTime()) : explore(1, seed);
    }

    /** Runs the schedules of {@code count} seeds from {@code firstSeed} on. Ignores the system property. */
    public ExplorationStats explore(int count, long firstSeed) {
        return explorer().explore(count, firstSeed);
    }

    /**
     * Runs the schedule of {@code seed} and returns its decisions. Each decision names a thread and the access with
     * which the thread continued.
     */
    public List<String> replay(long seed) {
        return explorer().replay(seed);
    }

    /** For tests of this package. */
    Schedules with(SchedulePlan changed) {
        return new Schedules(scenario, changed);
    }

    SchedulePlan plan() {
        return schedulePlan;
    }

    private Explorer explorer() {
        return new Explorer(scenario, schedulePlan);
    }
}
