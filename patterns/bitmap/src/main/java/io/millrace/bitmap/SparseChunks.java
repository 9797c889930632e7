// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Warns if the ids of an activity are spread so widely that nearly each id has a chunk of its own. Such ids take a hundred
 * times the memory of another encoding. Logs at most one line for each span, and at most one per hour. Thread-safe.
 *
 * <p>DESIGN. Only the marks of this process are known here, because a question to the server would cost each mark a round
 * trip. A hash of the chunk number chooses one of 64 chunks. All marks of these chunks are counted, so the counts of each
 * chosen chunk are exact, and the other chunks cost nothing. When the chosen chunks of a span stand for {@link #MANY} chunks,
 * the span is judged once.
 */
final class SparseChunks {

    /** The number of chunks that take about 80 MB if each has one id. */
    static final int MANY = 10_000;

    private static final System.Logger LOGGER = System.getLogger("io.millrace.bitmap");

    /** One of so many chunks is chosen; a power of two. */
    private static final int CHOSEN_OF = 64;

    /** A multiplier that spreads neighbouring numbers over all values of the upper bits. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    /** The limit of the memory: the chosen chunks of a span take about 10 KB. */
    private static final int MAX_SPANS = 64;

    private static final double SPARSE_IDS_PER_CHUNK = 2;
    private static final Duration WARNING_INTERVAL = Duration.ofHours(1);

    /** The chosen chunks of one span. The lock of the outer object guards all fields. */
    private static final class Sample {

        private final Set<Long> chunks = new HashSet<>();
        private long ids;
        private boolean isJudged;
    }

    private final String name;
    private final LongSupplier nanoTime;
    private final ReentrantLock lock = new ReentrantLock();

    /** The lock guards this field. The span that was marked least recently is removed first. */
    private final Map<EventSpan, Sample> samples = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<EventSpan, Sample> eldest) {
            return size() > MAX_SPANS;
        }
    };

    /** The lock guards this field. */
    private long nextWarningNanos;

    SparseChunks(String name, LongSupplier nanoTime) {
        this.name = name;
        this.nanoTime = nanoTime;
        this.nextWarningNanos = nanoTime.getAsLong();
    }

    /** Records {@code ids} new ids in a chunk. */
    void added(EventSpan eventSpan, long chunk, long ids) {
        if (ids == 0 || !isChosen(chunk)) {
            return;
        }
        String warning = "";
        lock.lock();
        try {
            Sample sample = samples.computeIfAbsent(eventSpan, added -> new Sample());
            if (!sample.isJudged) {
                sample.chunks.add(chunk);
                sample.ids += ids;
                warning = judge(eventSpan, sample);
            }
        } finally {
            lock.unlock();
        }
        if (!warning.isEmpty()) { // without the lock: the log belongs to the user
            LOGGER.log(Level.WARNING, warning);
        }
    }

    private static boolean isChosen(long chunk) {
        long hash = ((chunk + 1) * SPREAD) >>> 1;
        return hash < Long.MAX_VALUE / CHOSEN_OF;
    }

    /** Judges the span if enough of its chunks are known. Returns the warning, or an empty text. The caller holds the lock. */
    private String judge(EventSpan eventSpan, Sample sample) {
        int chosen = sample.chunks.size();
        sample.isJudged = (long) chosen * CHOSEN_OF >= MANY;
        if (!sample.isJudged) {
            return "";
        }
        sample.chunks.clear();
        boolean isSparse = sample.ids < SPARSE_IDS_PER_CHUNK * chosen;
        long now = nanoTime.getAsLong();
        if (!isSparse || now - nextWarningNanos < 0) {
            return "";
        }
        nextWarningNanos = now + WARNING_INTERVAL.toNanos();
        return "a span has many chunks of about 8 KB with hardly more than one id each: name=" + name + ", event="
                + eventSpan.event() + ", span=" + eventSpan.span().label() + ", chunks=about "
                + (long) chosen * CHOSEN_OF
                + ". For random ids, use the encoding SET (ActivityOptions.encoding), or"
                + " declare the ids with ActivityOptions.expecting.";
    }
}
