// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.lab.client.ClientLibrary;
import io.millrace.lab.client.UsageMode.Capability;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Mix;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Latency under load, with commands that start at given times; calls with values of several lengths; calls over TLS. */
public final class Latency {

    private static final String P99 = "p99 us";
    private static final int CALLERS = 64;
    private static final int KEYS = 10_000;
    private static final List<Long> RATES = List.of(5_000L, 10_000L, 20_000L);
    private static final List<Integer> LOAD_PERCENTS = List.of(80);
    /** The calls of the experiment {@code calls} have 16 bytes. */
    private static final List<Integer> PAYLOADS = List.of(1_024, 10_240, 102_400);

    /** A round is long, so one round of each process is enough. */
    private static final RoundPlan OPEN_LOOP = RoundPlan.ONE_UNIT.withForks(4).withRounds(1);

    private final Parameters parameters;
    private final Duration time;
    private final List<LibraryMode> modes;

    private Latency(Parameters parameters, List<ClientLibrary> libraries) {
        this.parameters = parameters;
        this.time = parameters.duration().orElse(parameters.quick() ? Duration.ofMillis(500) : Duration.ofSeconds(2));
        this.modes = LibraryMode.fewIfQuick(parameters, LibraryMode.main(Capability.CALL, libraries));
    }

    public static Experiment of(Parameters parameters) {
        return of(parameters, LibraryMode.libraries());
    }

    static Experiment of(Parameters parameters, List<ClientLibrary> libraries) {
        return new Latency(parameters, libraries).experiment();
    }

    private Experiment experiment() {
        List<Scenario> scenarios = new ArrayList<>();
        if (parameters.rate().isPresent() || !parameters.quick()) {
            List<Long> rates =
                    parameters.rate().isPresent() ? List.of(parameters.rate().getAsLong()) : RATES;
            rates.forEach(rate ->
                    scenarios.add(openLoop("rate-" + rate, "Latency at " + rate + " commands per second", 0, rate)
                            .comparedBy(P99, Figure.own("p99Micros"), true)
                            .build()));
        }
        if (parameters.rate().isEmpty()) {
            List<Integer> percents = LOAD_PERCENTS;
            // Each client has a rate of its own, so the chart of throughput and latency compares the clients.
            percents.forEach(percent -> scenarios.add(openLoop(
                            "load-" + percent,
                            "Latency at " + percent + " % of the capacity of each client",
                            percent / 100.0,
                            0)
                    .notCompared()
                    .build()));
        }
        List<Integer> payloads = parameters.quick() ? List.of(1_024, 102_400) : PAYLOADS;
        if (parameters.payloadBytes().isPresent()) {
            payloads = List.of(parameters.payloadBytes().getAsInt());
        }
        payloads.forEach(bytes -> scenarios.add(payload(bytes)));
        scenarios.add(encrypted(true));
        if (!parameters.quick()) {
            scenarios.add(encrypted(false));
        }
        return new Experiment(
                "latency",
                "Latency under load",
                "How long does a caller wait for a reply, and how does the wait grow with the load?",
                scenarios);
    }

    private CommandList commands() {
        return CommandList.mixed(parameters.keys(KEYS), parameters.payloadBytes(16), parameters.mix(Mix.HALF));
    }

    private Scenario.Builder openLoop(String name, String title, double load, long rate) {
        List<JvmContender> contenders = modes.stream()
                .map(mode -> mode.contender(
                        mode.label(),
                        "each command starts at its given time on a new virtual thread",
                        new OpenLoopWork(mode, this::commands, load, rate, time)))
                .toList();
        return Scenario.named(name, title)
                .contenders(contenders)
                .plan(OPEN_LOOP.withExpectedUnit(time.plusSeconds(1)))
                .server(new CommandListCheck(size -> commands()).filled(commands()))
                .figure("p50 us", Figure.own("p50Micros"))
                .figure("p90 us", Figure.own("p90Micros"))
                .figure(P99, Figure.own("p99Micros"))
                .figure("p99.9 us", Figure.own("p999Micros"))
                .figure("p99.99 us", Figure.own("p9999Micros"))
                .figure("max us", Figure.own(OpenLoopWork.MAX))
                .figure("intended per second", Figure.own(OpenLoopWork.INTENDED))
                .figure("late start p99 us", Figure.own(OpenLoopWork.LATE_START));
    }

    private Scenario payload(int bytes) {
        long size = (long) CALLERS * Math.clamp(500_000 / bytes, 10, 500);
        List<JvmContender> contenders = modes.stream()
                .map(mode -> mode.contender(
                        mode.label(),
                        CALLERS + " virtual threads, a call waits for the reply",
                        new PairWork(mode, () -> values(bytes), perCaller(size), PairWork.calls(ThreadKind.VIRTUAL))))
                .toList();
        return Scenario.named("payload-" + bytes, "SET and GET of " + bytes + " bytes by " + CALLERS + " callers")
                .contenders(contenders)
                .plan(RoundPlan.USUAL.withForks(2))
                .server(values(bytes).serverUse())
                .build();
    }

    private PairData values(int bytes) {
        return PairData.of(parameters, CALLERS, bytes, Mix.HALF);
    }

    private long perCaller(long size) {
        return Math.max(1, parameters.size(size) / CALLERS);
    }

    /** The same calls with and without TLS, on a server that the work starts. */
    private Scenario encrypted(boolean isEncrypted) {
        List<JvmContender> contenders = modes.stream()
                .filter(mode -> mode.mode().capabilities().contains(Capability.TLS))
                .map(mode -> contender(mode, isEncrypted))
                .toList();
        return Scenario.named(
                        isEncrypted ? "tls" : "without-tls",
                        "SET and GET " + (isEncrypted ? "over TLS" : "without TLS") + " by " + CALLERS + " callers")
                .contenders(contenders)
                .plan(RoundPlan.USUAL.withForks(2))
                .server(ServerUse.NONE)
                .build();
    }

    private JvmContender contender(LibraryMode mode, boolean isEncrypted) {
        JvmContender contender = mode.contender(
                mode.label(),
                CALLERS + " virtual threads, a server on loopback" + (isEncrypted ? " with TLS" : " without TLS"),
                new TlsWork(mode, () -> values(16), perCaller(64_000), isEncrypted));
        return new JvmContender(
                contender.description(),
                contender.work(),
                List.of(),
                target -> TlsServer.isPossible()
                        ? Optional.empty()
                        : Optional.of("a JDK with keytool is needed to make certificates"));
    }
}
