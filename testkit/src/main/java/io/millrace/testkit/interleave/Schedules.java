// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.util.List;

/**
 * Runs a scenario of concurrent code in many schedules, each with another interleaving of its threads, to find the one in
 * which it
 * fails.
 *
 * {@snippet :
 * Schedules.of(TwoProducers.class).instrumenting("io.millrace.tasks").explore(5_000);
 * }
 *
 * <p>The classes of the scenario's package, and of others if asked, are loaded anew with a point before each access that
 * other threads could notice: fields that are not final, array elements, variable handles, atomics, collections, locks, parking,
 * interrupts. At a point the seed decides which thread goes on. The threads are virtual; exactly one runs at a time, and
 * the time is the schedule's own. A schedule fails when a thread throws, when nobody can go on, or when it does not end.
 *
 * <p>Interleavings are sequentially consistent. Errors that only a weaker order of memory brings about are not found.
 *
 * <p>Not to be used in woven code while a schedule runs: {@code synchronized} and {@code Object.wait}, executors, {@code new
 * Thread}, read-write locks, barriers, asynchronous stages, sockets and files; most are refused by name. Random numbers other
 * than those of
 * {@link Schedule#random} and {@code ThreadLocalRandom}, the order of hash tables over identity, and changing static
 * fields make a seed lose its schedule: a failure says whether it did repeat.
 *
 * <p>Immutable. An exploration blocks the caller, and may run beside others.
 */
public final class Schedules {

    /** Names a seed: then explorations run its schedule alone. */
    public static final String SEED = "millrace.seed";

    private final Class<? extends Interleaved> scenario;
    private final Plan plan;

    private Schedules(Class<? extends Interleaved> scenario, Plan plan) {
        this.scenario = scenario;
        this.plan = plan;
    }

    /** Schedules of {@code scenario}, with points in the classes of its package and of the subpackages. */
    public static Schedules of(Class<? extends Interleaved> scenario) {
        return new Schedules(scenario, Plan.DEFAULT);
    }

    /** Puts points into the classes of these packages and of their subpackages too. */
    public Schedules instrumenting(String... packages) {
        return with(plan.packages(List.of(packages)));
    }

    /**
     * Steps after which a schedule fails for not ending, 1 or more; default 20,000, a hundred times what a small scenario
     * needs.
     */
    public Schedules stepLimit(int steps) {
        return with(plan.stepLimit(steps));
    }

    /**
     * Puts no points before accesses of plain fields and array elements, only before volatile ones and calls. For code that keeps
     * much state of its own: fewer points, and so more of the interleavings that matter. A plain write on the wrong side of its
     * publication is not found.
     */
    public Schedules withoutPlainAccess() {
        return with(plan.withoutPlainAccess());
    }

    /**
     * No deadline passes while a thread can run, unless a step of a microsecond each has taken so long. Otherwise some seeds
     * let time leap.
     */
    public Schedules withSteadyTime() {
        return with(plan.withSteadyTime());
    }

    /**
     * Runs {@code count} schedules, of new seeds each time; of the one seed in the system property {@value #SEED} if it is set.
     *
     * @throws ScheduleFailure at the first that fails
     */
    public Exploration explore(int count) {
        Long seed = Long.getLong(SEED);
        return seed == null ? explore(count, System.nanoTime()) : explore(1, seed);
    }

    /** Runs the schedules of {@code count} seeds from {@code firstSeed} on, whatever the system property says. */
    public Exploration explore(int count, long firstSeed) {
        return explorer().explore(count, firstSeed);
    }

    /** Runs the schedule of {@code seed} and returns its decisions: a thread, and the access it went on with. */
    public List<String> replay(long seed) {
        return explorer().replay(seed);
    }

    /** For tests of the tool itself. */
    Schedules with(Plan changed) {
        return new Schedules(scenario, changed);
    }

    Plan plan() {
        return plan;
    }

    private Explorer explorer() {
        return new Explorer(scenario, plan);
    }
}
