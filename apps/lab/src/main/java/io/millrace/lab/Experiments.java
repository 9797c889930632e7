// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.bitmaps.BitmapAnalytics;
import io.millrace.lab.experiment.AsynchronousThroughput;
import io.millrace.lab.experiment.CacheAside;
import io.millrace.lab.experiment.ConnectionPatterns;
import io.millrace.lab.experiment.MemoryOfPairs;
import io.millrace.lab.experiment.PipelinesAndCalls;
import io.millrace.lab.experiment.TaskProcessing;
import io.millrace.lab.experiment.Tuning;
import io.millrace.lab.run.Experiment;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.Workload;
import java.util.List;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/** Every experiment there is, one line each; and those that others have put on the class path. */
public final class Experiments {

    private static final List<Experiment> OWN = List.of(
            new ConnectionPatterns(), //
            new AsynchronousThroughput(),
            new PipelinesAndCalls(),
            new TaskProcessing(),
            new CacheAside(),
            new BitmapAnalytics(),
            new MemoryOfPairs(),
            new Tuning());

    /** The lab's own first. */
    public static List<Experiment> all() {
        return Stream.concat(
                        OWN.stream(),
                        ServiceLoader.load(Experiment.class).stream().map(ServiceLoader.Provider::get))
                .toList();
    }

    /**
     * The experiment called {@code name}.
     *
     * @throws LabException if there is none
     */
    public static Experiment named(String name) {
        return all().stream()
                .filter(experiment -> experiment.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new LabException("no such experiment: " + name + ". There are: "
                        + String.join(", ", all().stream().map(Experiment::name).toList()) + "."));
    }

    /**
     * The workload called {@code name} of whichever experiment has it.
     *
     * @throws LabException if none has
     */
    static Workload workload(String name) {
        return all().stream()
                .flatMap(experiment -> experiment.workloads().stream())
                .filter(workload -> workload.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new LabException("no such workload: " + name));
    }

    private Experiments() {}
}
