// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.server.LabException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;

/** Callers that read texts which are all in the cache. Each caller waits for an answer and checks the answer. */
final class ReadWork implements ReadyWork {

    static final String MEDIAN = "p50 us";
    static final String SLOW = "p99 us";

    /** A near cache must show a write of another client after this time at the latest. */
    static final Duration LONGEST_INVALIDATION = Duration.ofSeconds(5);

    private static final Duration LONGEST_FILL = Duration.ofSeconds(60);

    /**
     * The size of the work.
     *
     * @param callers number of callers; with 2 or more, the callers are virtual threads
     * @param keys number of texts in the cache
     * @param allAtOnce whether one call reads all keys; otherwise one call reads one key
     * @param operations number of keys to read in one unit
     */
    record Size(int callers, int keys, boolean allAtOnce, long operations) {

        private int keysPerCall() {
            return allAtOnce ? keys : 1;
        }

        private long calls() {
            return Math.max(1, operations / keysPerCall());
        }
    }

    private final CacheLibrary library;
    private final Target target;
    private final Size size;
    private final Texts texts;
    private final List<String> keys;
    private final List<String> expected;
    private final LongAdder computed = new LongAdder();
    private final LongAdder wrong = new LongAdder();
    private final List<Histogram> latencies = new ArrayList<>();
    private CacheAdapter cache;

    ReadWork(CacheLibrary library, Target target, Size size, Texts texts) throws Exception {
        this.library = library;
        this.target = target.withConnections(size.callers);
        this.size = size;
        this.texts = texts;
        keys = Texts.keys(size.keys);
        expected = keys.stream().map(texts::of).toList();
        cache = open();
    }

    private CacheAdapter open() throws Exception {
        return library.opener().open(target, CacheAdapter.LONG_LIFE);
    }

    /** A near cache must not keep the texts of the last round, because the server loses these texts now. */
    @Override
    public void prepare() throws Exception {
        if (library.near()) {
            cache.close();
            cache = open();
        }
    }

    /** Reads all keys until the cache computes no text any more. All texts are then in Redis. */
    @Override
    public void fill() throws Exception {
        long start = System.nanoTime();
        do {
            if (System.nanoTime() - start > LONGEST_FILL.toNanos()) {
                throw new LabException("the cache cannot be filled: cache=" + library.label()
                        + ", computed in the last pass=" + computed.sum() + ".");
            }
            computed.reset();
            CacheCallers.run(size.callers, this::readEachKey);
        } while (computed.sum() > 0);
        latencies.clear();
        wrong.reset();
    }

    private boolean readEachKey(int caller) throws Exception {
        for (int i = caller; i < size.keys; i += size.callers) {
            cache.get(keys.get(i), this::compute);
        }
        return true;
    }

    private String compute(String key) {
        computed.increment();
        return texts.of(key);
    }

    @Override
    public long run() throws Exception {
        long wrongBefore = wrong.sum();
        latencies.addAll(CacheCallers.run(size.callers, this::read));
        return size.calls() * size.keysPerCall() - (wrong.sum() - wrongBefore);
    }

    /** Returns the nanoseconds of each call. */
    private Histogram read(int caller) throws Exception {
        var latency = new Histogram(2);
        long calls = size.calls() / size.callers + (caller < size.calls() % size.callers ? 1 : 0);
        long last = System.nanoTime();
        for (int i = 0; i < calls; i++) {
            wrong.add(size.allAtOnce ? wrongOfAll() : wrongOf((caller * 17 + i) % size.keys));
            long now = System.nanoTime();
            latency.recordValue(now - last);
            last = now;
        }
        return latency;
    }

    private int wrongOf(int index) throws Exception {
        return cache.get(keys.get(index), this::compute).equals(expected.get(index)) ? 0 : 1;
    }

    private int wrongOfAll() throws Exception {
        var found = cache.manyReader().getAll(keys);
        int count = Math.abs(found.size() - expected.size());
        for (int i = 0; i < Math.min(found.size(), expected.size()); i++) {
            count += expected.get(i).equals(found.get(i)) ? 0 : 1;
        }
        return count;
    }

    @Override
    public RoundDetails details() throws Exception {
        var all = new Histogram(2);
        latencies.forEach(all::add);
        var complaints = new ArrayList<String>();
        if (wrong.sum() > 0 || computed.sum() > 0) {
            complaints.add("answers of a full cache: wrong=" + wrong.sum()
                    + ", computed although the text was in Redis=" + computed.sum());
        }
        if (library.near() && !showsWriteOfAnother()) {
            complaints.add("the near cache keeps an old text after a write of another client: seconds="
                    + LONGEST_INVALIDATION.toSeconds());
        }
        return RoundDetails.NONE
                .withFigure(MEDIAN, all.getValueAtPercentile(50) / 1e3)
                .withFigure(SLOW, all.getValueAtPercentile(99) / 1e3)
                .withComplaints(complaints);
    }

    private boolean showsWriteOfAnother() throws Exception {
        String key = keys.getFirst();
        try (CacheAdapter another = open()) {
            another.put(key, "new text", CacheAdapter.LONG_LIFE);
            long start = System.nanoTime();
            while (!cache.get(key, texts::of).equals("new text")) {
                if (System.nanoTime() - start > LONGEST_INVALIDATION.toNanos()) {
                    return false;
                }
                Thread.onSpinWait();
            }
        }
        return true;
    }

    @Override
    public void close() throws Exception {
        cache.close();
    }
}
