// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * One call for a text that takes long to compute.
 *
 * @param second whether the text is in the cache already
 * @param compute duration of the computation
 * @param timeToLive of the computed text
 */
record CallWork(CacheLibrary library, boolean second, Duration compute, Duration timeToLive, Texts texts)
        implements Work {

    static final String KEY = "slow";

    @Override
    public ReadyWork open(WorkContext context) throws Exception {
        return new Call(this, library.opener().open(context.target().withConnections(1), timeToLive));
    }

    private static final class Call implements ReadyWork {

        private final CallWork work;
        private final CacheAdapter cache;
        private final AtomicInteger computations = new AtomicInteger();
        private String text = "";

        Call(CallWork work, CacheAdapter cache) {
            this.work = work;
            this.cache = cache;
        }

        /** A cache may return a computed text before Redis has stored the text. So the loop ends with the first hit. */
        @Override
        public void fill() throws Exception {
            String key = work.second ? KEY : "another key, so that the first use of the classes is not measured";
            do {
                computations.set(0);
                cache.get(key, this::computeAtOnce);
            } while (computations.get() > 0);
        }

        private String computeAtOnce(String key) {
            computations.incrementAndGet();
            return work.texts.of(key);
        }

        @Override
        public long run() throws Exception {
            text = cache.get(KEY, key -> {
                LockSupport.parkNanos(work.compute.toNanos());
                return computeAtOnce(key);
            });
            return 1;
        }

        @Override
        public RoundDetails details() {
            int expected = work.second ? 0 : 1;
            return computations.get() == expected && text.equals(work.texts.of(KEY))
                    ? RoundDetails.NONE
                    : RoundDetails.NONE.withComplaints(List.of("call of the slow text: expected computations="
                            + expected + ", computations=" + computations + ", text=" + text));
        }

        @Override
        public void close() throws Exception {
            cache.close();
        }
    }
}
