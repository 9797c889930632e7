// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.bitmap;

import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import java.util.List;

/** Stores random bits, then counts them on the server. Bits that are stored packed are made within the measured time. */
record StoreBits(BitClient.Library library, BitClient.Mode mode, long count) implements Work {

    /** Duration of the last {@code BITCOUNT}. */
    static final String COUNT_MICROS = "count us";

    @Override
    public ReadyWork open(WorkContext context) throws Exception {
        return new Ready(
                library.opener().open(context.target()),
                mode,
                RandomBits.of(context.parameters().seed(), count));
    }

    private static final class Ready implements ReadyWork {

        private final BitClient client;
        private final BitClient.Mode mode;
        private final RandomBits bits;
        private final byte[] packed;
        private long counted;
        private double countMicros;

        Ready(BitClient client, BitClient.Mode mode, RandomBits bits) {
            this.client = client;
            this.mode = mode;
            this.bits = bits;
            this.packed = bits.packed();
        }

        @Override
        public long run() throws Exception {
            switch (mode) {
                case CALLS -> client.call(packed, bits.count());
                case PIPELINE -> client.pipeline(packed, bits.count());
                case PACKED -> client.store(bits);
            }
            long start = System.nanoTime();
            counted = client.count();
            countMicros = (System.nanoTime() - start) / 1e3;
            return bits.count();
        }

        @Override
        public RoundDetails details() {
            long ones = RandomBits.ones(packed);
            var details = RoundDetails.NONE.withFigure(COUNT_MICROS, countMicros);
            return ones == counted
                    ? details
                    : details.withComplaints(List.of("set bits: expected=" + ones + ", counted=" + counted));
        }

        @Override
        public void close() throws Exception {
            client.close();
        }
    }
}
