// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmaps;

import io.millrace.bitmap.Activity;
import io.millrace.bitmap.ActivityOptions;
import io.millrace.bitmap.Encoding;
import io.millrace.bitmap.MemoryEstimate;
import io.millrace.client.RedisClient;
import io.millrace.lab.experiment.Comparison;
import io.millrace.lab.library.MillraceConnections;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;

/** The history of a month by {@code Activity.load}, day by day. */
record LoadedMonth() implements WarmContender {

    @Override
    public String name() {
        return "millrace";
    }

    @Override
    public String variant() {
        return "month-load";
    }

    @Override
    public String jvm() {
        return name();
    }

    @Override
    public String note() {
        return "Activity.load of each of thirty days, a mark for each id that was there, of ids from 0 on, as many as there are"
                + " operations; memory by MEMORY USAGE, the estimate by MemoryEstimate";
    }

    @Override
    public Rounds open(Task task) {
        return new Loading(
                RedisClient.connect(MillraceConnections.builder(task.endpoint()).build()),
                new Month(task.operations()));
    }

    private static final class Loading implements Rounds {

        private final RedisClient client;
        private final Month month;
        private final int[] days;
        private final List<Long> counts;

        /** Of the last round. */
        private long marks;

        private long added;

        Loading(RedisClient client, Month month) {
            this.client = client;
            this.month = month;
            this.days = month.days();
            this.counts = month.counts();
        }

        @Override
        public Optional<Outcomes> run() {
            marks = 0;
            added = 0;
            var active = open();
            for (int day = 0; day < Month.DAYS; day++) {
                int bit = 1 << day;
                var loadCounts = active.load(
                        Month.EVENT,
                        Month.SPANS.get(day),
                        LongStream.range(0, month.ids()).filter(id -> (days[(int) id] & bit) != 0));
                marks += loadCounts.marks();
                added += loadCounts.added();
            }
            return Optional.of(Outcomes.answered(month.ids(), 0));
        }

        private Activity open() {
            return Activity.of(client, Month.NAME, ActivityOptions.DEFAULT);
        }

        @Override
        public List<String> complaints() {
            long all = counts.stream().mapToLong(Long::longValue).sum();
            return Comparison.complaints("marks, and new ones", List.of(all, all), List.of(marks, added));
        }

        @Override
        public Map<String, Double> figures() {
            return Map.of(
                    MonthLoad.BYTES,
                    (double) open().memoryBytes(Month.EVENT, Month.SPAN),
                    MonthLoad.ESTIMATED_BYTES,
                    (double) counts.stream()
                            .mapToLong(active -> MemoryEstimate.bytes(Encoding.BITMAP, month.ids(), active)
                                    .orElseThrow())
                            .sum());
        }

        @Override
        public Optional<String> remark() {
            return Optional.of(String.format(
                    Locale.ROOT,
                    "%,d marks; a day is kept as %s",
                    marks,
                    MemoryEstimate.of(month.ids(), counts.getFirst()).reason()));
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
