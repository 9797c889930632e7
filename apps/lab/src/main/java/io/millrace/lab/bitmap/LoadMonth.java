// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import io.millrace.bitmap.Activity;
import io.millrace.bitmap.ActivityOptions;
import io.millrace.bitmap.Encoding;
import io.millrace.bitmap.MemoryEstimate;
import io.millrace.client.RedisClient;
import io.millrace.lab.bulk.Connections;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Sample;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.RedisServer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/** Loads a month by Millrace's {@code Activity.load}, day by day, and compares the memory with the estimate. */
record LoadMonth(Month month) implements Work {

    static final String BYTES = "bytes";
    static final String ESTIMATED_BYTES = "estimated bytes";

    @Override
    public ReadyWork open(WorkContext context) {
        return new Ready(Connections.millrace(context.target()), month);
    }

    /** Compares every bit. Zeros at the end of a bitmap do not matter. */
    List<String> complaints(RedisServer server, Sample sample) {
        var complaints = new ArrayList<String>();
        var bitmaps = month.bitmaps();
        for (int day = 0; day < Month.DAYS; day++) {
            byte[] found = server.control().get(Month.key(day).getBytes(StandardCharsets.UTF_8));
            byte[] expected = bitmaps.get(day);
            int length = Math.max(expected.length, found == null ? 0 : found.length);
            if (found == null || !Arrays.equals(Arrays.copyOf(expected, length), Arrays.copyOf(found, length))) {
                complaints.add("bitmap of a day: wrong or missing, day=" + Month.SPANS.get(day));
            }
        }
        return complaints;
    }

    private static final class Ready implements ReadyWork {

        private final RedisClient client;
        private final Activity activity;
        private final Month month;
        private final int[] days;
        private long marks;
        private long added;

        Ready(RedisClient client, Month month) {
            this.client = client;
            this.activity = Activity.of(client, Month.NAME, ActivityOptions.DEFAULT);
            this.month = month;
            this.days = month.days();
        }

        @Override
        public long run() {
            marks = 0;
            added = 0;
            for (int day = 0; day < Month.DAYS; day++) {
                int bit = 1 << day;
                var ids = LongStream.range(0, month.ids()).filter(id -> (days[(int) id] & bit) != 0);
                var counts = activity.load(Month.EVENT, Month.SPANS.get(day), ids);
                marks += counts.marks();
                added += counts.added();
            }
            return month.ids();
        }

        @Override
        public RoundDetails details() {
            var counts = month.counts();
            long all = counts.stream().mapToLong(Long::longValue).sum();
            List<String> complaints = marks == all && added == all
                    ? List.of()
                    : List.of("marks: expected=" + all + ", loaded=" + marks + ", new=" + added);
            double estimated = counts.stream()
                    .mapToLong(active -> MemoryEstimate.bytes(Encoding.BITMAP, month.ids(), active)
                            .orElseThrow())
                    .sum();
            return RoundDetails.NONE
                    .withComplaints(complaints)
                    .withFigure(BYTES, (double) activity.memoryBytes(Month.EVENT, Month.SPAN))
                    .withFigure(ESTIMATED_BYTES, estimated)
                    .withRemark(marks + " marks; a day is stored as "
                            + MemoryEstimate.of(month.ids(), counts.getFirst()).reason());
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
