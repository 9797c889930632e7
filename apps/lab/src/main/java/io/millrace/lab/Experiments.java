// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import io.millrace.lab.bitmap.BitmapExperiment;
import io.millrace.lab.bulk.BulkExperiment;
import io.millrace.lab.bulk.LoadsExperiment;
import io.millrace.lab.cache.CacheExperiment;
import io.millrace.lab.cluster.ClusterExperiment;
import io.millrace.lab.connections.AsynchronousThroughput;
import io.millrace.lab.connections.Calls;
import io.millrace.lab.connections.ConnectionPatterns;
import io.millrace.lab.connections.Latency;
import io.millrace.lab.connections.MetricsExperiment;
import io.millrace.lab.connections.Pipelines;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.frameworks.HttpExperiment;
import io.millrace.lab.frameworks.SpringExperiment;
import io.millrace.lab.frameworks.VertxExperiment;
import io.millrace.lab.memory.PairMemory;
import io.millrace.lab.queue.QueueExperiment;
import io.millrace.lab.recovery.RecoveryExperiment;
import io.millrace.lab.server.LabException;
import io.millrace.lab.tasks.TaskExperiment;
import io.millrace.lab.tune.TuneExperiment;
import java.util.List;
import java.util.function.Function;

/** All experiments, one line each. */
final class Experiments {

    private static final List<Function<Parameters, Experiment>> ALL = List.of(
            ConnectionPatterns::of,
            Calls::of,
            AsynchronousThroughput::of,
            Pipelines::of,
            Latency::of,
            BulkExperiment::of,
            LoadsExperiment::of,
            ClusterExperiment::of,
            VertxExperiment::of,
            SpringExperiment::of,
            HttpExperiment::of,
            MetricsExperiment::of,
            TaskExperiment::of,
            CacheExperiment::of,
            QueueExperiment::of,
            BitmapExperiment::of,
            PairMemory::of,
            RecoveryExperiment::of,
            TuneExperiment::of);

    /** All experiments in the order in which they run. */
    static List<Experiment> all(Parameters parameters) {
        return ALL.stream().map(factory -> factory.apply(parameters)).toList();
    }

    /**
     * The experiment called {@code name}.
     *
     * @throws LabException if there is none
     */
    static Experiment named(String name, Parameters parameters) {
        List<Experiment> all = all(parameters);
        return all.stream()
                .filter(experiment -> experiment.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new LabException("no such experiment: " + name + ". There are: "
                        + String.join(", ", all.stream().map(Experiment::name).toList()) + "."));
    }

    private Experiments() {}
}
