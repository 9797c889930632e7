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
import io.millrace.lab.experiment.Work;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Latency under load, with commands that start at given times; the same with long values, and over TLS. */
public final class Latency {

    private static final String P99 = "p99 us";
    private static final int KEYS = 10_000;
    private static final int MAX_BYTES = 20_000_000;
    private static final List<Long> RATES = List.of(5_000L, 20_000L);
    private static final List<Integer> LOAD_PERCENTS = List.of(20, 50, 80, 95);

    /** The rate of a scenario without TLS, so that the difference is the cost of TLS. */
    private static final long TLS_RATE = RATES.getFirst();

    /** Length of the values and rate. Each client reaches several times the rate. Other scenarios have 16 bytes. */
    private static final List<Payload> PAYLOADS = List.of(new Payload(10_240, 5_000), new Payload(102_400, 1_000));

    /** The program warms up before the first round. */
    private static final RoundPlan PLAN = RoundPlan.ONE_UNIT.withForks(2).withRounds(2);

    private final Parameters parameters;
    private final Duration time;
    private final List<LibraryMode> modes;

    /** {@link #modes} without the small program over one socket. */
    private final List<LibraryMode> libraryModes;

    private Latency(Parameters parameters, List<ClientLibrary> libraries) {
        this.parameters = parameters;
        this.time = parameters.duration().orElse(parameters.quick() ? Duration.ofMillis(350) : Duration.ofSeconds(2));
        this.modes = LibraryMode.fewIfQuick(parameters, LibraryMode.main(Capability.CALL, libraries));
        this.libraryModes =
                modes.stream().filter(mode -> !mode.isOf(List.of("raw-socket"))).toList();
    }

    /** A length of values, and a rate that every client reaches with such values. */
    private record Payload(int bytes, long rate) {}

    public static Experiment of(Parameters parameters) {
        return of(parameters, LibraryMode.libraries());
    }

    static Experiment of(Parameters parameters, List<ClientLibrary> libraries) {
        return new Latency(parameters, libraries).experiment();
    }

    private Experiment experiment() {
        List<Scenario> scenarios = new ArrayList<>();
        if (parameters.rate().isPresent()) {
            scenarios.add(rate(parameters.rate().getAsLong()));
        } else {
            List<Long> rates = parameters.quick() ? List.of() : RATES;
            rates.forEach(rate -> scenarios.add(rate(rate)));
            List<Integer> percents = parameters.quick() ? List.of(80) : LOAD_PERCENTS;
            percents.forEach(percent -> scenarios.add(load(percent)));
        }
        if (parameters.payloadBytes().isEmpty()) {
            PAYLOADS.forEach(payload -> scenarios.add(payload(payload)));
        }
        scenarios.add(encrypted(parameters.rate().orElse(TLS_RATE)));
        return new Experiment(
                "latency",
                "Latency under load",
                "How long does a caller wait for a reply, and how does the wait grow with the load?",
                scenarios);
    }

    private CommandList commands(int usualBytes) {
        int bytes = parameters.payloadBytes(usualBytes);
        int keys = Math.max(1, Math.min(KEYS, MAX_BYTES / Math.max(1, bytes)));
        return CommandList.mixed(parameters.keys(keys), bytes, parameters.mix(Mix.HALF));
    }

    private Scenario rate(long rate) {
        return compared("rate-" + rate, "Latency at " + rate + " commands per second", modes, rate, 16);
    }

    /** Each client has a rate of its own, so the chart of throughput and latency compares the clients. */
    private Scenario load(int percent) {
        return builder("load-" + percent, "Latency at " + percent + " % of the capacity of each client", Long.MAX_VALUE)
                .contenders(libraryModes.stream()
                        .map(mode -> contender(mode, openLoop(mode, percent / 100.0, 0, 16), ""))
                        .toList())
                .server(new CommandListCheck(size -> commands(16)).filled())
                .notCompared()
                .build();
    }

    private Scenario payload(Payload payload) {
        long rate = parameters.rate().orElse(payload.rate);
        return compared(
                "rate-" + rate + "-" + payload.bytes + "-bytes",
                "Latency at " + rate + " commands per second with values of " + payload.bytes + " bytes",
                libraryModes,
                rate,
                payload.bytes);
    }

    private Scenario compared(String name, String title, List<LibraryMode> compared, long rate, int bytes) {
        return builder(name, title, commandsAt(rate))
                .contenders(compared.stream()
                        .map(mode -> contender(mode, openLoop(mode, 0, rate, bytes), ""))
                        .toList())
                .server(new CommandListCheck(size -> commands(bytes)).filled())
                .comparedBy(P99, OpenLoopWork::validP99, true)
                .build();
    }

    /** On a server that the work starts. */
    private Scenario encrypted(long rate) {
        List<JvmContender> contenders = libraryModes.stream()
                .filter(mode -> mode.mode().capabilities().contains(Capability.TLS))
                .map(mode -> contender(
                        mode,
                        new TlsWork(openLoop(mode, 0, rate, 16), () -> commands(16)),
                        ", a server on loopback with TLS"))
                .map(contender ->
                        new JvmContender(contender.description(), contender.work(), List.of(), target -> missingTls()))
                .toList();
        return builder(
                        "rate-" + rate + "-tls",
                        "Latency at " + rate + " commands per second over TLS",
                        commandsAt(rate))
                .contenders(contenders)
                .server(ServerUse.NONE)
                .comparedBy(P99, OpenLoopWork::validP99, true)
                .build();
    }

    private static Optional<String> missingTls() {
        return TlsServer.isPossible()
                ? Optional.empty()
                : Optional.of("a JDK with keytool is needed to make certificates");
    }

    private OpenLoopWork openLoop(LibraryMode mode, double load, long rate, int bytes) {
        return new OpenLoopWork(mode, () -> commands(bytes), load, rate, time);
    }

    private static JvmContender contender(LibraryMode mode, Work work, String where) {
        return mode.contender(
                mode.label(), "each command starts at its given time on a new virtual thread" + where, work);
    }

    private long commandsAt(long rate) {
        return Math.round(rate * (time.toNanos() / 1e9));
    }

    /** @param commands number of commands in a round; the scenario shows the percentiles for which they suffice */
    private Scenario.Builder builder(String name, String title, long commands) {
        Scenario.Builder builder = Scenario.named(name, title)
                .plan(PLAN.withExpectedUnit(
                        time.plus(time.dividedBy(OpenLoopWork.STARTS_PART)).plusSeconds(1)));
        OpenLoopWork.PERCENTILES.entrySet().stream()
                .filter(percentile -> OpenLoopWork.suffice(commands, percentile.getValue()))
                .sorted(Map.Entry.comparingByValue())
                .forEach(percentile ->
                        builder.figure("p" + number(percentile.getValue()) + " us", Figure.own(percentile.getKey())));
        return builder.figure("max us", Figure.own(OpenLoopWork.MAX))
                .figure("intended per second", Figure.own(OpenLoopWork.INTENDED))
                .figure("capacity per second", Figure.own(OpenLoopWork.CAPACITY))
                .figure("late start p99 us", Figure.own(OpenLoopWork.LATE_START))
                .figure("without commands", Figure.own(OpenLoopWork.LATE_WITHOUT_COMMANDS));
    }

    /** Such as {@code 99} or {@code 99.9}. */
    private static String number(double percentile) {
        return new DecimalFormat("0.##", DecimalFormatSymbols.getInstance(Locale.ROOT)).format(percentile);
    }
}
