// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.List;

/**
 * Runs a concurrent scenario many times, in order to find thread interleavings in which it fails. Each run is a
 * schedule: an interleaving that is derived from a seed.
 *
 * {@snippet :
 * Schedules.of(TwoProducers.class).instrumenting("io.millrace.tasks").explore(5_000);
 * }
 *
 * <p>The classes of the scenario's package are loaded again and instrumented. On request, the classes of other packages
 * are instrumented too. Instrumented code has a schedule point before each access that other threads could notice:
 * fields that are not final, array elements, variable handles, atomics, collections, locks, parking and interrupts. At
 * a schedule point, the seed decides which thread runs next.
 *
 * <p>The threads are virtual, and exactly one of them runs at a time. Each schedule has a separate clock. A schedule
 * fails if a thread throws an exception, if no thread can run, or if the schedule exceeds its step limit.
 *
 * <p>Interleavings are sequentially consistent. So a schedule does not find errors that occur only under a weaker
 * memory order.
 *
 * <p>During a schedule, instrumented code must not use {@code synchronized}, {@code Object.wait}, executors, {@code new
 * Thread}, read-write locks, barriers, asynchronous stages, sockets or files. Most of these operations are rejected
 * with a message that names the operation.
 *
 * <p>A seed repeats its schedule only if the code depends on nothing but the seed. Permitted random numbers are {@link
 * Schedule#random} and {@code ThreadLocalRandom}. Other random numbers, changing static fields, and the order of a hash
 * table that uses identity hash codes may change the schedule. When a schedule fails, it is run again with the same
 * seed. The failure message says whether the second run was the same.
 *
 * <p>Objects of this class are immutable. An exploration blocks its caller. Several explorations may run at the same
 * time.
 */
public final class Schedules {

    /**
     * Name of a system property that contains a seed. If it is set, {@link #explore(int)} runs only the schedule of
     * this seed.
     */
    public static final String SEED = "millrace.seed";

    private final Class<? extends InterleavingScenario> scenario;
    private final SchedulePlan schedulePlan;

    private Schedules(Class<? extends InterleavingScenario> scenario, SchedulePlan schedulePlan) {
        this.scenario = scenario;
        this.schedulePlan = schedulePlan;
    }

    /** Creates schedules of {@code scenario}. The classes of its package and of the subpackages are instrumented. */
    public static Schedules of(Class<? extends InterleavingScenario> scenario) {
        return new Schedules(scenario, SchedulePlan.DEFAULT);
    }

    /** Also instruments the classes of these packages and of their subpackages. */
    public Schedules instrumenting(String... packages) {
        return with(schedulePlan.packages(List.of(packages)));
    }

    /**
     * Sets the number of steps after which a schedule fails, because it is probably endless; 1 or more. The default is
     * 20,000. This is about a hundred times the number that a small scenario needs.
     */
    public Schedules stepLimit(int steps) {
        return with(schedulePlan.stepLimit(steps));
    }

    /**
     * Inserts schedule points only before accesses of volatile fields and before calls, and not before accesses of
     * plain fields and array elements. Use this option if most data of the code belongs to one thread: there are fewer
     * schedule points, so the exploration covers more of the interleavings that matter. But it may miss an error in the
     * order of plain writes, such as a plain write after the volatile write that publishes it.
     */
    public Schedules withoutPlainAccess() {
        return with(schedulePlan.withoutPlainAccess());
    }

    /**
     * Makes the clock leap to a deadline only if no thread can run. While a thread can run, each step advances the
     * clock by a microsecond. Without this option, some seeds also make the clock leap while a thread can run.
     */
    public Schedules withSteadyTime() {
        return with(schedulePlan.withSteadyTime());
    }

    /**
     * Runs {@code count} schedules with new seeds. If the system property {@value #SEED} is set, runs only the schedule
     * of this seed.
     *
     * @throws ScheduleFailure if a schedule fails; later schedules are not run
     */
    public ExplorationStats explore(int count) {
        Long seed = Long.getLong(SEED);
        return seed == null ? explore(count, System.nanoTime()) : explore(1, seed);
    }

    /**
     * Runs one schedule for each of {@code count} consecutive seeds. The first seed is {@code firstSeed}. Ignores the
     * system property.
     */
    public ExplorationStats explore(int count, long firstSeed) {
        return explorer().explore(count, firstSeed);
    }

    /**
     * Runs the schedule of {@code seed} and returns its steps. Each step names the thread that was chosen, and the
     * access with which this thread continued.
     */
    public List<String> replay(long seed) {
        return explorer().replay(seed);
    }

    /** The same schedules with other options. Only tests of this package call this method. */
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
