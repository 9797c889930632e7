// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.tune;

import io.millrace.lab.client.ClientLibraries;
import io.millrace.lab.client.ClientLibrary;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Which settings are best here, for each library. Each scenario is one setting of one library. */
public final class TuneExperiment {

    public static final String NAME = "tune";

    /** The raw socket has no settings. */
    private static final String RAW_SOCKET = "raw-socket";

    private static final RoundPlan PLAN =
            new RoundPlan(2, 1, 3, Duration.ofMillis(500), Integer.MAX_VALUE, Duration.ZERO);

    public static Experiment of(Parameters parameters) {
        return new Experiment(
                NAME,
                "Tune",
                "Which settings of each library are best on this server and this network?",
                Arrays.stream(Sweep.values())
                        .flatMap(sweep -> ClientLibraries.all().stream()
                                .filter(library -> !library.name().equals(RAW_SOCKET))
                                .map(library -> scenario(sweep, library, parameters))
                                .flatMap(Optional::stream))
                        .toList());
    }

    private static Optional<Scenario> scenario(Sweep sweep, ClientLibrary library, Parameters parameters) {
        List<TunePoint> points = sweep.points(library, parameters.quick());
        if (points.isEmpty()) {
            return Optional.empty();
        }
        int payloadBytes = parameters.payloadBytes(TunePoint.PAYLOAD_BYTES);
        return Optional.of(Scenario.named(sweep.scenario + "-" + library.name(), library.name() + ": " + sweep.title)
                .contenders(points.stream().map(TuneExperiment::contender).toList())
                .plan(parameters.plan(PLAN))
                .server(ServerUse.checkedBy((server, sample) -> TuneRounds.complaints(server, sample, payloadBytes)))
                .build());
    }

    private static JvmContender contender(TunePoint point) {
        String note = point.sweep().title + ": " + point.label() + "; mode "
                + point.mode().name() + ": " + point.mode().note();
        return new JvmContender(
                new Description(
                        point.library().name(),
                        point.label(),
                        note,
                        point.library().documentation()),
                point);
    }

    private TuneExperiment() {}
}
