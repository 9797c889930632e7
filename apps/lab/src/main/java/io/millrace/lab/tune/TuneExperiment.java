// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tune;

import io.millrace.lab.client.ClientLibraries;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import java.util.Arrays;
import java.util.List;

/** Which settings are best here, for each library. Each scenario is one setting of one library. */
public final class TuneExperiment {

    public static final String NAME = "tune";

    /** The processes of all values of a library together show how much two processes differ. */
    private static final RoundPlan PLAN = RoundPlan.USUAL.withForks(2);

    public static Experiment of(Parameters parameters) {
        return new Experiment(
                NAME,
                "Tune",
                "Which settings of each library are best on this server and this network?",
                Arrays.stream(Sweep.values())
                        .flatMap(sweep -> ClientLibraries.all().stream()
                                .filter(library -> !library.name().equals("raw-socket")) // has no settings
                                .map(library -> sweep.points(library, parameters.quick())))
                        .filter(points -> !points.isEmpty())
                        .map(points -> scenario(points, parameters))
                        .toList());
    }

    private static Scenario scenario(List<TunePoint> points, Parameters parameters) {
        Sweep sweep = points.getFirst().sweep();
        String library = points.getFirst().library().name();
        int payloadBytes = parameters.payloadBytes(TunePoint.PAYLOAD_BYTES);
        return Scenario.named(sweep.scenario + "-" + library, library + ": " + sweep.title)
                .contenders(points.stream().map(TuneExperiment::contender).toList())
                .plan(parameters.quick() ? PLAN.withWarmUps(0).withRounds(1) : PLAN)
                .server(ServerUse.checkedBy((server, sample) -> TunePoint.complaints(server, sample, payloadBytes)))
                .build();
    }

    private static JvmContender contender(TunePoint point) {
        String note = point.sweep().title + ": " + point.label() + "; mode "
                + point.mode().name() + ": " + point.mode().note();
        var library = point.library();
        return new JvmContender(new Description(library.name(), point.label(), note, library.documentation()), point);
    }

    private TuneExperiment() {}
}
