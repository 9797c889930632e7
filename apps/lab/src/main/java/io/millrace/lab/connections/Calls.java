// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import static io.millrace.lab.experiment.Bar.Limit.atLeast;
import static io.millrace.lab.experiment.Bar.Limit.atMost;

import io.millrace.lab.client.ClientLibrary;
import io.millrace.lab.client.UsageMode.Capability;
import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Mix;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Scenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** {@code SET} and {@code GET} by callers that wait for each reply. */
public final class Calls {

    private static final String PER_SECOND = "per second";
    private static final String SERVER_CPU = "server CPU, us per command";
    private static final String PLATFORM = "millrace/platform";
    private static final String VIRTUAL = "millrace/virtual";

    /** Part of the rate without fusion. A program that gains nothing by fusion must not become slower. */
    private static final double AS_UNFUSED = 0.97;

    /**
     * Limit for the server's CPU time with fusion, divided by the time without fusion. Above this limit, fusion should
     * not be the default for shared calls.
     */
    private static final double FUSED_SERVER_CPU = 0.9;

    /** The numbers of callers of the limits that name the small program over one socket. */
    private static final Set<Integer> CALLERS_WITH_REFERENCE = Set.of(8, 64);

    private static final List<String> NO_PEERS = List.of("millrace", "raw-socket");

    /** By the number of callers: the lowest rate that Millrace promises, divided by the rate of the best peer. */
    private static final Map<Integer, Double> MIN_TO_BEST_PEER = Map.of(64, 3.0, 512, 3.5);

    private final Parameters parameters;
    private final List<ClientLibrary> libraries;

    private Calls(Parameters parameters, List<ClientLibrary> libraries) {
        this.parameters = parameters;
        this.libraries = libraries;
    }

    public static Experiment of(Parameters parameters) {
        return of(parameters, LibraryMode.libraries());
    }

    static Experiment of(Parameters parameters, List<ClientLibrary> libraries) {
        return new Calls(parameters, libraries).experiment();
    }

    private Experiment experiment() {
        return new Experiment(
                "calls",
                "Calls that wait",
                "How many commands per second does a client reach if 1, 8, 64 or 512 callers wait for each reply?",
                List.of(
                        scenario(
                                1,
                                5_000,
                                perSecond(PLATFORM, 0.8, "jedis/platform-own-connection"),
                                asUnfused(PLATFORM)),
                        scenario(
                                8,
                                12_000,
                                perSecond(PLATFORM, 1, "jedis/platform"),
                                perSecond(PLATFORM, 0.9, "raw-socket/platform"),
                                asUnfused(VIRTUAL),
                                serverCpu()),
                        scenario(
                                64,
                                32_000,
                                perSecond(VIRTUAL, 0.9, "raw-socket/virtual"),
                                asUnfused(VIRTUAL),
                                serverCpu()),
                        scenario(512, 51_200, asUnfused(VIRTUAL), serverCpu()),
                        sets()));
    }

    /** The rate of Millrace, divided by the rate of the best of all peers. */
    private static Bar bestPeer(List<JvmContender> contenders, double limit) {
        String[] peers = contenders.stream()
                .filter(contender -> !NO_PEERS.contains(contender.description().library()))
                .map(Contender::label)
                .toArray(String[]::new);
        return perSecond(VIRTUAL, limit, peers);
    }

    private static Bar perSecond(String contender, double limit, String... others) {
        return Bar.ratio(PER_SECOND, contender, Figure.PER_SECOND, List.of(others), atLeast(limit));
    }

    private static Bar asUnfused(String contender) {
        return perSecond(contender, AS_UNFUSED, contender + "-unfused");
    }

    /** Without a limit, because {@code GET} is not fused and the fused batches are small. */
    private static Bar serverCpu() {
        return new Bar(SERVER_CPU, VIRTUAL, Figure.SERVER_CPU_MICROS, List.of(VIRTUAL + "-unfused"), Optional.empty());
    }

    private Scenario scenario(int callers, long size, Bar... bars) {
        List<JvmContender> contenders = new ArrayList<>();
        for (ThreadKind threads : ThreadKind.values()) {
            LibraryMode.fewIfQuick(parameters, LibraryMode.with(Capability.CALL, libraries)).stream()
                    .filter(mode -> takesPart(mode, callers, threads))
                    .map(mode -> mode.recommended(contender(mode, callers, threads, size, Mix.HALF)))
                    .map(contender -> isUsual(callers, threads) || callers >= 64
                            ? contender
                            : contender
                                    .unfair("the other libraries run with platform threads here")
                                    .asReference())
                    .forEach(contenders::add);
        }
        List<Bar> limits = new ArrayList<>(List.of(bars));
        MIN_TO_BEST_PEER.entrySet().stream()
                .filter(limit -> limit.getKey() == callers)
                .forEach(limit -> limits.addFirst(bestPeer(contenders, limit.getValue())));
        return build(
                callers + (callers == 1 ? "-caller" : "-callers"),
                "SET and GET by " + callers + (callers == 1 ? " caller" : " callers"),
                contenders,
                PairData.of(parameters, callers),
                limits.toArray(Bar[]::new));
    }

    private static boolean isUsual(int callers, ThreadKind threads) {
        return threads == (callers >= 64 ? ThreadKind.VIRTUAL : ThreadKind.PLATFORM);
    }

    private boolean takesPart(LibraryMode mode, int callers, ThreadKind threads) {
        boolean isOurs = mode.isOf(List.of("millrace"));
        boolean isReference = mode.isOf(List.of("raw-socket"));
        if (isUsual(callers, threads)) {
            return isUsefulMode(mode, callers)
                    && !(isReference && !CALLERS_WITH_REFERENCE.contains(callers))
                    && !(callers == 8 && isOurs && !mode.isMain()); // measured with virtual threads
        }
        boolean isCompared = callers >= 64 ? mode.isMain() && !isReference : callers == 8 && isOurs;
        return !parameters.quick() && isCompared;
    }

    /** A connection for one thread is for one caller; a pool of Lettuce differs from a shared connection with 64. */
    private static boolean isUsefulMode(LibraryMode mode, int callers) {
        return mode.isMain()
                || mode.mode().name().equals("unfused")
                || (mode.isForManyThreads() ? callers == 64 : callers == 1);
    }

    /** How much fusion saves if all callers only set keys. */
    private Scenario sets() {
        List<JvmContender> contenders = LibraryMode.with(Capability.CALL, libraries).stream()
                .filter(mode -> mode.isOf(List.of("millrace")))
                .map(mode -> mode.recommended(contender(mode, 64, ThreadKind.VIRTUAL, 32_000, Mix.WRITES)))
                .toList();
        return build(
                "64-callers-sets",
                "SET by 64 callers, fused and unfused",
                contenders,
                PairData.of(parameters, 64, 16, Mix.WRITES),
                Bar.ratio(
                        SERVER_CPU,
                        VIRTUAL,
                        Figure.SERVER_CPU_MICROS,
                        List.of(VIRTUAL + "-unfused"),
                        atMost(FUSED_SERVER_CPU)),
                perSecond(VIRTUAL, 1, VIRTUAL + "-unfused"));
    }

    private JvmContender contender(LibraryMode mode, int callers, ThreadKind threads, long size, Mix mix) {
        return contender(parameters, mode, callers, threads, size, mix);
    }

    static JvmContender contender(
            Parameters parameters, LibraryMode mode, int callers, ThreadKind threads, long size, Mix mix) {
        long commandsPerCaller = Math.max(1, parameters.size(size) / callers);
        return mode.contender(
                mode.label(threads.label()),
                callers + " " + threads.label() + (callers == 1 ? " thread" : " threads")
                        + ", a call waits for the reply",
                new PairWork(
                        mode,
                        () -> PairData.of(parameters, callers, 16, mix),
                        commandsPerCaller,
                        PairWork.calls(threads)));
    }

    private Scenario build(String name, String title, List<JvmContender> contenders, PairData data, Bar... bars) {
        return Scenario.named(name, title)
                .contenders(contenders)
                .plan(RoundPlan.USUAL)
                .server(data.serverUse())
                .bars(barsOf(parameters, contenders, bars))
                .build();
    }

    /** A quick run leaves contenders out, and the bars that need them. */
    static Bar[] barsOf(Parameters parameters, List<JvmContender> contenders, Bar... bars) {
        List<String> labels = contenders.stream().map(Contender::label).toList();
        return List.of(bars).stream()
                .filter(bar ->
                        !parameters.quick() || (labels.contains(bar.contender()) && labels.containsAll(bar.others())))
                .toArray(Bar[]::new);
    }
}
