// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import static io.millrace.lab.experiment.Bar.Limit.atLeast;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.millrace.client.ClientOptions;
import io.millrace.lab.client.ClientLibrary;
import io.millrace.lab.client.MillraceClients;
import io.millrace.lab.client.UsageMode;
import io.millrace.lab.client.UsageMode.Capability;
import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Mix;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Scenario;
import io.millrace.micrometer.CommandTimers;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;

/** What the timers of Micrometer cost. The meters of the client cost nothing per command: they read its stats. */
public final class MetricsExperiment {

    private static final int CALLERS = 64;

    /** Part of the rate that is left with a timer for each command. */
    private static final double WITH_TIMERS = 0.95;

    private static final String PLAIN = "plain";
    private static final String TIMERS = "timers";

    public static Experiment of(Parameters parameters) {
        var plain = new UsageMode(
                PLAIN,
                "without a listener",
                Set.of(Capability.CALL, Capability.TLS, Capability.UNIX_SOCKET),
                () -> MillraceClients.shared(UnaryOperator.identity()));
        var timers = new UsageMode(
                TIMERS,
                "CommandTimers with a SimpleMeterRegistry",
                plain.capabilities(),
                () -> MillraceClients.shared(MetricsExperiment::withTimers));
        var library = new ClientLibrary("millrace", "docs/metrics.md", List.of(plain, timers));
        var scenario = Scenario.named("timers", "SET and GET by 64 callers, without and with timers")
                .contenders(LibraryMode.with(Capability.CALL, List.of(library)).stream()
                        .map(mode -> contender(parameters, mode))
                        .toList())
                .plan(RoundPlan.USUAL.withForks(3).withRounds(10))
                .server(PairData.of(parameters, CALLERS, 16, Mix.HALF).serverUse())
                .notCompared()
                .bars(Bar.ratio(
                                "per second",
                                "millrace/" + TIMERS,
                                Figure.PER_SECOND,
                                List.of("millrace/" + PLAIN),
                                atLeast(WITH_TIMERS))
                        .byInterval())
                .build();
        return new Experiment("metrics", "Metrics", "What does a timer for each command cost?", List.of(scenario));
    }

    private static JvmContender contender(Parameters parameters, LibraryMode mode) {
        long commandsPerCaller = Math.max(1, parameters.size(32_000) / CALLERS);
        return mode.contender(
                mode.mode().name(),
                CALLERS + " virtual threads, a call waits for the reply",
                new PairWork(
                        mode,
                        () -> PairData.of(parameters, CALLERS, 16, Mix.HALF),
                        commandsPerCaller,
                        PairWork.calls(ThreadKind.VIRTUAL)));
    }

    private static ClientOptions.Builder withTimers(ClientOptions.Builder options) {
        return options.commandListener(
                new CommandTimers(new SimpleMeterRegistry(), options.build().uri()));
    }

    private MetricsExperiment() {}
}
