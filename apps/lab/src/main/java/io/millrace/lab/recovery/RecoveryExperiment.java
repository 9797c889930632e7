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
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** How long each client needs to recover, and how the commands end meanwhile. */
public final class RecoveryExperiment {

    /** The raw socket does not handle lost connections, and is not compared. */
    private static final String RAW_SOCKET = "raw-socket";

    private static final int CALLERS = 20;
    private static final long USUAL_RATE = 1_000;
    private static final Duration TIMEOUT = Duration.ofMillis(500);
    private static final Duration BEFORE = Duration.ofSeconds(1);
    private static final Duration AFTER = Duration.ofSeconds(4);

    /** Time to start and to end the servers of one round. */
    private static final Duration SERVERS = Duration.ofMillis(500);

    public static Experiment of(Parameters parameters) {
        return new Experiment(
                "recovery",
                "Recovery",
                "How long does a client fail after a fault, and which commands are lost or executed twice?",
                Arrays.stream(Fault.values())
                        .filter(fault -> fault == Fault.CUT || !parameters.quick())
                        .map(fault -> scenario(fault, parameters))
                        .toList());
    }

    private static Scenario scenario(Fault fault, Parameters parameters) {
        List<JvmContender> contenders = ClientLibraries.all().stream()
                .filter(library -> !library.name().equals(RAW_SOCKET))
                .filter(library -> !library.modesWith(Capability.CALL).isEmpty())
                .map(library -> contender(library, fault, parameters))
                .toList();
        var scenario = Scenario.named(fault.scenario, fault.title)
                .contenders(contenders)
                .plan(plan(parameters))
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

    private static JvmContender contender(ClientLibrary library, Fault fault, Parameters parameters) {
        UsageMode mode = library.modesWith(Capability.CALL).getFirst();
        long rate = Math.max(1, parameters.rate().orElse(USUAL_RATE));
        var work =
                new RecoveryWork(library, mode, fault, CALLERS, rate, before(parameters), after(parameters), TIMEOUT);
        String note = fault.note + "; " + CALLERS + " virtual callers send " + rate
                + " INCR per second, each of a key of its own; a command may take " + TIMEOUT.toMillis() + " ms; "
                + mode.note();
        return new JvmContender(new Description(library.name(), mode.name(), note, library.documentation()), work);
    }

    private static Duration before(Parameters parameters) {
        return parameters.quick() ? BEFORE.dividedBy(5) : BEFORE;
    }

    private static Duration after(Parameters parameters) {
        return parameters.duration().orElse(parameters.quick() ? AFTER.dividedBy(8) : AFTER);
    }

    private static RoundPlan plan(Parameters parameters) {
        return RoundPlan.ONE_UNIT
                .withRounds(parameters.quick() ? 1 : 5)
                .withExpectedUnit(before(parameters).plus(after(parameters)).plus(SERVERS));
    }

    private RecoveryExperiment() {}
}
