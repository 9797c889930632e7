// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import io.millrace.load.source.Column;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowReader;
import io.millrace.load.source.RowSource;
import io.millrace.load.source.SourceException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.LockSupport;

/**
 * A source with the column {@code id}. Its reader waits before the first row until the test lets it pass, once for each
 * load.
 */
final class GatedSource implements RowSource {

    private final int rows;
    private final boolean rejectsLast;
    private final Semaphore gate = new Semaphore(0);

    /** Runs on the thread of a load that opens this source. */
    private volatile Runnable whenOpened = () -> {};

    /** Runs on the thread that asks for the facts. */
    private volatile Runnable whenIdentified = () -> {};

    private GatedSource(int rows, boolean rejectsLast) {
        this.rows = rows;
        this.rejectsLast = rejectsLast;
    }

    static GatedSource ofGoodRows(int rows) {
        return new GatedSource(rows, false);
    }

    static GatedSource withLastRowRejected(int rows) {
        return new GatedSource(rows, true);
    }

    void whenOpened(Runnable action) {
        whenOpened = action;
    }

    /** Sets an action that runs before the source returns its facts. The action stands for slow files of another machine. */
    void whenIdentified(Runnable action) {
        whenIdentified = action;
    }

    void letPass() {
        gate.release();
    }

    /** Waits until a reader waits before its first row. */
    void awaitReader() {
        while (!gate.hasQueuedThreads()) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    /** Takes back the passes that no load has used. */
    void reset() {
        int unused = gate.drainPermits();
    }

    @Override
    public String name() {
        return "jdbc:postgresql://db.example.com:5432/shop?password=secret";
    }

    @Override
    public boolean readableAgain() {
        return true;
    }

    @Override
    public Map<String, String> identity() {
        whenIdentified.run();
        return Map.of();
    }

    @Override
    public RowReader open() {
        whenOpened.run();
        return new Reader();
    }

    private final class Reader implements RowReader {

        private volatile boolean cancelled;
        private boolean passed;
        private int next;

        @Override
        public List<Column> columns() {
            return List.of(new Column("id"));
        }

        @Override
        public boolean next(Row row) {
            if (!passed) {
                gate.acquireUninterruptibly();
                passed = true;
            }
            if (cancelled) {
                throw new SourceException(SourceException.Kind.BROKEN, "the reading was cancelled");
            }
            if (next == rows) {
                row.clear(0, 0);
                return false;
            }
            next++;
            row.clear(next, next);
            if (next == rows && rejectsLast) {
                row.reject(Rejection.Reason.NUMBER_INVALID, "bad number in /var/lib/shop/prices.csv");
            } else {
                row.add(next);
            }
            return true;
        }

        @Override
        public void cancel() {
            cancelled = true;
            gate.release();
        }

        @Override
        public void close() {}
    }
}
