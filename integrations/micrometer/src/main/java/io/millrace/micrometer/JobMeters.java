// SPDX-License-Identifier: Apache-2.0
package io.millrace.micrometer;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.millrace.load.ExitCode;
import io.millrace.load.LoadEvent;
import io.millrace.load.LoadReport;
import io.millrace.load.LoadReport.Job.Kind;
import io.millrace.load.RowCounts;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToLongFunction;

/**
 * The meters of one job. The counters contain the rows of all ended loads and of the running load. Dry runs and
 * verifications change no meter. Thread-safe.
 */
final class JobMeters {

    private static final RowCounts NO_ROWS = new RowCounts(0, 0, 0, 0, 0);
    private static final double NANOS_PER_SECOND = 1e9;
    private static final double MILLIS_PER_SECOND = 1e3;

    private final RegisteredMeters<JobMeters> meters;
    private final Timer duration;

    /** Guards the next four fields. */
    private final ReentrantLock lock = new ReentrantLock();

    /** What runs, or ran last. The counters contain only the rows of loads. */
    private Kind kind = Kind.LOAD;

    private RowCounts ended = NO_ROWS;
    private RowCounts running = NO_ROWS;

    /** Seconds since 1970. */
    private double lastSuccess;

    JobMeters(MeterRegistry registry, Tags tags) {
        this.meters = new RegisteredMeters<>(this, tags);
        rows(registry, "written", RowCounts::written);
        rows(registry, "rejected", RowCounts::rejected);
        rows(registry, "skipped", RowCounts::skipped);
        rows(registry, "unconfirmed", RowCounts::unconfirmed);
        this.duration = meters.timer(
                registry, "millrace.load.duration", "Time of a load from opening the source to the last reply");
        meters.gauge(
                registry,
                "millrace.load.last.success",
                Tags.empty(),
                "seconds",
                "End of the last complete load, in seconds since 1970",
                JobMeters::lastSuccess);
    }

    private void rows(MeterRegistry registry, String outcome, ToLongFunction<RowCounts> count) {
        meters.counter(
                registry, "millrace.load.rows", Tags.of("outcome", outcome), "Rows by outcome", job -> job.rows(count));
    }

    private long rows(ToLongFunction<RowCounts> count) {
        lock.lock();
        try {
            return count.applyAsLong(ended) + count.applyAsLong(running);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Receives an event of a load.
     *
     * @param ofWholeJob whether the report of the load tells that the whole job was loaded
     */
    void receive(LoadEvent event, boolean ofWholeJob) {
        switch (event) {
            case LoadEvent.Started started -> begin(started.kind());
            case LoadEvent.Progress progress -> setRunning(progress.rows());
            case LoadEvent.Finished finished -> finish(finished.report(), ofWholeJob);
            case LoadEvent.Resumed resumed -> {}
            case LoadEvent.Rejected rejected -> {}
            case LoadEvent.Warned warned -> {}
            case LoadEvent.Verifying verifying -> {}
            case LoadEvent.Differed differed -> {}
        }
    }

    /** Begins a load. If the last load has ended without a report, its rows stay counted. */
    private void begin(Kind begun) {
        lock.lock();
        try {
            kind = begun;
            ended = sum(ended, running);
            running = NO_ROWS;
        } finally {
            lock.unlock();
        }
    }

    private void setRunning(RowCounts rows) {
        lock.lock();
        try {
            if (kind == Kind.LOAD) {
                running = atLeast(running, rows);
            }
        } finally {
            lock.unlock();
        }
    }

    private void finish(LoadReport report, boolean ofWholeJob) {
        if (report.job().kind() != Kind.LOAD) {
            return;
        }
        lock.lock();
        try {
            ended = sum(ended, atLeast(running, report.rows()));
            running = NO_ROWS;
        } finally {
            lock.unlock();
        }
        duration.record(Duration.ofNanos((long) (report.seconds() * NANOS_PER_SECOND)));
        if (ofWholeJob) {
            succeeded(report);
        }
    }

    /** Sets the time of the last success, if {@code report} is the report of a complete load. */
    void succeeded(LoadReport report) {
        if (report.job().kind() != Kind.LOAD || !ExitCode.of(report).isComplete()) {
            return;
        }
        double end = report.job().started().toEpochMilli() / MILLIS_PER_SECOND + report.seconds();
        lock.lock();
        try {
            lastSuccess = Math.max(lastSuccess, end);
        } finally {
            lock.unlock();
        }
    }

    private double lastSuccess() {
        lock.lock();
        try {
            return lastSuccess;
        } finally {
            lock.unlock();
        }
    }

    private static RowCounts sum(RowCounts one, RowCounts other) {
        return new RowCounts(
                one.read() + other.read(),
                one.written() + other.written(),
                one.rejected() + other.rejected(),
                one.skipped() + other.skipped(),
                one.unconfirmed() + other.unconfirmed());
    }

    /**
     * The later counts of a load; where they are smaller, the earlier ones. A load that discards its shadow keys reports its
     * written rows as skipped at the end, and a counter must not decrease.
     */
    private static RowCounts atLeast(RowCounts earlier, RowCounts later) {
        return new RowCounts(
                Math.max(earlier.read(), later.read()),
                Math.max(earlier.written(), later.written()),
                Math.max(earlier.rejected(), later.rejected()),
                Math.max(earlier.skipped(), later.skipped()),
                Math.max(earlier.unconfirmed(), later.unconfirmed()));
    }

    /** Removes the meters from the registry. */
    void remove() {
        meters.removeAll();
    }
}
