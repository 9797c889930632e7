// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import io.millrace.bitmap.Activity;
import io.millrace.bitmap.ActivityOptions;
import io.millrace.bitmap.Encoding;
import io.millrace.bitmap.MemoryEstimate;
import io.millrace.bitmap.SetExpression;
import io.millrace.bitmap.Span;
import io.millrace.client.RedisClient;
import io.millrace.lab.bulk.Connections;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.RedisServer;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.roaringbitmap.longlong.Roaring64NavigableMap;
import redis.clients.jedis.Jedis;

/**
 * Loads the ids of some days by Millrace's {@code Activity.load}, and compares the memory with the estimate.
 *
 * @param name of the activity
 * @param ids the ids of a day of {@code days}, from 0, in ascending order
 * @param range all ids are below this number
 */
record ActivityLoad(String name, Encoding encoding, List<Span> days, IntFunction<LongStream> ids, long range)
        implements Work {

    static final String BYTES = "bytes";
    static final String ESTIMATED_BYTES = "estimated bytes";
    static final String EVENT = "login";

    private static final int CHUNK_SHIFT = 17;
    private static final int COUNTS = 20;

    /** The key with the ids of {@code day}, or the beginning of the keys. */
    static String key(String name, Span day) {
        return name + ":activity:" + EVENT + ":" + day.label();
    }

    @Override
    public ReadyWork open(WorkContext context) {
        return new Ready(Connections.millrace(context.target()), this);
    }

    /** Compares every id. Reads the ids without the code that wrote the ids. */
    List<String> complaints(RedisServer server, Sample sample) {
        return IntStream.range(0, days.size())
                .mapToObj(day -> complaints(server.control(), day))
                .flatMap(List::stream)
                .toList();
    }

    private List<String> complaints(Jedis control, int day) {
        var expected = ids.apply(day).toArray();
        var found = read(control, key(name, days.get(day)));
        return Arrays.equals(expected, found)
                ? List.of()
                : List.of("ids on the server: day=" + days.get(day) + ", expected=" + expected.length + ", found="
                        + found.length + ", and not the same");
    }

    private long[] read(Jedis control, String key) {
        return switch (encoding) {
            case BITMAP -> bits(value(control, key), 0).toArray();
            case CHUNKED ->
                control.smembers(key + ":chunks").stream()
                        .mapToLong(Long::parseLong)
                        .sorted()
                        .flatMap(chunk -> bits(value(control, key + ":" + chunk), chunk << CHUNK_SHIFT))
                        .toArray();
            case COMPRESSED -> decompressed(value(control, key));
            case SET ->
                control.smembers(key).stream()
                        .mapToLong(Long::parseLong)
                        .sorted()
                        .toArray();
        };
    }

    private static byte[] value(Jedis control, String key) {
        byte @Nullable [] value = control.get(key.getBytes(StandardCharsets.UTF_8));
        return value == null ? new byte[0] : value;
    }

    private static LongStream bits(byte[] bitmap, long first) {
        var packed = new RandomBits.Packed(bitmap, 8L * bitmap.length);
        return LongStream.range(0, packed.count()).filter(packed::isSet).map(offset -> first + offset);
    }

    /** The portable format of RoaringBitmap, after a stamp of eight bytes. */
    private static long[] decompressed(byte[] value) {
        var set = new Roaring64NavigableMap();
        if (value.length > Long.BYTES) {
            try {
                set.deserializePortable(
                        new DataInputStream(new ByteArrayInputStream(value, Long.BYTES, value.length - Long.BYTES)));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return set.toArray();
    }

    private static final class Ready implements ReadyWork {

        private final RedisClient client;
        private final ActivityLoad work;
        private final Activity activity;
        private final List<Long> expected;
        private long marks;
        private long added;

        Ready(RedisClient client, ActivityLoad work) {
            this.client = client;
            this.work = work;
            this.activity =
                    Activity.of(client, work.name, ActivityOptions.keptForever().encoding(work.encoding));
            this.expected = IntStream.range(0, work.days.size())
                    .mapToObj(day -> work.ids.apply(day).count())
                    .toList();
        }

        @Override
        public long run() {
            marks = 0;
            added = 0;
            for (int day = 0; day < work.days.size(); day++) {
                var counts = activity.load(EVENT, work.days.get(day), work.ids.apply(day));
                marks += counts.marks();
                added += counts.added();
            }
            return added;
        }

        /** Counts each day {@value #COUNTS} times, too. */
        @Override
        public RoundDetails details() {
            long all = expected.stream().mapToLong(count -> count).sum();
            long start = System.nanoTime();
            var counts = Stream.generate(() -> work.days)
                    .limit(COUNTS)
                    .flatMap(List::stream)
                    .map(day -> activity.count(SetExpression.active(EVENT, day)))
                    .toList();
            double countMicros = (System.nanoTime() - start) / 1e3 / counts.size();
            boolean areCountsRight = counts.equals(Stream.generate(() -> expected)
                    .limit(COUNTS)
                    .flatMap(List::stream)
                    .toList());
            double bytes = work.days.stream()
                    .mapToLong(day -> activity.memoryBytes(EVENT, day))
                    .sum();
            double estimated = expected.stream()
                    .mapToLong(count -> MemoryEstimate.bytes(work.encoding, work.range, count)
                            .orElseThrow())
                    .sum();
            var details = RoundDetails.NONE
                    .withFigure(BitmapExperiment.COUNT_MICROS, countMicros)
                    .withFigure(BYTES, bytes)
                    .withFigure(ESTIMATED_BYTES, estimated)
                    .withRemark("the estimate recommends "
                            + MemoryEstimate.of(work.range, expected.getFirst()).reason());
            return marks == all && added == all && areCountsRight
                    ? details
                    : details.withComplaints(List.of("marks: expected=" + all + ", loaded=" + marks + ", new=" + added
                            + "; counts are " + (areCountsRight ? "right" : "wrong")));
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
