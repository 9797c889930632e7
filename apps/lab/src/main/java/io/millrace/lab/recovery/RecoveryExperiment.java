// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.recovery;

import io.millrace.lab.client.ClientLibraries;
import io.millrace.lab.client.ClientLibrary;
import io.millrace.lab.client.UsageMode;
import io.millrace.lab.client.UsageMode.Capability;
import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Bar.Limit;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.recovery.FaultyServer.Fault;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Stream;

/** How long each client needs to recover, and how the commands end meanwhile. */
public final class RecoveryExperiment {

    private static final long USUAL_RATE = 1_000;
    private static final Duration BEFORE = Duration.ofMillis(500);

    /** Longer than the default delays between two attempts of all libraries to connect. */
    private static final Duration LIMIT = Duration.ofSeconds(15);

    private static final Duration QUICK_LIMIT = Duration.ofSeconds(4);

    /** Connections of a pool may still fail after the first success. */
    private static final Duration AFTER = Duration.ofMillis(500);

    /** The recovery, and the start and the end of the servers. */
    private static final Duration USUAL_REST = Duration.ofMillis(1_500);

    public static Experiment of(Parameters parameters) {
        return new Experiment(
                "recovery",
                "Recovery",
                "How long does a client fail after a fault, and which commands are lost or executed twice? "
                        + RecoveryRounds.CALLERS + " callers send INCR at a steady rate, and a command may take "
                        + RecoveryRounds.TIMEOUT.toMillis() + " ms. The servers stand alone; clusters are not measured"
                        + " yet.",
                Arrays.stream(Fault.values())
                        .filter(fault -> fault == Fault.CUT || !parameters.quick())
                        .map(fault -> scenario(fault, parameters))
                        .toList());
    }

    /** The raw socket does not handle lost connections, and is not compared. */
    private static Scenario scenario(Fault fault, Parameters parameters) {
        var contenders = ClientLibraries.all().stream()
                .filter(library -> !library.name().equals("raw-socket"))
                .flatMap(library -> Stream.concat(
                                library.modesWith(Capability.CALL).stream().limit(1),
                                library.modesWith(Capability.REPEATED_CALL).stream())
                        .map(mode -> contender(library, mode, fault, parameters)))
                .toList();
        var scenario = Scenario.named(fault.name().toLowerCase(Locale.ROOT), fault.title)
                .contenders(contenders)
                .plan(RoundPlan.ONE_UNIT
                        .withRounds(parameters.quick() ? 1 : 5)
                        .withExpectedUnit(shortened(BEFORE.plus(AFTER).plus(USUAL_REST), parameters)))
                .comparedBy("seconds to the first success", Figure.own("recoverySeconds"), true)
                .figure("longest gap, s", Figure.own("longestGapSeconds"))
                .figure("failed", Figure.own("failed"))
                .figure("lost", Figure.own("lost"))
                .figure("executed twice", Figure.own("executedTwice"))
                .figure("failed, but executed", Figure.own("failedButExecuted"));
        contenders.stream()
                .filter(contender -> contender.description().library().equals("millrace"))
                .forEach(millrace -> addBars(scenario, fault, millrace.label()));
        return scenario.build();
    }

    private static void addBars(Scenario.Builder scenario, Fault fault, String millrace) {
        scenario.bars(Bar.absolute("executed twice", millrace, Figure.own("executedTwice"), Limit.atMost(0)));
        if (fault != Fault.FAILOVER) {
            scenario.bars(Bar.absolute("lost", millrace, Figure.own("lost"), Limit.atMost(0)));
        }
    }

    private static JvmContender contender(ClientLibrary library, UsageMode mode, Fault fault, Parameters parameters) {
        var plan = new RecoveryRounds.Plan(
                library,
                mode,
                fault,
                parameters.rate().orElse(USUAL_RATE),
                shortened(BEFORE, parameters),
                parameters.quick() ? QUICK_LIMIT : LIMIT,
                shortened(AFTER, parameters));
        return new JvmContender(
                new Description(library.name(), mode.name(), mode.note(), library.documentation()), plan);
    }

    private static Duration shortened(Duration usual, Parameters parameters) {
        return parameters.quick() ? usual.dividedBy(5) : usual;
    }

    private RecoveryExperiment() {}
}
