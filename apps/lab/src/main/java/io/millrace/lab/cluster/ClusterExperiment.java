// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cluster;

import io.millrace.lab.bulk.ClusterBulk;
import io.millrace.lab.connections.ClusterCalls;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.Scenario;
import java.util.List;
import java.util.stream.Stream;

/** Bulk writes and calls on three primaries, also while hash slots move. */
public final class ClusterExperiment {

    public static final String NAME = "cluster";

    public static Experiment of(Parameters parameters) {
        List<Scenario> scenarios = Stream.of(ClusterBulk.scenarios(parameters), ClusterCalls.scenarios(parameters))
                .flatMap(List::stream)
                .toList();
        return new Experiment(
                NAME,
                "Redis Cluster",
                "How fast are bulk writes and calls on a cluster of three primaries, what does a client pay for the cluster,"
                        + " and how much slower is it while hash slots move?",
                scenarios);
    }

    private ClusterExperiment() {}
}
