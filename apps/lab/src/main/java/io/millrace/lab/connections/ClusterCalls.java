// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import static io.millrace.lab.experiment.Bar.Limit.atLeast;
import static io.millrace.lab.experiment.Bar.Limit.atMost;

import io.millrace.lab.client.UsageMode.Capability;
import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Mix;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.experiment.SlotMoves;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** {@code SET} and {@code GET} on a cluster, by callers that wait for each reply. */
public final class ClusterCalls {

    private static final int CALLERS = 64;
    private static final long SIZE = 32_000;
    private static final int MOVES_PER_SECOND = 10;

    private static final String MILLRACE = "millrace/virtual";
    private static final String LETTUCE = "lettuce/virtual";
    private static final String ONE_SERVER = "one-server";
    private static final String MOVING = "moving";

    private final Parameters parameters;
    private final PairData data;

    private ClusterCalls(Parameters parameters) {
        this.parameters = parameters;
        this.data = PairData.of(parameters, CALLERS);
    }

    /** The scenarios of the experiment about clusters. */
    public static List<Scenario> scenarios(Parameters parameters) {
        var calls = new ClusterCalls(parameters);
        return List.of(calls.callers(), calls.moves());
    }

    private Scenario callers() {
        List<LibraryMode> modes =
                LibraryMode.fewIfQuick(parameters, LibraryMode.main(Capability.CALL, LibraryMode.libraries())).stream()
                        .filter(mode -> mode.mode().capabilities().contains(Capability.CLUSTER))
                        .toList();
        return Scenario.named(CALLERS + "-callers", "SET and GET by " + CALLERS + " callers on three primaries")
                .contenders(modes.stream().map(this::contender).toList())
                .contender(onOneServer(), data.serverUse())
                .plan(plan())
                .server(data.serverUse().onCluster())
                .bars(
                        Bar.ratio("per second", MILLRACE, Figure.PER_SECOND, List.of(LETTUCE), atLeast(1.3)),
                        Bar.ratio(
                                "client CPU of a command, to one server",
                                MILLRACE,
                                Figure.CLIENT_CPU_MICROS,
                                List.of("millrace/" + ONE_SERVER),
                                atMost(1.15)))
                .build();
    }

    private RoundPlan plan() {
        return parameters.quick()
                ? RoundPlan.ONE_UNIT.withRounds(1).withExpectedUnit(Duration.ofMillis(50))
                : RoundPlan.USUAL;
    }

    private JvmContender contender(LibraryMode mode) {
        return Calls.contender(parameters, mode, CALLERS, ThreadKind.VIRTUAL, SIZE, Mix.HALF);
    }

    private static LibraryMode millrace() {
        return LibraryMode.main(Capability.CALL, LibraryMode.libraries()).stream()
                .filter(mode -> mode.isOf(List.of("millrace")))
                .findFirst()
                .orElseThrow();
    }

    /** The contender of Millrace with another mode, which is a reference because of {@code reason}. */
    private JvmContender millrace(String mode, String reason) {
        JvmContender usual = contender(millrace());
        Description description = usual.description();
        return new JvmContender(
                        new Description(description.library(), mode, description.note(), description.documentation()),
                        usual.work(),
                        usual.jvmOptions(),
                        usual.missingHere())
                .unfair(reason)
                .asReference();
    }

    /** The same program, whose only other setting is the address. */
    private JvmContender onOneServer() {
        return millrace(ONE_SERVER, "one server instead of three")
                .missingIf(target -> target.cluster()
                        ? Optional.of("the server is a cluster. Name a server that stands alone, or no server.")
                        : Optional.empty());
    }

    private Scenario moves() {
        ServerUse cluster = data.serverUse().onCluster();
        return Scenario.named(
                        CALLERS + "-callers-moves",
                        "The same calls, without and with " + MOVES_PER_SECOND + " hash slots that move each second")
                .contender(contender(millrace()))
                .contender(
                        millrace(MOVING, "hash slots move"), cluster.during(new SlotMoves(MOVES_PER_SECOND, data::key)))
                .plan(plan())
                .server(cluster)
                .notCompared()
                .figure("moves per second", Figure.own(SlotMoves.MOVES_PER_SECOND))
                .bars(
                        Bar.ratio(
                                "per second, to a cluster at rest",
                                "millrace/" + MOVING,
                                Figure.PER_SECOND,
                                List.of(MILLRACE),
                                atLeast(0.8)),
                        new Bar(
                                "moves per second",
                                "millrace/" + MOVING,
                                Figure.own(SlotMoves.MOVES_PER_SECOND),
                                List.of(),
                                Optional.empty()))
                .build();
    }
}
