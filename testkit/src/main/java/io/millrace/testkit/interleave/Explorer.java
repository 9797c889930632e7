// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit.interleave;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

/** Runs the schedules of one scenario, one after the other. */
final class Explorer {

    private final Class<? extends InterleavingScenario> scenario;
    private final SchedulePlan schedulePlan;
    private final Constructor<?> woven;

    Explorer(Class<? extends InterleavingScenario> scenario, SchedulePlan schedulePlan) {
        this.scenario = scenario;
        this.schedulePlan = schedulePlan;
        try {
            this.woven = new WeavingLoader(scenario, schedulePlan)
                    .loadClass(scenario.getName())
                    .getDeclaredConstructor();
            woven.setAccessible(true);
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(
                    "a scenario needs a constructor without arguments: scenario=" + scenario.getName(), e);
        }
    }

    ExplorationStats explore(int count, long firstSeed) {
        Map<String, Integer> outcomes = new TreeMap<>();
        Set<Integer> distinct = new HashSet<>();
        long steps = 0;
        for (int i = 0; i < count; i++) {
            Scheduler run = run(firstSeed + i);
            steps += run.record().length;
            distinct.add(Arrays.hashCode(run.record()));
            run.outcomes().forEach(outcome -> outcomes.merge(outcome, 1, Integer::sum));
        }
        return new ExplorationStats(count, distinct.size(), steps, Collections.unmodifiableMap(outcomes));
    }

    List<String> replay(long seed) {
        return steps(run(seed));
    }

    private Scheduler run(long seed) {
        Scheduler run = runOnce(seed);
        if (run.isFailed()) {
            Scheduler again = runOnce(seed);
            throw failure(run, seed, Arrays.equals(run.record(), again.record()));
        }
        return run;
    }

    private Scheduler runOnce(long seed) {
        Scheduler scheduler = new Scheduler(schedulePlan, seed);
        try {
            if (scheduler.run(() -> make().run(new Schedule(scheduler, seed)))) {
                return scheduler;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(
                    "interrupted while running the schedules of a scenario: scenario=" + scenario.getName() + ", seed="
                            + seed,
                    e);
        }
        throw new AssertionError("a schedule has made no progress for "
                + schedulePlan.stallTimeout().toMillis() + " ms: scenario=" + scenario.getName() + ", seed=" + seed
                + ". A thread of the schedule blocks or loops outside of the instrumented code.\n  threads:\n    "
                + String.join("\n    ", scheduler.threads()));
    }

    private InterleavingScenario make() throws Exception {
        try {
            return (InterleavingScenario) woven.newInstance();
        } catch (InvocationTargetException e) {
            switch (e.getCause()) {
                case Exception cause -> throw cause;
                case Error cause -> throw cause;
                case null, default -> throw e;
            }
        }
    }

    private ScheduleFailure failure(Scheduler run, long seed, boolean repeats) {
        Scheduler.FailureRecord failureRecord = Objects.requireNonNull(run.failed());
        String headline = "a schedule failed after " + run.record().length + " steps: scenario=" + scenario.getName()
                + ", seed=" + seed + ", reason=" + failureRecord.reason() + ", " + run + ", repeats=" + repeats
                + (repeats
                        ? ". Run it again with -D" + Schedules.SEED + "=" + seed
                        : ". The schedule depends on the seed and on other state,"
                                + " such as static fields, random numbers or identity hash codes");
        return new ScheduleFailure(headline, seed, failureRecord, steps(run));
    }

    private static List<String> steps(Scheduler run) {
        return PointSites.describe(run.record(), run.names());
    }
}
