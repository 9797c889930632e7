// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.source;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One reading of a source for several loads, which run at the same time on threads of their own. Each load gets a {@link
 * Share}, which delivers all rows.
 *
 * <p>DESIGN. Rows are read in batches. The load that needs the next batch first reads this batch. A batch stays in memory
 * until every share has passed the batch, and there are at most {@value #MAX_BATCHES} batches. So a slow load slows down the
 * others, and the memory is bounded:
 *
 * <pre>
 *   source --> | batch 7 | batch 8 | batch 9 |
 *                  ^ share 1            ^ share 0, which reads batch 10 next
 * </pre>
 *
 * <p>A share that was not opened yet counts as the slowest. So each share must be opened or closed.
 */
public final class SharedReading {

    private static final int BATCH_ROWS = 256;

    /** A batch ends when its rows occupy this number of bytes. */
    private static final long BATCH_BYTES = 1 << 20;

    private static final int MAX_BATCHES = 8;
    private static final long CLOSED = Long.MAX_VALUE;

    private final RowSource source;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // The lock guards the fields below. The reader is used outside of the lock only by the thread that has set reading.
    private final ArrayDeque<List<Row>> batches = new ArrayDeque<>();
    /** For each share, the number of batches that it has passed. */
    private final long[] passed;

    private final boolean[] cancelled;
    /** Number of batches that all shares have passed. */
    private long dropped;

    private boolean reading;
    private boolean ended;
    private @Nullable RowReader reader;
    private @Nullable SourceException failure;

    private SharedReading(RowSource source, int shares) {
        this.source = source;
        this.passed = new long[shares];
        this.cancelled = new boolean[shares];
    }

    /** Returns {@code count} shares of one reading of {@code source}. Nothing is opened yet. */
    public static List<Share> of(RowSource source, int count) {
        SharedReading reading = new SharedReading(source, count);
        return IntStream.range(0, count).mapToObj(reading::share).toList();
    }

    private Share share(int index) {
        return new Share(index);
    }

    /**
     * The source of one of the loads. The first opening takes part in the common reading; a later opening, such as for a
     * verification, reads the source separately. Thread-safe.
     */
    public final class Share implements RowSource, AutoCloseable {

        private final int index;
        /** Guarded by the lock. */
        private boolean opened;

        private Share(int index) {
            this.index = index;
        }

        @Override
        public String name() {
            return source.name();
        }

        @Override
        public boolean readableAgain() {
            return source.readableAgain();
        }

        @Override
        public Map<String, String> identity() {
            return source.identity();
        }

        @Override
        public RowOrder order() {
            return source.order();
        }

        /** The same rows as the source. */
        @Override
        public String toString() {
            return "Share[source=" + source + "]";
        }

        @Override
        public RowReader open() {
            return open(cancel -> {});
        }

        @Override
        public RowReader open(OpeningListener listener) {
            lock.lock();
            try {
                if (!opened) {
                    opened = true;
                    return openCommon(listener);
                }
            } finally {
                lock.unlock();
            }
            return source.open(listener);
        }

        /** Takes part in the common reading. The other shares wait while the first one opens the source. */
        private RowReader openCommon(OpeningListener listener) {
            RowReader common = reader;
            if (common == null) {
                if (failure != null) {
                    throw failure;
                }
                try {
                    common = source.open(listener);
                } catch (SourceException e) {
                    failure = e;
                    throw e;
                }
                reader = common;
            }
            return new ShareReader(index, common);
        }

        /** Ends the part of this share in the common reading, so that the other shares do not wait for it. */
        @Override
        public void close() {
            leave(index);
        }
    }

    private final class ShareReader implements RowReader {

        private final int index;
        private final RowReader common;
        private List<Row> batch = List.of();
        private int next;

        ShareReader(int index, RowReader common) {
            this.index = index;
            this.common = common;
        }

        @Override
        public List<Column> columns() {
            return common.columns();
        }

        @Override
        public boolean next(Row row) {
            if (next == batch.size()) {
                batch = nextBatch(index, !batch.isEmpty());
                next = 0;
            }
            if (batch.isEmpty()) {
                row.clear(0, 0);
                return false;
            }
            row.copyFrom(batch.get(next++));
            return true;
        }

        @Override
        public void cancel() {
            SharedReading.this.cancel(index);
        }

        @Override
        public OptionalLong expectedRows() {
            return common.expectedRows();
        }

        @Override
        public OptionalDouble share() {
            return common.share();
        }

        @Override
        public void close() {
            leave(index);
        }
    }

    /**
     * Returns the next batch for a share; empty at the end.
     *
     * @param passes whether the share has passed a batch
     * @throws SourceException if reading has failed, or if the share is cancelled
     */
    private List<Row> nextBatch(int index, boolean passes) {
        lock.lock();
        try {
            if (passes && passed[index] != CLOSED) {
                passed[index]++;
                drop();
            }
            while (true) {
                if (cancelled[index] || passed[index] == CLOSED) {
                    throw new SourceException(SourceException.Kind.BROKEN, "the reading was cancelled");
                }
                int at = (int) (passed[index] - dropped);
                if (at < batches.size()) {
                    return batches.stream().skip(at).findFirst().orElseThrow();
                }
                if (failure != null) {
                    throw failure;
                }
                if (ended) {
                    return List.of();
                }
                if (reading || batches.size() == MAX_BATCHES) {
                    changed.await();
                } else {
                    readBatch();
                }
            }
        } catch (InterruptedException interrupted) {
            // An empty batch would look like the end of the source.
            Thread.currentThread().interrupt();
            throw new SourceException(SourceException.Kind.BROKEN, "the reading was interrupted");
        } finally {
            lock.unlock();
        }
    }

    /** Reads a batch without the lock, which the caller holds. */
    private void readBatch() {
        RowReader common = reader;
        if (common == null) {
            throw new IllegalStateException("the source is not open");
        }
        List<Row> rows = new ArrayList<>();
        SourceException failed = null;
        boolean last = false;
        reading = true;
        lock.unlock();
        try {
            long bytes = 0;
            while (!last && rows.size() < BATCH_ROWS && bytes < BATCH_BYTES) {
                Row row = new Row();
                last = !common.next(row);
                if (!last) {
                    rows.add(row);
                    bytes += row.capacity();
                }
            }
        } catch (SourceException e) {
            failed = e;
        } catch (RuntimeException e) {
            failed = new SourceException(SourceException.Kind.BROKEN, "reading failed: " + e.getMessage(), e);
            throw e;
        } finally {
            lock.lock();
            reading = false;
            ended |= last;
            failure = failed;
            if (!rows.isEmpty()) {
                batches.add(rows);
            }
            changed.signalAll();
        }
    }

    /** Drops the batches that all shares have passed. */
    private void drop() {
        long slowest = Arrays.stream(passed).min().orElse(CLOSED);
        while (!batches.isEmpty() && dropped < slowest) {
            batches.remove();
            dropped++;
        }
        changed.signalAll();
    }

    private void cancel(int index) {
        RowReader common = null;
        lock.lock();
        try {
            cancelled[index] = true;
            changed.signalAll();
            if (IntStream.range(0, passed.length).allMatch(i -> cancelled[i] || passed[i] == CLOSED)) {
                common = reader;
            }
        } finally {
            lock.unlock();
        }
        if (common != null) {
            common.cancel();
        }
    }

    /** Ends the part of a share. The last share closes the source. */
    private void leave(int index) {
        RowReader unused = null;
        lock.lock();
        try {
            passed[index] = CLOSED;
            drop();
            if (Arrays.stream(passed).allMatch(position -> position == CLOSED)) {
                unused = reader;
                reader = null;
            }
        } finally {
            lock.unlock();
        }
        if (unused != null) {
            unused.close();
        }
    }
}
