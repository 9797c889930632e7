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
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Scenario;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.ToLongFunction;

/** Commands that are sent without waiting, second by second. */
public final class AsynchronousThroughput {

    private static final String OURS = "millrace";
    private static final String TIMED_OUT = "timed out";
    private static final String WITHOUT_PROGRESS = "seconds without progress";
    private static final String UNLIMITED = ", with the limits of each client: bounded against unbounded";
    private static final int CLIENTS = 4;
    private static final int WINDOW = 10_000;
    private static final long RATE = 10_000;

    /** Between two continents, as in the reference measurements. */
    private static final Duration DISTANT = Duration.ofMillis(160);

    /** The same heap for all, so that a client without a limit cannot use the whole memory of the machine. */
    private static final List<String> HEAP = List.of("-Xmx1g");

    /** Each round opens new clients. */
    private static final Duration NEW_CLIENTS = Duration.ofSeconds(1);

    /** What the end of a flood costs: the wait for pending commands, and the end of the client. */
    private static final Duration AFTER_FLOOD = Duration.ofSeconds(5);

    private final Parameters parameters;
    private final Duration time;
    private final Duration limitedTime;
    private final long rate;

    /** All modes that send, but for those with a limit of their own. */
    private final List<LibraryMode> send;

    private final List<LibraryMode> mainSend;

    /** The modes whose default limits differ. */
    private final List<LibraryMode> flooding;

    private final List<LibraryMode> mainCall;

    private AsynchronousThroughput(Parameters parameters, List<ClientLibrary> libraries) {
        this.parameters = parameters;
        this.time = roundTime(parameters, 3_000);
        this.limitedTime = roundTime(parameters, 1_500);
        this.rate = parameters.rate().orElse(RATE);
        List<LibraryMode> all = LibraryMode.with(Capability.SEND, libraries);
        this.send = LibraryMode.fewIfQuick(
                parameters,
                all.stream()
                        .filter(mode -> !mode.mode().name().equals("request-queue"))
                        .toList());
        this.mainSend = LibraryMode.fewIfQuick(parameters, LibraryMode.main(Capability.SEND, libraries));
        // INCR is not fused, so Millrace without fusion would be the same.
        this.flooding = LibraryMode.fewIfQuick(
                parameters, all.stream().filter(LibraryMode::isRecommended).toList());
        this.mainCall = LibraryMode.fewIfQuick(parameters, LibraryMode.main(Capability.CALL, libraries));
    }

    private static Duration roundTime(Parameters parameters, long usualMillis) {
        return parameters.duration().orElse(Duration.ofMillis(parameters.quick() ? 300 : usualMillis));
    }

    public static Experiment of(Parameters parameters) {
        return of(parameters, LibraryMode.libraries());
    }

    static Experiment of(Parameters parameters, List<ClientLibrary> libraries) {
        return new AsynchronousThroughput(parameters, libraries).experiment();
    }

    private Experiment experiment() {
        List<Scenario> scenarios = new ArrayList<>(List.of(
                builder("sync", "One thread waits for each reply", limitedPlan(2, limitedTime))
                        .contenders(contenders(
                                mainCall, new Load("waits for each reply", TrafficKind.SYNCHRONOUS, 1, 0, limitedTime)))
                        .bars(promises())
                        .build(),
                flood("fire-and-forget", "Fire and forget", flooding, 1, 3).build(),
                limited("fire-and-forget", "Fire and forget", 1, 3, limitedTime).build(),
                blockingCallbacks(),
                steady("steady-rate", rate + " commands per second by one client", 1),
                steady(
                        "several-clients-steady",
                        rate + " commands per second by " + CLIENTS + " clients together",
                        CLIENTS)));
        if (!parameters.quick()) {
            String several = CLIENTS + " clients fire and forget";
            scenarios.add(
                    flood("several-clients", several, mainSend, CLIENTS, 2).build());
            scenarios.add(
                    limited("several-clients", several, CLIENTS, 2, limitedTime).build());
        }
        scenarios.add(sendWindow());
        if (!parameters.quick()) {
            scenarios.addAll(distant());
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
        Load load = new Load(
                "each of ten callbacks blocks for the time limit of a command",
                TrafficKind.BLOCKING_CALLBACKS,
                1,
                0,
                time);
        return builder(
                        "blocking-callbacks",
                        "Ten commands whose callbacks block as long as the time limit",
                        plan(2, 2, time))
                .contenders(contenders(mainSend, load))
                .comparedBy("commands that succeeded", succeeded, false)
                .bars(Bar.absolute("succeeded", OURS, succeeded, Limit.atLeast(10)), nothingPending())
                .build();
    }

    /** The rate is given, so the rates of the clients cannot differ. The question is whether all commands succeed. */
    private Scenario steady(String name, String title, int clients) {
        return builder(name, title, plan(2, 2, time))
                .contenders(contenders(mainSend, new Load("a steady rate", TrafficKind.STEADY, clients, 0, time)))
                .notCompared()
                .bars(promises())
                .build();
    }

    /**
     * Each client has its own limit, such as a window, or no limit at all. These rates cannot be compared: a client that
     * refuses commands, or that keeps them until they time out, does something else than a client that lets the caller
     * wait. A new process for each round, because a flood leaves garbage in the heap.
     */
    private Scenario.Builder flood(String name, String title, List<LibraryMode> modes, int clients, int forks) {
        Load load = new Load("looks at no reply", TrafficKind.FLOOD, clients, 0, time);
        return builder(name, title + UNLIMITED, plan(forks, 1, time.plus(AFTER_FLOOD)))
                .contenders(contenders(modes, load))
                .notCompared()
                .bars(promises());
    }

    /** The same, but a semaphore of the caller gives all clients together the same limit. */
    private Scenario.Builder limited(String name, String title, int clients, int forks, Duration roundTime) {
        Load load = new Load(
                "looks at no reply, and a semaphore of the caller",
                TrafficKind.FLOOD,
                clients,
                WINDOW / clients,
                roundTime);
        return builder(
                        name + "-limited",
                        title + ", " + WINDOW + " commands in flight by a semaphore of the caller",
                        limitedPlan(forks, roundTime))
                .contenders(contenders(
                        send.stream().filter(LibraryMode::isRecommended).toList(), load))
                .bars(promises());
    }

    /** Over a long distance, a client with a window sends at most one window in each round trip. */
    private List<Scenario> distant() {
        // All commands of one thread use the same connection.
        Bar ownWindow = perSecondOfWindow(ClientOptions.IN_FLIGHT.defaultValue());
        String title = "Fire and forget over a long distance";
        Scenario.Builder flood = flood("fire-and-forget-160ms", title, mainSend, 1, 2);
        Scenario.Builder limited = limited("fire-and-forget-160ms", title, 1, 2, time);
        return List.of(
                flood.roundTrip(DISTANT).bars(ownWindow).build(),
                limited.roundTrip(DISTANT).bars(perSecondOfWindow(WINDOW)).build());
    }

    private static Bar perSecondOfWindow(int window) {
        double mostPerSecond = window / (DISTANT.toMillis() / 1e3);
        return Bar.absolute("per second", OURS, Figure.PER_SECOND, Limit.atLeast(0.9 * mostPerSecond));
    }

    /**
     * What the callers do.
     *
     * @param clients number of clients, each with one thread
     * @param limit commands in flight of one client, which the caller limits by a semaphore; 0 without a semaphore
     */
    private record Load(String note, TrafficKind kind, int clients, int limit, Duration time) {

        String text() {
            String threads = clients == 1 ? "one thread: " : clients + " clients, one thread each: ";
            return threads + note + ", time limit " + kind.timeLimit(time).toMillis() + " ms, heap 1 GB"
                    + (limit == 0 ? "" : ", in flight in each client at most " + limit);
        }

        TrafficWork work(LibraryMode mode, long rate) {
            return new TrafficWork(mode, kind, clients, limit, Math.max(1, rate / clients), time);
        }
    }

    private List<JvmContender> contenders(List<LibraryMode> modes, Load load) {
        return modes.stream()
                .map(mode -> mode.contender(mode.label(), load.text(), load.work(mode, rate), HEAP))
                .toList();
    }

    private static RoundPlan plan(int forks, int rounds, Duration unit) {
        return RoundPlan.ONE_UNIT.withForks(forks).withRounds(rounds).withExpectedUnit(unit.plus(NEW_CLIENTS));
    }

    private static RoundPlan limitedPlan(int forks, Duration roundTime) {
        return plan(forks, 2, roundTime).withWarmUps(1);
    }

    /** What Millrace promises in every scenario in which the caller does not block the client. */
    private static Bar[] promises() {
        return new Bar[] {
            Bar.absolute(TIMED_OUT, OURS, outcome(Outcomes::timedOut), Limit.atMost(0)),
            nothingPending(),
            Bar.absolute(WITHOUT_PROGRESS, OURS, AsynchronousThroughput::secondsWithoutProgress, Limit.atMost(0))
        };
    }

    private static Bar nothingPending() {
        return Bar.absolute("pending at the end", OURS, Figure.own(TrafficWork.PENDING), Limit.atMost(0));
    }

    /**
     * Seconds in which commands were issued or pending, and the server executed none. Empty if the server did not report
     * its commands of any second. The last second is not a whole one.
     */
    static OptionalDouble secondsWithoutProgress(Sample sample) {
        var known = sample.seconds().stream()
                .limit(Math.max(0, sample.seconds().size() - 1))
                .filter(second -> second.serverCommands() >= 0)
                .toList();
        return known.isEmpty()
                ? OptionalDouble.empty()
                : OptionalDouble.of((double) known.stream()
                        .filter(second -> second.issued() + second.pending() > 0 && second.serverCommands() == 0)
                        .count());
    }

    private static Scenario.Builder builder(String name, String title, RoundPlan plan) {
        return Scenario.named(name, title)
                .plan(plan)
                .server(TrafficWork.serverUse())
                .figure("issued", Figure.own(TrafficWork.ISSUED))
                .figure(TIMED_OUT, outcome(Outcomes::timedOut))
                .figure("refused", outcome(Outcomes::refused))
                .figure("lost", outcome(Outcomes::lost))
                .figure("pending at the end", Figure.own(TrafficWork.PENDING))
                .figure(WITHOUT_PROGRESS, AsynchronousThroughput::secondsWithoutProgress);
    }

    private static Figure outcome(ToLongFunction<Outcomes> number) {
        return sample -> sample.details().outcomes().stream()
                .mapToDouble(number::applyAsLong)
                .findFirst();
    }

    private Scenario sendWindow() {
        List<JvmContender> contenders = send.stream()
                .map(mode -> mode.recommended(mode.contender(
                        mode.label(),
                        "one thread, " + WINDOW + " commands in flight",
                        new PairWork(
                                mode,
                                () -> PairData.inFlight(parameters, WINDOW),
                                Math.max(2, parameters.size(50_000)),
                                PairWork.window(WINDOW)),
                        HEAP)))
                .toList();
        return Scenario.named("send-" + WINDOW, "SET and GET with " + WINDOW + " commands in flight")
                .contenders(contenders)
                .plan(RoundPlan.USUAL)
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
