// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import static io.millrace.lab.experiment.Bar.Limit.atMost;

import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.experiment.Work;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/** Experiment E5: caches of texts that take long to compute. */
public final class CacheExperiment {

    private static final ServerUse UNCHECKED = ServerUse.checkedBy((server, sample) -> List.of());

    /** For rounds that consist of a wait of known length, and for rounds that break the connections. */
    private static final RoundPlan ONCE = RoundPlan.ONE_UNIT.withRounds(1);

    private static final RoundPlan READS = RoundPlan.USUAL.withForks(2).withRounds(3);

    /**
     * For a limit of a few percent beside bare commands. Processes of one program differ by more than that, so more
     * processes say more than more rounds.
     */
    private static final RoundPlan BESIDE_BARE = RoundPlan.USUAL.withForks(4).withRounds(3);

    private static final Duration TIME_TO_LIVE = Duration.ofSeconds(10);

    /** The most time that a hit may take, as a multiple of the time of a bare {@code GET}. */
    private static final double CALLS_OF_BARE = 1.05;

    /** The same for many keys, compared with {@code MGET}. */
    private static final double KEYS_OF_BARE = 1.10;

    /** The most microseconds that a near hit may take. */
    private static final double NEAR_HIT_MICROS = 0.2;

    /** The most milliseconds of a call, with its computation, once the cache knows that Redis does not answer. */
    private static final double CALL_WITHOUT_REDIS_MILLIS = 2.0 * LostServerWork.COMPUTE.toMillis();

    private final Parameters parameters;
    private final Texts texts;
    private final int keys;
    private final Duration compute;

    private CacheExperiment(Parameters parameters) {
        this.parameters = parameters;
        texts = new Texts(parameters.payloadBytes(Texts.USUAL_BYTES));
        keys = parameters.keys(parameters.quick() ? 100 : 1_000);
        compute = parameters.quick() ? Duration.ofMillis(100) : Duration.ofSeconds(5);
    }

    public static Experiment of(Parameters parameters) {
        var e5 = new CacheExperiment(parameters);
        return new Experiment(
                "e5",
                "Cache-aside",
                "How fast are caches of slow results, how often do they compute, and do they work without Redis? Three"
                        + " of them compute a text once for the callers of all processes: Millrace with a lease, Spring"
                        + " with a locking cache writer, and Redisson with computeIfAbsent.",
                List.of(
                        e5.calls(),
                        e5.hits(1, 200),
                        e5.hits(64, 6_400),
                        e5.nearHitsOfOne(),
                        e5.nearHitsOfMany(),
                        e5.multiGet(),
                        e5.stampede(),
                        e5.lostServer(false),
                        e5.lostServer(true)));
    }

    private static List<JvmContender> contenders(
            List<CacheLibrary> libraries, String note, Function<CacheLibrary, Work> work) {
        return libraries.stream()
                .map(library -> library.contender(library.description().mode(), note, work.apply(library)))
                .toList();
    }

    private Scenario calls() {
        return Scenario.named(
                        "calls", "The first and the second call of a text that takes " + seconds() + " to compute")
                .unit("calls")
                .contenders(contenders(
                        CacheLibrary.PLAIN,
                        "the text lives " + TIME_TO_LIVE.toSeconds() + " s",
                        library -> context -> new CallWork(
                                library.opener().open(context.target().withConnections(1), TIME_TO_LIVE),
                                compute,
                                texts)))
                .plan(ONCE.withExpectedUnit(compute))
                .server(UNCHECKED)
                .figure(CallWork.FIRST, Figure.own(CallWork.FIRST))
                .figure(CallWork.SECOND, Figure.own(CallWork.SECOND))
                .notCompared()
                .build();
    }

    private String seconds() {
        return compute.toMillis() / 1e3 + " s";
    }

    private Scenario hits(int callers, long operations) {
        var size = new ReadWork.Size(callers, keys, false, parameters.size(operations));
        return reads("hits-" + callers, "Hits of " + (callers == 1 ? "one caller" : callers + " callers"), false)
                .plan(forReads(BESIDE_BARE))
                .contenders(contenders(
                        CacheLibrary.BARE_AND_PLAIN,
                        callers == 1 ? "one platform thread" : callers + " virtual threads",
                        library -> read(library, size)))
                .bars(besideBare(CALLS_OF_BARE))
                .build();
    }

    /** The limit of the cache, compared with the commands that no cache can avoid. */
    private static Bar besideBare(double times) {
        return Bar.ratio(
                "texts per second",
                MillraceCache.CACHE.label(),
                Figure.PER_SECOND,
                List.of(MillraceCache.BARE.label()),
                Bar.Limit.atLeast(1 / times));
    }

    private Scenario nearHitsOfOne() {
        return nearHits(1)
                .bars(Bar.absolute(
                        ReadWork.MEDIAN,
                        MillraceCache.NEAR.label(),
                        Figure.own(ReadWork.MEDIAN),
                        atMost(NEAR_HIT_MICROS)))
                .build();
    }

    private Scenario nearHitsOfMany() {
        return nearHits(64).build();
    }

    private Scenario.Builder nearHits(int callers) {
        var size = new ReadWork.Size(callers, keys, false, parameters.size(100_000));
        String who = callers == 1 ? "one caller" : callers + " callers";
        String threads = callers == 1 ? "one platform thread" : callers + " virtual threads";
        return reads("hits-near-" + callers, "Hits of " + who + " in caches that keep entries in the process", true)
                .contenders(contenders(
                        CacheLibrary.NEAR,
                        threads + "; the near cache is full before the round",
                        library -> read(library, size)));
    }

    private Scenario multiGet() {
        var oneByOne = new ReadWork.Size(1, keys, false, parameters.size(keys));
        var allAtOnce = new ReadWork.Size(1, keys, true, keys);
        CacheLibrary spring = SpringCache.CACHEABLE;
        return reads("multiget", keys + " keys read by one caller", false)
                .plan(forReads(BESIDE_BARE))
                .contender(spring.contender("one-by-one", "one call for each key", read(spring, oneByOne)))
                .contenders(contenders(
                        CacheLibrary.BARE_AND_PLAIN, "one call for all keys", library -> read(library, allAtOnce)))
                .bars(besideBare(KEYS_OF_BARE))
                .build();
    }

    private Work read(CacheLibrary library, ReadWork.Size size) {
        return context -> new ReadWork(library, context.target(), size, texts);
    }

    private Scenario.Builder reads(String name, String title, boolean near) {
        return Scenario.named(name, title)
                .unit("texts")
                .plan(forReads(READS))
                .server(ServerReads.of(keys, near))
                .figure(ReadWork.MEDIAN, Figure.own(ReadWork.MEDIAN))
                .figure(ReadWork.SLOW, Figure.own(ReadWork.SLOW));
    }

    private RoundPlan forReads(RoundPlan plan) {
        return parameters.quick() ? plan.withWarmUps(0).withRounds(1) : plan;
    }

    private Scenario stampede() {
        int callers = (int) parameters.size(1_000);
        Duration shorter = compute.dividedBy(4);
        RoundPlan plan = RoundPlan.ONE_UNIT.withForks(2).withRounds(3).withExpectedUnit(shorter.plus(Stampede.LIFE));
        return Scenario.named("stampede", callers + " callers in each of two processes request a text that expires")
                .unit("callers")
                .contenders(contenders(
                                parameters.quick()
                                        ? List.of(JedisCache.LOOP, MillraceCache.CACHE) // each starts a second JVM
                                        : CacheLibrary.CONCURRENT,
                                "virtual threads; a computation takes " + shorter.toMillis() / 1e3 + " s",
                                library -> context -> StampedeWork.open(library, context.target(), callers, shorter))
                        .stream()
                        .map(contender -> contender.label().equals(MillraceCache.WITH_LEASE.label())
                                ? contender.asReference() // not the default of Millrace
                                : contender)
                        .toList())
                .plan(plan)
                .server(UNCHECKED)
                .figure(StampedeWork.MOST_IN_ONE_PROCESS, Figure.own(StampedeWork.MOST_IN_ONE_PROCESS))
                .figure(StampedeWork.LAST_ANSWER, Figure.own(StampedeWork.LAST_ANSWER))
                .comparedBy(StampedeWork.COMPUTATIONS, Figure.own(StampedeWork.COMPUTATIONS), true)
                .build();
    }

    private Scenario lostServer(boolean silent) {
        int callers = (int) parameters.size(64);
        return Scenario.named(
                        silent ? "lost-silent" : "lost-gone",
                        silent
                                ? "Redis does not answer any more"
                                : "Connections to Redis have ended, new ones are refused")
                .unit("calls")
                .contenders(contenders(
                        CacheLibrary.PLAIN_AND_GUARDED.stream()
                                // Redisson repeats each command for some seconds.
                                .filter(library -> !parameters.quick()
                                        || !library.description().library().equals("redisson"))
                                .toList(),
                        callers + " virtual threads, one key each, two calls one after the other; a command may take "
                                + LostServerWork.TIMEOUT.toMillis() + " ms, a computation takes "
                                + LostServerWork.COMPUTE.toMillis() + " ms",
                        library -> context -> new LostServerWork(library, context.target(), silent, callers, texts)))
                .plan(ONCE.withForks(4).withExpectedUnit(Duration.ofMillis(900)))
                .server(UNCHECKED)
                .figure(LostServerWork.MEDIAN, Figure.own(LostServerWork.MEDIAN))
                .figure(LostServerWork.LAST, Figure.own(LostServerWork.LAST))
                .figure(LostServerWork.LAST_OF_SECOND, Figure.own(LostServerWork.LAST_OF_SECOND))
                .bars(Bar.absolute(
                        LostServerWork.LAST_OF_SECOND,
                        MillraceCache.CACHE.label(),
                        Figure.own(LostServerWork.LAST_OF_SECOND),
                        atMost(CALL_WITHOUT_REDIS_MILLIS)))
                .build();
    }
}
