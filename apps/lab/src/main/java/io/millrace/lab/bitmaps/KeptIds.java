// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmaps;

import io.millrace.bitmap.Activity;
import io.millrace.bitmap.ActivityOptions;
import io.millrace.bitmap.Encoding;
import io.millrace.bitmap.MemoryEstimate;
import io.millrace.bitmap.SetExpression;
import io.millrace.bitmap.Span;
import io.millrace.client.RedisClient;
import io.millrace.lab.experiment.Comparison;
import io.millrace.lab.library.MillraceConnections;
import io.millrace.lab.run.Keyspace;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;

/** Few ids of a wide range, in one encoding. */
record KeptIds(Shape shape, Encoding encoding) implements WarmContender {

    private static final String NAME = Keyspace.PREFIX + "{sparse}";
    private static final String EVENT = "seen";
    private static final Span DAY = Span.day(LocalDate.of(2026, 11, 1));

    /** What they are in, or what the keys they are in begin with. */
    static final String KEY = NAME + ":activity:" + EVENT + ":" + DAY.label();

    @Override
    public String name() {
        return "millrace";
    }

    @Override
    public String variant() {
        return "sparse-" + shape.word() + "-" + encoding.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public String jvm() {
        return name();
    }

    @Override
    public String note() {
        return "Activity.load of one day, then " + Keeping.COUNTS
                + " times Activity.count, of which one is the mean; memory by MEMORY USAGE, the estimate by MemoryEstimate, which takes ids to be spread evenly";
    }

    @Override
    public Rounds open(Task task) {
        return new Keeping(
                RedisClient.connect(MillraceConnections.builder(task.endpoint()).build()),
                this,
                shape.ids(task.operations()));
    }

    private static final class Keeping implements Rounds {

        static final int COUNTS = 20;

        private final RedisClient client;
        private final KeptIds kept;
        private final long[] ids;

        /** Of the last round: the new ones, and the counted ones each time. */
        private long added;

        private final List<Long> counted = new ArrayList<>();
        private double countMicros;

        Keeping(RedisClient client, KeptIds kept, long[] ids) {
            this.client = client;
            this.kept = kept;
            this.ids = ids;
        }

        @Override
        public Optional<Outcomes> run() {
            var active = open();
            added = active.load(EVENT, DAY, LongStream.of(ids)).added();
            counted.clear();
            long start = System.nanoTime();
            for (int i = 0; i < COUNTS; i++) {
                counted.add(active.count(SetExpression.active(EVENT, DAY)));
            }
            countMicros = (System.nanoTime() - start) / 1e3 / COUNTS;
            return Optional.of(Outcomes.answered(ids.length, 0));
        }

        private Activity open() {
            return Activity.of(client, NAME, ActivityOptions.DEFAULT.encoding(kept.encoding));
        }

        @Override
        public List<String> complaints() {
            long all = ids.length;
            return added == all
                    ? Comparison.complaints("counts", Collections.nCopies(COUNTS, all), counted)
                    : List.of("new ids: expected=" + all + ", found=" + added);
        }

        @Override
        public Map<String, Double> figures() {
            long estimated = MemoryEstimate.bytes(kept.encoding, kept.shape.range(ids.length), ids.length)
                    .orElseThrow();
            return Map.of(
                    StoredBits.COUNT_MICROS,
                    countMicros,
                    MonthLoad.BYTES,
                    (double) open().memoryBytes(EVENT, DAY),
                    MonthLoad.ESTIMATED_BYTES,
                    (double) estimated);
        }

        @Override
        public Optional<String> remark() {
            return Optional.of("the estimate speaks for "
                    + MemoryEstimate.of(kept.shape.range(ids.length), ids.length)
                            .reason());
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
