// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.client.ClientOptions;
import io.millrace.lab.client.ClientLibrary;
import io.millrace.lab.client.UsageMode.Capability;
import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Bar.Limit;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Scenario;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

/** Commands that are sent without waiting, second by second. */
public final class AsynchronousThroughput {

    private static final String OURS = "millrace";
    private static final String TIMED_OUT = "timed out";
    private static final int CLIENTS = 4;
    private static final int WINDOW = 10_000;
    private static final long RATE = 10_000;

    /** Between two continents, as in the reference measurements. */
    private static final Duration DISTANT = Duration.ofMillis(160);

    /** The same heap for all, so that a client without a limit cannot use the whole memory of the machine. */
    private static final List<String> HEAP = List.of("-Xmx1g");

    private final Parameters parameters;
    private final Duration time;
    private final long rate;
    private final List<LibraryMode> send;
    private final List<LibraryMode> mainSend;
    private final List<LibraryMode> mainCall;

    private AsynchronousThroughput(Parameters parameters, List<ClientLibrary> libraries) {
        this.parameters = parameters;
        this.time = parameters.duration().orElse(parameters.quick() ? Duration.ofMillis(500) : Duration.ofSeconds(3));
        this.rate = parameters.rate().orElse(RATE);
        this.send = LibraryMode.with(Capability.SEND, libraries);
        this.mainSend = LibraryMode.fewIfQuick(parameters, LibraryMode.main(Capability.SEND, libraries));
        this.mainCall = LibraryMode.fewIfQuick(parameters, LibraryMode.main(Capability.CALL, libraries));
    }

    public static Experiment of(Parameters parameters) {
        return of(parameters, LibraryMode.libraries());
    }

    static Experiment of(Parameters parameters, List<ClientLibrary> libraries) {
        return new AsynchronousThroughput(parameters, libraries).experiment();
    }

    private Experiment experiment() {
        List<Scenario> scenarios = new ArrayList<>(List.of(
                increments(
                        "sync",
                        "One thread waits for each reply",
                        contenders(mainCall, "one thread waits for each reply", TrafficKind.SYNCHRONOUS, 1)),
                increments("fire-and-forget", "Fire and forget: bounded against unbounded", flood()),
                blockingCallbacks(),
                increments(
                        "steady-rate",
                        rate + " commands per second by one client",
                        contenders(mainSend, "one thread, a steady rate", TrafficKind.STEADY, 1))));
        scenarios.addAll(severalClients());
        scenarios.add(sendWindow());
        if (!parameters.quick()) {
            scenarios.add(distant());
        }
        return new Experiment(
                "e2",
                "Asynchronous throughput",
                "What happens to commands if the caller does not wait for replies?",
                scenarios);
    }

    /** The rate says nothing here, because the callbacks block. The question is how many commands succeed. */
    private Scenario blockingCallbacks() {
        Figure succeeded = outcome(Outcomes::ok);
        return builder(
                        "blocking-callbacks",
                        "Ten commands whose callbacks block as long as the time limit",
                        contenders(
                                mainSend,
                                "each of ten callbacks blocks for the time limit of a command",
                                TrafficKind.BLOCKING_CALLBACKS,
                                1))
                .comparedBy("commands that succeeded", succeeded, false)
                .bars(Bar.absolute("succeeded", OURS, succeeded, Limit.atLeast(10)))
                .build();
    }

    private List<Scenario> severalClients() {
        String each = CLIENTS + " clients, one thread each, ";
        Scenario steady = increments(
                "several-clients-steady",
                rate + " commands per second by " + CLIENTS + " clients together",
                contenders(mainSend, each + "a steady rate", TrafficKind.STEADY, CLIENTS));
        return parameters.quick()
                ? List.of(steady)
                : List.of(
                        steady,
                        increments(
                                "several-clients",
                                CLIENTS + " clients fire and forget: bounded against unbounded",
                                contenders(mainSend, each + "which looks at no reply", TrafficKind.FLOOD, CLIENTS)));
    }

    /** Over a long distance, a client with a window sends at most one window in each round trip. */
    private Scenario distant() {
        // All commands of one thread use the same connection.
        int window = ClientOptions.IN_FLIGHT.defaultValue();
        double mostPerSecond = window / (DISTANT.toMillis() / 1e3);
        Scenario.Builder scenario = builder(
                        "fire-and-forget-160ms",
                        "Fire and forget over a long distance: bounded against unbounded",
                        contenders(mainSend, "one thread looks at no reply", TrafficKind.FLOOD, 1))
                .roundTrip(DISTANT);
        return scenario.bars(
                        nothingTimesOut(),
                        Bar.absolute("per second", OURS, Figure.PER_SECOND, Limit.atLeast(0.9 * mostPerSecond)))
                .build();
    }

    private List<JvmContender> contenders(List<LibraryMode> modes, String note, TrafficKind kind, int clients) {
        return modes.stream()
                .map(mode -> contender(mode, mode.label(), note, kind, clients, 0))
                .toList();
    }

    /** Every mode, and the main mode of each library with a semaphore of the caller. */
    private List<JvmContender> flood() {
        List<JvmContender> contenders = new ArrayList<>(
                contenders(parameters.quick() ? mainSend : send, "one thread looks at no reply", TrafficKind.FLOOD, 1));
        mainSend.forEach(mode -> contenders.add(contender(
                mode,
                mode.label("semaphore"),
                "one thread, which a semaphore of the caller limits to " + WINDOW + " commands in flight",
                TrafficKind.FLOOD,
                1,
                WINDOW)));
        return contenders;
    }

    private JvmContender contender(
            LibraryMode mode, String label, String note, TrafficKind kind, int clients, int limit) {
        Work work = new Work(kind, clients, limit);
        return mode.contender(
                label,
                note + ", time limit " + kind.timeLimit(time).toMillis() + " ms, heap 1 GB",
                work.of(mode, Math.max(1, rate / clients), time),
                HEAP);
    }

    private record Work(TrafficKind kind, int clients, int limit) {
        TrafficWork of(LibraryMode mode, long rate, Duration time) {
            return new TrafficWork(mode, kind, clients, limit, rate, time);
        }
    }

    /** A new process for each round: what a flood leaves in the heap must not change the next round. */
    private Scenario increments(String name, String title, List<JvmContender> contenders) {
        return builder(name, title, contenders).bars(nothingTimesOut()).build();
    }

    private static Bar nothingTimesOut() {
        return Bar.absolute(TIMED_OUT, OURS, outcome(Outcomes::timedOut), Limit.atMost(0));
    }

    private Scenario.Builder builder(String name, String title, List<JvmContender> contenders) {
        return Scenario.named(name, title)
                .contenders(contenders)
                .plan(RoundPlan.ONE_UNIT.withForks(4).withRounds(1).withExpectedUnit(time))
                .server(TrafficWork.serverUse())
                .figure("issued", Figure.own("issued"))
                .figure(TIMED_OUT, outcome(Outcomes::timedOut))
                .figure("refused", outcome(Outcomes::refused))
                .figure("lost", outcome(Outcomes::lost))
                .figure("pending at the end", Figure.own("pendingAtTheEnd"));
    }

    private static Figure outcome(ToLongFunction<Outcomes> number) {
        return sample -> sample.details().outcomes().stream()
                .mapToDouble(number::applyAsLong)
                .findFirst();
    }

    private Scenario sendWindow() {
        List<JvmContender> contenders = (parameters.quick() ? mainSend : send)
                .stream()
                        .filter(mode -> !mode.mode().name().equals("request-queue"))
                        .map(mode -> mode.contender(
                                mode.label(),
                                "one thread, " + WINDOW + " commands in flight",
                                new PairWork(
                                        mode,
                                        () -> PairData.inFlight(parameters, WINDOW),
                                        Math.max(2, parameters.size(50_000)),
                                        PairWork.window(WINDOW)),
                                HEAP))
                        .toList();
        return Scenario.named("send-" + WINDOW, "SET and GET with " + WINDOW + " commands in flight")
                .contenders(contenders)
                .plan(RoundPlan.USUAL.withWarmUps(2))
                .server(PairData.inFlight(parameters, WINDOW).serverUse())
                .bars(Calls.barsOf(
                        parameters,
                        contenders,
                        Bar.absolute("client CPU, us per command", OURS, Figure.CLIENT_CPU_MICROS, Limit.atMost(1.5)),
                        new Bar(
                                "per second",
                                OURS,
                                Figure.PER_SECOND,
                                List.of("lettuce", "lettuce/send-flush-100"),
                                Optional.empty())))
                .build();
    }
}
