// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.experiment.Work;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Experiment E5: caches of texts that take long to compute. */
public final class CacheExperiment {

    private static final ServerUse UNCHECKED = ServerUse.checkedBy((server, sample) -> List.of());

    /** For rounds that consist of a wait of known length, and for rounds that break the connections. */
    private static final RoundPlan ONCE = RoundPlan.ONE_UNIT.withRounds(1);

    private final Parameters parameters;
    private final Texts texts;
    private final int keys;
    private final Duration compute;
    private final Duration timeToLive;

    private CacheExperiment(Parameters parameters) {
        this.parameters = parameters;
        texts = new Texts(parameters.payloadBytes(Texts.USUAL_BYTES));
        keys = parameters.keys(1_000);
        compute = parameters.quick() ? Duration.ofMillis(100) : Duration.ofSeconds(5);
        timeToLive = Duration.ofSeconds(10);
    }

    public static Experiment of(Parameters parameters) {
        return new CacheExperiment(parameters).experiment();
    }

    private Experiment experiment() {
        return new Experiment(
                "e5",
                "Cache-aside",
                "How fast are caches of slow results, how often do they compute, and do they work without Redis?",
                List.of(
                        calls(false),
                        calls(true),
                        hits(1, 200),
                        hits(64, 6_400),
                        nearHits(),
                        multiGet(),
                        stampede(1),
                        stampede(2),
                        warmUp(),
                        lostServer(false),
                        lostServer(true)));
    }

    private static List<JvmContender> contenders(
            List<CacheLibrary> libraries, String note, Function<CacheLibrary, Work> work) {
        return libraries.stream()
                .map(library -> library.contender(note, work.apply(library)))
                .toList();
    }

    private Scenario calls(boolean second) {
        return Scenario.named(
                        second ? "calls-second" : "calls-first",
                        (second ? "The second call of a text that takes " : "The first call of a text that takes ")
                                + compute.toMillis() + " ms to compute")
                .unit("calls")
                .contenders(contenders(
                        CacheLibrary.PLAIN,
                        "the text lives " + timeToLive.toSeconds() + " s",
                        library -> new CallWork(library, second, compute, timeToLive, texts)))
                .plan(parameters.plan(ONCE.withExpectedUnit(second ? Duration.ofMillis(1) : compute)))
                .server(UNCHECKED)
                .build();
    }

    private Scenario hits(int callers, long operations) {
        return reads("hits-" + callers, "Hits of " + (callers == 1 ? "one caller" : callers + " callers"))
                .contenders(contenders(
                        CacheLibrary.BARE_AND_PLAIN,
                        callers == 1 ? "one platform thread" : callers + " virtual threads",
                        library -> new ReadWork(library, callers, keys, false, parameters.size(operations), texts)))
                .server(ServerReads.oneForEachAnswer())
                .build();
    }

    private Scenario nearHits() {
        return reads("hits-near-64", "Hits of 64 callers in caches that keep entries in the process")
                .contenders(contenders(
                        CacheLibrary.NEAR,
                        "64 virtual threads; the near cache is full before the round",
                        library -> new ReadWork(library, 64, keys, false, parameters.size(100_000), texts)))
                .server(ServerReads.forFewAnswers(10L * keys).and(WarmUpWork.entries(keys)))
                .build();
    }

    private Scenario multiGet() {
        var contenders = new ArrayList<JvmContender>();
        contenders.add(SpringCache.CACHEABLE.contender(
                "one-by-one", "one call for each key", manyKeys(SpringCache.CACHEABLE, false)));
        contenders.addAll(contenders(CacheLibrary.PLAIN, "one call for all keys", library -> manyKeys(library, true)));
        return reads("multiget", keys + " keys read by one caller")
                .contenders(contenders)
                .server(ServerReads.oneForEachAnswer())
                .build();
    }

    private Work manyKeys(CacheLibrary library, boolean allAtOnce) {
        return new ReadWork(
                library,
                1,
                keys,
                allAtOnce,
                allAtOnce ? Math.max(keys, parameters.size(keys)) : parameters.size(200),
                texts);
    }

    private Scenario.Builder reads(String name, String title) {
        return Scenario.named(name, title)
                .unit("texts")
                .plan(parameters.plan(RoundPlan.USUAL))
                .figure(ReadWork.MEDIAN, Figure.own(ReadWork.MEDIAN))
                .figure(ReadWork.SLOW, Figure.own(ReadWork.SLOW));
    }

    private Scenario stampede(int processes) {
        int callers = (int) Math.max(1, parameters.size(1_000L * processes) / processes);
        RoundPlan expiry = ONCE.withExpectedUnit(compute.plus(Stampede.LIFE));
        Scenario.Builder scenario = Scenario.named(
                        "stampede-" + processes,
                        callers + " callers" + (processes == 1 ? "" : " in each of two processes")
                                + " request a text that expires")
                .unit("callers")
                .contenders(contenders(
                        CacheLibrary.CONCURRENT,
                        "virtual threads; a computation takes " + compute.toMillis() + " ms",
                        library -> new StampedeWork(library, processes, callers, compute)))
                .plan(parameters.plan(
                        parameters.quick() ? expiry : expiry.withWarmUps(1).withRounds(3)))
                .server(UNCHECKED)
                .figure(StampedeWork.COMPUTATIONS, Figure.own(StampedeWork.COMPUTATIONS))
                .figure(StampedeWork.LAST_ANSWER, Figure.own(StampedeWork.LAST_ANSWER));
        return processes == 1
                ? scenario.build()
                : scenario.figure(StampedeWork.MOST_IN_ONE_PROCESS, Figure.own(StampedeWork.MOST_IN_ONE_PROCESS))
                        .figure(StampedeWork.SECOND_CPU, Figure.own(StampedeWork.SECOND_CPU))
                        .build();
    }

    private Scenario warmUp() {
        long entries = parameters.size(1_000_000);
        return Scenario.named("warmup", entries + " texts written before they are needed")
                .unit("texts")
                .contenders(contenders(
                        CacheLibrary.BARE_AND_PLAIN,
                        "one caller, which makes the texts one at a time",
                        library -> new WarmUpWork(library, entries, texts)))
                .plan(parameters.plan(RoundPlan.USUAL.withWarmUps(1).withExpectedUnit(Duration.ofSeconds(4))))
                .server(ServerUse.checkedBy(WarmUpWork.entries(entries)))
                .build();
    }

    private Scenario lostServer(boolean silent) {
        int callers = (int) parameters.size(64);
        return Scenario.named(
                        silent ? "lost-silent" : "lost-gone",
                        silent
                                ? "Redis does not answer any more"
                                : "Connections to Redis have ended, new ones are refused")
                .unit("callers")
                .contenders(contenders(
                        CacheLibrary.PLAIN_AND_GUARDED,
                        callers + " virtual threads, one key each; a command may take "
                                + LostServerWork.TIMEOUT.toMillis() + " ms, a computation takes "
                                + LostServerWork.COMPUTE.toMillis() + " ms",
                        library -> new LostServerWork(library, silent, callers, texts)))
                .plan(parameters.plan(ONCE.withForks(2).withExpectedUnit(Duration.ofSeconds(1))))
                .server(UNCHECKED)
                .figure(LostServerWork.TEXTS, Figure.own(LostServerWork.TEXTS))
                .figure(LostServerWork.MEDIAN, Figure.own(LostServerWork.MEDIAN))
                .figure(LostServerWork.LAST, Figure.own(LostServerWork.LAST))
                .build();
    }
}
