// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import static io.millrace.lab.experiment.Bar.Limit.atLeast;
import static io.millrace.lab.experiment.Bar.Limit.atMost;

import io.millrace.bitmap.Encoding;
import io.millrace.lab.bitmap.BitClient.Mode;
import io.millrace.lab.bulk.Connections;
import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.server.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** E6: very many bits, the questions about a month of active users, and sparse ids. */
public final class BitmapExperiment {

    private static final long BITS = 10_000_000;
    private static final long IDS = 10_000_000;
    private static final int SPARSE_IDS = 10_000;

    /** A reply for each bit takes so long that fewer bits are set. */
    private static final int FEWER_CALLS = 100;

    /** A redis-server stores at most this many bits in one key, and the lab this many in one array. */
    private static final long MAX_BITS = 1L << 30;

    private static final String PACKED = "millrace/packed";
    private static final String PAGE = "docs/bitmaps.md";

    public static Experiment of(Parameters parameters) {
        long bits = Math.min(parameters.size(BITS), MAX_BITS);
        var month = new Month(Math.min(parameters.size(IDS), MAX_BITS / 10));
        var scenarios = new ArrayList<Scenario>();
        scenarios.add(population(parameters, bits));
        scenarios.add(loadMonth(parameters, month));
        Arrays.stream(Question.values()).forEach(question -> scenarios.add(ask(parameters, month, question)));
        scenarios.addAll(sparse(parameters));
        return new Experiment(
                "e6",
                "Bitmaps",
                "How do very many bits get to the server, what does a month of active users answer, and what do sparse"
                        + " ids take?",
                scenarios);
    }

    /** Random bits by a call for each bit, by pipelines, and packed by the client; then {@code BITCOUNT}. */
    private static Scenario population(Parameters parameters, long bits) {
        var libraries = parameters.quick()
                ? List.of(JedisBits.LIBRARY, MillraceBits.LIBRARY)
                : List.of(JedisBits.LIBRARY, LettuceBits.LIBRARY, RedissonBits.LIBRARY, MillraceBits.LIBRARY);
        var contenders = Stream.of(Mode.values())
                .flatMap(mode -> libraries.stream()
                        .filter(library -> library.notes().containsKey(mode))
                        .map(library -> contender(library, mode, bits)))
                .toList();
        var oneByOne = contenders.stream()
                .map(Contender::label)
                .filter(label -> !label.endsWith("/" + Mode.PACKED.label()))
                .toList();
        return Scenario.named("population", "Random bits, stored and counted")
                .unit("bits")
                .contenders(contenders)
                .plan(parameters.plan(
                        RoundPlan.USUAL.withForks(1).withWarmUps(1).withExpectedUnit(Duration.ofSeconds(6))))
                .server(ServerUse.checkedBy((server, sample) -> bitComplaints(parameters, bits, server, sample)))
                .figure(StoreBits.COUNT_MICROS, Figure.own(StoreBits.COUNT_MICROS))
                .bars(
                        Bar.ratio("bits per second", PACKED, Figure.PER_SECOND, oneByOne, atLeast(50)),
                        Bar.absolute("wall", PACKED, Figure.UNIT_SECONDS, atMost(0.5)))
                .build();
    }

    private static long bits(Mode mode, long bits) {
        return mode == Mode.CALLS ? Math.max(1, bits / FEWER_CALLS) : bits;
    }

    private static JvmContender contender(BitClient.Library library, Mode mode, long bits) {
        String amount = mode == Mode.CALLS ? "; one bit of " + FEWER_CALLS + " bits: compare rates" : "";
        var description = new Description(
                library.name(), mode.label(), library.notes().get(mode) + amount, library.documentation());
        return new JvmContender(
                description,
                new StoreBits(library, mode, bits(mode, bits)),
                List.of(),
                library.equals(JedisBits.LIBRARY) ? Connections::missingForJedis : target -> Optional.empty());
    }

    private static JvmContender millrace(String note, Work work) {
        return new JvmContender(new Description("millrace", "", note, PAGE), work);
    }

    /** Compares every bit. The number of bits must be the number of one of the modes. */
    static List<String> bitComplaints(Parameters parameters, long bits, RedisServer server, Sample sample) {
        long stored = sample.operations() / sample.units();
        if (stored != bits && stored != bits(Mode.CALLS, bits)) {
            return List.of("bits: expected=" + bits + " or " + bits(Mode.CALLS, bits) + ", stored=" + stored);
        }
        var expected = RandomBits.of(parameters.seed(), stored).packed();
        byte[] found = server.control().get(RandomBits.KEY.getBytes(StandardCharsets.UTF_8));
        if (found == null) {
            return List.of("bytes: expected=" + expected.length + ", found=none");
        }
        // A client may leave out zeros at the end.
        var padded = found.length < expected.length ? Arrays.copyOf(found, expected.length) : found;
        int differs = Arrays.mismatch(expected, padded);
        long ones = server.control().bitcount(RandomBits.KEY);
        return differs < 0 && ones == RandomBits.ones(expected)
                ? List.of()
                : List.of("bits: set expected=" + RandomBits.ones(expected) + ", counted=" + ones
                        + ", first byte that differs=" + differs);
    }

    /** A second unit would mark the same ids again. */
    private static Scenario loadMonth(Parameters parameters, Month month) {
        var work = new LoadMonth(month);
        return Scenario.named("month-load", "The history of a month")
                .unit("ids")
                .contender(millrace(
                        "Activity.load of each of thirty days; memory by MEMORY USAGE, the estimate by MemoryEstimate",
                        work))
                .plan(parameters.plan(RoundPlan.ONE_UNIT.withWarmUps(1).withExpectedUnit(Duration.ofSeconds(3))))
                .server(ServerUse.checkedBy(work::complaints))
                .figure(LoadMonth.ESTIMATED_BYTES, Figure.own(LoadMonth.ESTIMATED_BYTES))
                .figure(LoadMonth.BYTES, Figure.own(LoadMonth.BYTES))
                .build();
    }

    /** Questions about a month that Jedis has written. A question must not leave a key. */
    private static Scenario ask(Parameters parameters, Month month, Question question) {
        var jedis = new Description(
                "jedis",
                "",
                "BITOP into temporary keys, BITCOUNT and UNLINK in one pipeline",
                "https://redis.io/docs/latest/develop/data-types/bitmaps/");
        return Scenario.named("month-" + question.word(), "A month: " + question.text())
                .unit("ids")
                .contender(new JvmContender(
                        jedis, new AskMonth(question, month, AskMonth::jedis), List.of(), Connections::missingForJedis))
                .contender(millrace("Activity with default options", new AskMonth(question, month, AskMonth::millrace)))
                .plan(parameters.plan(RoundPlan.USUAL))
                .server(ServerUse.checkedBy(BitmapExperiment::keyComplaints).filledBy(server -> fill(server, month)))
                .bars(Bar.absolute("wall", "millrace", Figure.UNIT_SECONDS, atMost(1)))
                .build();
    }

    static void fill(RedisServer server, Month month) {
        var bitmaps = month.bitmaps();
        for (int day = 0; day < Month.DAYS; day++) {
            server.control().set(Month.key(day).getBytes(StandardCharsets.UTF_8), bitmaps.get(day));
        }
    }

    static List<String> keyComplaints(RedisServer server, Sample sample) {
        long keys = server.keys();
        return keys == Month.DAYS ? List.of() : List.of("keys: expected=" + Month.DAYS + ", found=" + keys);
    }

    /** The ids in each encoding that can hold the ids. A plain bitmap holds ids below 2^32 only. */
    private static List<Scenario> sparse(Parameters parameters) {
        int count = (int) Math.min(parameters.size(SPARSE_IDS), 200_000);
        return Stream.of(false, true)
                .map(isClustered -> new SparseIds(isClustered, count))
                .flatMap(ids -> Arrays.stream(Encoding.values())
                        .filter(encoding -> !ids.isClustered() || encoding != Encoding.BITMAP)
                        .map(encoding -> sparse(parameters, ids, encoding)))
                .toList();
    }

    /** A second unit would store the same ids again. */
    private static Scenario sparse(Parameters parameters, SparseIds ids, Encoding encoding) {
        String word = encoding.name().toLowerCase(Locale.ROOT);
        return Scenario.named("sparse-" + ids.word() + "-" + word, "Sparse ids, " + ids.word() + ", " + word)
                .unit("ids")
                .contender(millrace(
                        "Activity.load of one day, then " + StoreSparseIds.COUNTS
                                + " times Activity.count; memory by MEMORY USAGE, the estimate by MemoryEstimate",
                        new StoreSparseIds(ids, encoding)))
                .plan(parameters.plan(RoundPlan.ONE_UNIT.withWarmUps(1).withExpectedUnit(Duration.ZERO)))
                .server(ServerUse.checkedBy(
                        (server, sample) -> ids.complaints(encoding, StoreSparseIds.KEY, server, sample)))
                .figure(LoadMonth.ESTIMATED_BYTES, Figure.own(LoadMonth.ESTIMATED_BYTES))
                .figure(LoadMonth.BYTES, Figure.own(LoadMonth.BYTES))
                .figure(StoreBits.COUNT_MICROS, Figure.own(StoreBits.COUNT_MICROS))
                .build();
    }

    private BitmapExperiment() {}
}
