// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.frameworks;

import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.measure.WorkerJvm;

/**
 * The JVM of a contender with a class path of its own. Only the experiments of this package have such contenders: the
 * other experiments need the libraries of the lab.
 */
final class FrameworkWorker {

    public static void main(String[] args) throws InterruptedException {
        WorkerJvm.serve(FrameworkWorker::experiment);
    }

    private static Experiment experiment(String name, Parameters parameters) {
        return switch (name) {
            case HttpExperiment.NAME -> HttpExperiment.of(parameters);
            case SpringExperiment.NAME -> SpringExperiment.of(parameters);
            case VertxExperiment.NAME -> VertxExperiment.of(parameters);
            default -> throw new IllegalArgumentException("no experiment of a framework: " + name);
        };
    }

    private FrameworkWorker() {}
}
