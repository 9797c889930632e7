// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import io.millrace.lab.run.Experiment;
import io.millrace.lab.run.Workload;
import java.util.List;
import java.util.Map;

/** Which settings are best, here. Its sweeps build on each other: what the first finds is held in the second. */
public final class Tuning implements Experiment {

    @Override
    public String name() {
        return "e8";
    }

    @Override
    public String title() {
        return "Tune";
    }

    @Override
    public String description() {
        return "Sweeps commands in flight, connections, fusion, and the length of pipelines; its size is the milliseconds of a round.";
    }

    @Override
    public long operations() {
        return 1_000;
    }

    @Override
    public List<Workload> workloads() {
        return List.copyOf(Sweep.ALL);
    }

    /** What is held in {@code sweep}, by name, if {@code inFlight} was found best. */
    public static Map<String, Long> held(Sweep sweep, long inFlight) {
        return sweep.equals(Sweep.CONNECTIONS) || sweep.equals(Sweep.FUSION)
                ? Map.of(SweepPoint.HELD_IN_FLIGHT, inFlight)
                : Map.of();
    }
}
