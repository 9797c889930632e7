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
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.stream.LongStream;

/** Stores sparse ids of one day in one encoding, then counts the ids {@value #COUNTS} times. */
record StoreSparseIds(SparseIds sparse, Encoding encoding) implements Work {

    static final int COUNTS = 20;

    private static final String EVENT = "seen";
    private static final Span DAY = Span.day(LocalDate.of(2026, 11, 1));

    /** The key with the ids, or the beginning of the keys with the ids. */
    static final String KEY = SparseIds.NAME + ":activity:" + EVENT + ":" + DAY.label();

    @Override
    public ReadyWork open(WorkContext context) {
        return new Ready(Connections.millrace(context.target()), this);
    }

    private static final class Ready implements ReadyWork {

        private final RedisClient client;
        private final StoreSparseIds work;
        private final long[] ids;
        private final Activity activity;
        private long added;
        private long wrongCounts;
        private double countMicros;

        Ready(RedisClient client, StoreSparseIds work) {
            this.client = client;
            this.work = work;
            this.ids = work.sparse.ids();
            this.activity = Activity.of(client, SparseIds.NAME, ActivityOptions.DEFAULT.encoding(work.encoding));
        }

        @Override
        public long run() {
            added = activity.load(EVENT, DAY, LongStream.of(ids)).added();
            wrongCounts = 0;
            long start = System.nanoTime();
            for (int i = 0; i < COUNTS; i++) {
                wrongCounts += activity.count(SetExpression.active(EVENT, DAY)) == ids.length ? 0 : 1;
            }
            countMicros = (System.nanoTime() - start) / 1e3 / COUNTS;
            return ids.length;
        }

        @Override
        public RoundDetails details() {
            var complaints = new ArrayList<String>();
            if (added != ids.length || wrongCounts > 0) {
                complaints.add("ids: expected=" + ids.length + ", new=" + added + ", wrong counts=" + wrongCounts);
            }
            long range = work.sparse.range();
            return RoundDetails.NONE
                    .withComplaints(complaints)
                    .withFigure(StoreBits.COUNT_MICROS, countMicros)
                    .withFigure(LoadMonth.BYTES, (double) activity.memoryBytes(EVENT, DAY))
                    .withFigure(
                            LoadMonth.ESTIMATED_BYTES, (double) MemoryEstimate.bytes(work.encoding, range, ids.length)
                                    .orElseThrow())
                    .withRemark("the estimate recommends "
                            + MemoryEstimate.of(range, ids.length).reason());
        }

        @Override
        public void close() {
            client.close();
        }
    }
}
