// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import io.millrace.load.source.Column;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.load.source.RowReader;
import io.millrace.load.source.RowSource;
import io.millrace.load.source.SourceException;
import io.millrace.load.target.HashTarget;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.scheduling.support.CronExpression;

/** A source with the column {@code id}: the numbers from 1. Its reader waits before the first row until the test opens the gate. */
final class GatedSource implements RowSource {

    private final int rows;
    private final CountDownLatch gate;
    private final CountDownLatch opened = new CountDownLatch(1);
    private final AtomicInteger openings = new AtomicInteger();
    private boolean rejectsLastRow;
    private boolean ignoresCancel;

    /** Set by the thread that cancels a reader. */
    private volatile boolean wasCancelled;

    private GatedSource(int rows, boolean isOpen) {
        this.rows = rows;
        this.gate = new CountDownLatch(isOpen ? 0 : 1);
    }

    static GatedSource open(int rows) {
        return new GatedSource(rows, true);
    }

    static GatedSource closed(int rows) {
        return new GatedSource(rows, false);
    }

    GatedSource withRejectedRow() {
        rejectsLastRow = true;
        return this;
    }

    /** The reader then waits until the test opens the gate, also after a cancel. */
    GatedSource withoutCancel() {
        ignoresCancel = true;
        return this;
    }

    void letPass() {
        gate.countDown();
    }

    void awaitOpened() throws InterruptedException {
        opened.await();
    }

    boolean wasCancelled() {
        return wasCancelled;
    }

    int openings() {
        return openings.get();
    }

    LoadJob job(String name) {
        return job(
                name, name + ":{id}", LoadTrigger.BEFORE_READY, Duration.ofHours(1), Optional.empty(), Duration.ZERO);
    }

    LoadJob job(String name, String key) {
        return job(name, key, LoadTrigger.BEFORE_READY, Duration.ofHours(1), Optional.empty(), Duration.ZERO);
    }

    LoadJob job(String name, Duration deadline, Duration oncePer) {
        return job(name, name + ":{id}", LoadTrigger.BEFORE_READY, deadline, Optional.empty(), oncePer);
    }

    LoadJob job(String name, LoadTrigger trigger, String cron) {
        return job(
                name,
                name + ":{id}",
                trigger,
                Duration.ofHours(1),
                Optional.of(CronExpression.parse(cron)),
                Duration.ZERO);
    }

    LoadJob job(String name, LoadTrigger trigger, boolean required) {
        LoadPlan plan = new LoadPlan(this, HashTarget.of(name + ":{id}"), LoadOptions.defaults());
        return new LoadJob(
                name, plan, "digest", trigger, required, Duration.ofHours(1), Optional.empty(), Duration.ZERO);
    }

    private LoadJob job(
            String name,
            String key,
            LoadTrigger trigger,
            Duration deadline,
            Optional<CronExpression> cron,
            Duration oncePer) {
        LoadPlan plan = new LoadPlan(this, HashTarget.of(key), LoadOptions.defaults());
        return new LoadJob(name, plan, "digest", trigger, true, deadline, cron, oncePer);
    }

    @Override
    public String name() {
        return "gated";
    }

    @Override
    public boolean readableAgain() {
        return true;
    }

    @Override
    public RowReader open() {
        openings.incrementAndGet();
        return new GatedRowReader();
    }

    private final class GatedRowReader implements RowReader {

        private volatile boolean cancelled;
        private int next;

        @Override
        public List<Column> columns() {
            return List.of(new Column("id"));
        }

        @Override
        public boolean next(Row row) {
            awaitGate();
            if (next == rows) {
                row.clear(0, 0);
                return false;
            }
            next++;
            row.clear(next, next);
            if (rejectsLastRow && next == rows) {
                row.reject(Rejection.Reason.NUMBER_INVALID, "rejected by the test");
            } else {
                row.add(next);
            }
            return true;
        }

        private void awaitGate() {
            opened.countDown();
            try {
                gate.await();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
                cancelled = true;
            }
            if (cancelled) {
                throw new SourceException(SourceException.Kind.BROKEN, "the reading was cancelled");
            }
        }

        /** Ends the wait of this reader only: the source may be read again. */
        @Override
        public void cancel() {
            wasCancelled = true;
            if (ignoresCancel) {
                return;
            }
            cancelled = true;
            gate.countDown();
        }

        @Override
        public void close() {}
    }
}
