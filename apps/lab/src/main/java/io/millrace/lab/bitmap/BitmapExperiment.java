// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import static io.millrace.lab.experiment.Bar.Limit.atLeast;
import static io.millrace.lab.experiment.Bar.Limit.atMost;

import io.millrace.bitmap.Encoding;
import io.millrace.bitmap.Span;
import io.millrace.lab.bitmap.BitClients.BitClient;
import io.millrace.lab.bulk.Connections;
import io.millrace.lab.experiment.Bar;
import io.millrace.lab.experiment.Contender;
import io.millrace.lab.experiment.Contender.Description;
import io.millrace.lab.experiment.Experiment;
import io.millrace.lab.experiment.Figure;
import io.millrace.lab.experiment.JvmContender;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.RoundPlan;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Scenario;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.RedisServer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** E6: very many bits, the questions about a month of active users, and sparse ids. */
public final class BitmapExperiment {

    static final String COUNT_MICROS = "count us";

    /** The name of the activity with sparse ids, and its day. */
    static final String SPARSE = Keyspace.PREFIX + "{sparse}";

    static final Span DAY = Span.day(LocalDate.of(2026, 11, 1));

    private static final long BITS = 10_000_000;
    private static final long IDS = 10_000_000;
    private static final int SPARSE_IDS = 10_000;

    /** A reply for each bit takes so long that fewer bits are set. */
    public static final int FEWER_CALLS = 100;

    /** A redis-server stores at most this many bits in one key, and the lab this many in one array. */
    private static final long MAX_BITS = 1L << 30;

    private static final int SPARSE_SEED = 6;
    private static final int CLUSTER = 1_000;
    private static final long CLUSTERED_RANGE = 1L << 40;

    private static final String PACKED = "millrace/packed";

    /** How the bits get to the server. */
    private enum Mode {
        CALLS,
        PIPELINE,
        PACKED;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static Experiment of(Parameters parameters) {
        long bits = Math.min(parameters.size(BITS), MAX_BITS);
        var month = new Month((int) Math.min(parameters.size(IDS), MAX_BITS / 10));
        int sparse = (int) Math.min(parameters.size(SPARSE_IDS), 200_000);
        var scenarios = new ArrayList<Scenario>();
        scenarios.add(population(parameters, bits));
        scenarios.add(load(
                        parameters,
                        "month-load",
                        "The history of a month",
                        new ActivityLoad(Month.NAME, Encoding.BITMAP, Month.SPANS, month::ids, month.ids()))
                .figure(ActivityLoad.BYTES, Figure.own(ActivityLoad.BYTES))
                .build());
        Question.ALL.forEach(question -> scenarios.add(ask(parameters, month, question)));
        for (var encoding : Encoding.values()) {
            scenarios.add(sparse(parameters, "spread", encoding, 20_000L * sparse, sparse));
            if (encoding != Encoding.BITMAP) { // a plain bitmap holds ids below 2^32 only
                scenarios.add(sparse(parameters, "clustered", encoding, CLUSTERED_RANGE, sparse));
            }
        }
        return new Experiment(
                "e6",
                "Bitmaps",
                "How do very many bits get to the server, what does a month of active users answer, and what do sparse"
                        + " ids take?",
                scenarios);
    }

    /** Random bits by a call for each bit, by pipelines, and packed by the client; then {@code BITCOUNT}. */
    private static Scenario population(Parameters parameters, long bits) {
        var contenders = Stream.of(Mode.values())
                .flatMap(mode -> BitClients.ALL.stream()
                        .filter(library -> isMeasured(parameters, library, mode))
                        .map(library -> contender(library, mode, bits)))
                .toList();
        var oneByOne = contenders.stream()
                .map(Contender::label)
                .filter(label -> !label.endsWith("/" + Mode.PACKED.word()))
                .toList();
        return Scenario.named("population", "Random bits, of which 10 of 1,000 are set, stored and counted")
                .unit("bits")
                .contenders(contenders)
                .plan(RoundPlan.USUAL
                        .withForks(2)
                        .withWarmUps(parameters.quick() ? 0 : 1)
                        .withRounds(3)
                        .withExpectedUnit(Duration.ofMillis(parameters.quick() ? 400 : 3_600)))
                .comparedByMode()
                .server(randomBits(parameters, bits))
                .figure(COUNT_MICROS, Figure.own(COUNT_MICROS))
                .bars(
                        Bar.ratio("bits per second", PACKED, Figure.PER_SECOND, oneByOne, atLeast(50)),
                        Bar.absolute("wall", PACKED, Figure.UNIT_SECONDS, atMost(0.5)))
                .build();
    }

    /** A pipeline of Lettuce takes four times as long as the others; the experiment {@code e3} compares its pipelines. */
    private static boolean isMeasured(Parameters parameters, BitClients.Library library, Mode mode) {
        return !library.name().equals("lettuce") || (!parameters.quick() && mode != Mode.PIPELINE);
    }

    private static long bits(Mode mode, long bits) {
        return mode == Mode.CALLS ? Math.max(1, bits / FEWER_CALLS) : bits;
    }

    private static JvmContender contender(BitClients.Library library, Mode mode, long bits) {
        String amount = mode == Mode.CALLS ? "; one bit of " + FEWER_CALLS + " bits: compare rates" : "";
        return new JvmContender(
                new Description(library.name(), mode.word(), library.settings() + amount, library.documentation()),
                context -> new StoringBits(
                        library.opener().open(context.target()),
                        mode,
                        RandomBits.of(context.parameters().seed(), bits(mode, bits))),
                List.of(),
                library.name().equals("jedis") ? Connections::missingForJedis : target -> Optional.empty());
    }

    /** Stores random bits, then counts them on the server. Packed bits are made within the measured time. */
    private static final class StoringBits implements ReadyWork {

        private final BitClient client;
        private final Mode mode;
        private final RandomBits bits;
        private final RandomBits.Packed packed;
        private long counted;
        private double countMicros;

        StoringBits(BitClient client, Mode mode, RandomBits bits) {
            this.client = client;
            this.mode = mode;
            this.bits = bits;
            this.packed = bits.packed();
        }

        @Override
        public long run() throws Exception {
            switch (mode) {
                case CALLS -> {
                    for (long offset = 0; offset < bits.count(); offset++) {
                        client.call(offset, packed.isSet(offset));
                    }
                }
                case PIPELINE -> client.pipeline(packed);
                case PACKED -> client.store(bits);
            }
            long start = System.nanoTime();
            counted = client.count();
            countMicros = (System.nanoTime() - start) / 1e3;
            return bits.count();
        }

        @Override
        public RoundDetails details() {
            var details = RoundDetails.NONE.withFigure(COUNT_MICROS, countMicros);
            return packed.ones() == counted
                    ? details
                    : details.withComplaints(List.of("set bits: expected=" + packed.ones() + ", counted=" + counted));
        }

        @Override
        public void close() throws Exception {
            client.close();
        }
    }

    /** Expects the first {@code bits} of {@link RandomBits}, or one of {@value #FEWER_CALLS} bits of them. */
    public static ServerUse randomBits(Parameters parameters, long bits) {
        return ServerUse.checkedBy((server, sample) -> bitComplaints(parameters, bits, server, sample));
    }

    /** Compares every bit. The number of bits must be the number of one of the modes. */
    private static List<String> bitComplaints(Parameters parameters, long bits, RedisServer server, Sample sample) {
        long stored = sample.operations() / sample.units();
        if (stored != bits && stored != bits(Mode.CALLS, bits)) {
            return List.of("bits: expected=" + bits + " or " + bits(Mode.CALLS, bits) + ", stored=" + stored);
        }
        var packed = RandomBits.of(parameters.seed(), stored).packed();
        var expected = packed.bytes();
        byte[] found = server.control().get(RandomBits.KEY.getBytes(StandardCharsets.UTF_8));
        if (found == null) {
            return List.of("bytes: expected=" + expected.length + ", found=none");
        }
        // A client may leave out zeros at the end.
        var padded = found.length < expected.length ? Arrays.copyOf(found, expected.length) : found;
        int differs = Arrays.mismatch(expected, padded);
        long ones = server.control().bitcount(RandomBits.KEY);
        return differs < 0 && ones == packed.ones()
                ? List.of()
                : List.of("bits: set expected=" + packed.ones() + ", counted=" + ones + ", first byte that differs="
                        + differs);
    }

    /** Questions about a month that the lab has written. A question must not leave a key. */
    private static Scenario ask(Parameters parameters, Month month, Question question) {
        var jedis = new Description(
                "jedis",
                "",
                "BITOP into temporary keys, BITCOUNT and UNLINK in one pipeline",
                "https://redis.io/docs/latest/develop/data-types/bitmaps/");
        return Scenario.named("month-" + question.word(), "A month: " + question.text())
                .unit("ids")
                .contender(new JvmContender(
                        jedis,
                        context -> question.openJedis(context.target(), month),
                        List.of(),
                        Connections::missingForJedis))
                .contender(millrace(
                        "Activity with the encoding BITMAP", context -> question.openMillrace(context.target(), month)))
                .plan(RoundPlan.USUAL
                        .withForks(2)
                        .withWarmUps(parameters.quick() ? 0 : 1)
                        .withRounds(3))
                .server(ServerUse.checkedBy(BitmapExperiment::keyComplaints).filledBy(month::fill))
                .bars(Bar.absolute("wall", "millrace", Figure.UNIT_SECONDS, atMost(1)))
                .build();
    }

    private static JvmContender millrace(String note, Work work) {
        return new JvmContender(new Description("millrace", "", note, "docs/bitmaps.md"), work);
    }

    private static List<String> keyComplaints(RedisServer server, Sample sample) {
        long keys = server.keys();
        return keys == Month.DAYS ? List.of() : List.of("keys: expected=" + Month.DAYS + ", found=" + keys);
    }

    /**
     * Few ids in a wide range, in one encoding: spread at random, or every second id of clusters of 2,000 ids. The figure is
     * the memory: the load takes some milliseconds, which is too short for a rate.
     */
    private static Scenario sparse(Parameters parameters, String word, Encoding encoding, long range, int count) {
        String name = encoding.name().toLowerCase(Locale.ROOT);
        return load(
                        parameters,
                        "sparse-" + word + "-" + name,
                        "Sparse ids, " + word + ", " + name,
                        new ActivityLoad(SPARSE, encoding, List.of(DAY), day -> sparseIds(range, count), range))
                .comparedBy(ActivityLoad.BYTES, Figure.own(ActivityLoad.BYTES), true)
                .build();
    }

    private static LongStream sparseIds(long range, int count) {
        var random = new SplittableRandom(SPARSE_SEED);
        var ids = range == CLUSTERED_RANGE
                ? random.longs(0, range >>> 12)
                        .distinct()
                        .flatMap(place -> LongStream.range(0, CLUSTER).map(i -> (place << 12) + 2 * i))
                : random.longs(0, range).distinct();
        return ids.limit(count).sorted();
    }

    /** A second unit would load the same ids again. */
    private static Scenario.Builder load(Parameters parameters, String name, String title, ActivityLoad work) {
        return Scenario.named(name, title)
                .unit("marks")
                .contender(millrace(
                        "Activity.load of each day; memory by MEMORY USAGE, the estimate by MemoryEstimate", work))
                .plan(RoundPlan.ONE_UNIT
                        .withWarmUps(parameters.quick() ? 0 : 1)
                        .withExpectedUnit(Duration.ofMillis(work.days().size() * (parameters.quick() ? 10L : 100L))))
                .server(ServerUse.checkedBy(work::complaints))
                .figure(ActivityLoad.ESTIMATED_BYTES, Figure.own(ActivityLoad.ESTIMATED_BYTES))
                .figure(COUNT_MICROS, Figure.own(COUNT_MICROS));
    }

    private BitmapExperiment() {}
}
