// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.experiment.WorkContext;
import io.millrace.lab.server.LabException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Callers that read texts which are all in the cache. Each caller waits for an answer and checks the answer.
 *
 * @param callers number of callers; with 2 or more, the callers are virtual threads
 * @param keys number of texts in the cache
 * @param allAtOnce whether one call reads all keys; otherwise one call reads one key
 * @param operations number of keys to read in one unit
 */
record ReadWork(CacheLibrary library, int callers, int keys, boolean allAtOnce, long operations, Texts texts)
        implements Work {

    static final String MEDIAN = "p50 us";
    static final String SLOW = "p99 us";

    private static final Duration LONGEST_FILL = Duration.ofSeconds(60);

    @Override
    public ReadyWork open(WorkContext context) throws Exception {
        return new Reading(this, context.target().withConnections(callers));
    }

    private static final class Reading implements ReadyWork {

        private final ReadWork work;
        private final Target target;
        private final List<String> keys;
        private final List<String> expected;
        private final LongAdder computed = new LongAdder();
        private final LongAdder wrong = new LongAdder();

        /** Nanoseconds of each call of the round. Each caller has its own histogram. */
        private final Histogram[] latencies;

        private CacheAdapter cache;

        Reading(ReadWork work, Target target) throws Exception {
            this.work = work;
            this.target = target;
            keys = Texts.keys(work.keys);
            expected = keys.stream().map(work.texts::of).toList();
            latencies = IntStream.range(0, work.callers)
                    .mapToObj(caller -> new Histogram(2))
                    .toArray(Histogram[]::new);
            cache = work.library.opener().open(target, CacheAdapter.LONG_LIFE);
        }

        /** A near cache must not keep the texts of the last round, because the server loses these texts now. */
        @Override
        public void prepare() throws Exception {
            if (work.library.near()) {
                cache.close();
                cache = work.library.opener().open(target, CacheAdapter.LONG_LIFE);
            }
        }

        @Override
        public void fill() throws Exception {
            if (work.library.near()) {
                fillNear();
            } else {
                long written = cache.putAll(work.texts.entries(work.keys));
                if (written != work.keys) {
                    throw new LabException("the cache cannot be filled: cache=" + work.library.label() + ", texts="
                            + work.keys + ", written=" + written + ".");
                }
            }
            Arrays.stream(latencies).forEach(Histogram::reset);
            wrong.reset();
            computed.reset();
        }

        /** Reads all keys until the cache computes no text any more. All texts are then in Redis. */
        private void fillNear() throws Exception {
            long start = System.nanoTime();
            do {
                if (System.nanoTime() - start > LONGEST_FILL.toNanos()) {
                    throw new LabException("the near cache cannot be filled: cache=" + work.library.label()
                            + ", computed in the last pass=" + computed.sum() + ".");
                }
                computed.reset();
                ConcurrentCallers.run(work.callers, caller -> {
                    for (int i = caller; i < work.keys; i += work.callers) {
                        cache.get(keys.get(i), this::compute);
                    }
                });
            } while (computed.sum() > 0);
        }

        private String compute(String key) {
            computed.increment();
            return work.texts.of(key);
        }

        @Override
        public long run() throws Exception {
            long wrongBefore = wrong.sum();
            ConcurrentCallers.run(work.callers, this::read);
            return calls() * keysPerCall() - (wrong.sum() - wrongBefore);
        }

        private int keysPerCall() {
            return work.allAtOnce ? work.keys : 1;
        }

        private long calls() {
            return Math.max(1, work.operations / keysPerCall());
        }

        private void read(int caller) throws Exception {
            long calls = calls() / work.callers + (caller < calls() % work.callers ? 1 : 0);
            long last = System.nanoTime();
            for (int i = 0; i < calls; i++) {
                wrong.add(work.allAtOnce ? wrongOfAll() : wrongOf((caller * 17 + i) % work.keys));
                long now = System.nanoTime();
                latencies[caller].recordValue(now - last);
                last = now;
            }
        }

        private int wrongOf(int index) throws Exception {
            return cache.get(keys.get(index), this::compute).equals(expected.get(index)) ? 0 : 1;
        }

        private int wrongOfAll() throws Exception {
            List<? extends @Nullable String> found = cache.getAll(keys);
            if (found.size() != expected.size()) {
                return expected.size();
            }
            int count = 0;
            for (int i = 0; i < expected.size(); i++) {
                count += expected.get(i).equals(found.get(i)) ? 0 : 1;
            }
            return count;
        }

        @Override
        public RoundDetails details() {
            var all = new Histogram(2);
            Arrays.stream(latencies).forEach(all::add);
            RoundDetails details = RoundDetails.NONE
                    .withFigure(MEDIAN, all.getValueAtPercentile(50) / 1e3)
                    .withFigure(SLOW, all.getValueAtPercentile(99) / 1e3);
            return wrong.sum() == 0 && computed.sum() == 0
                    ? details
                    : details.withComplaints(List.of("answers of a full cache: wrong=" + wrong.sum()
                            + ", computed although the text was in Redis=" + computed.sum()));
        }

        @Override
        public void close() throws Exception {
            cache.close();
        }
    }
}
