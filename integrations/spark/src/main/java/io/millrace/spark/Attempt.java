// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.client.exception.RedisException;
import io.millrace.load.LoadEvent;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.LoadPlan;
import io.millrace.load.LoadReport;
import io.millrace.load.Loader;
import io.millrace.load.RowCounts;
import io.millrace.load.source.Column;
import io.millrace.load.source.RowReader;
import io.millrace.load.source.SourceException;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.Target;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.util.TaskInterruptListener;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to write the rows of a partition. Confined to the thread of the task, which reads the rows, sends the
 * commands and receives the replies.
 *
 * @param place partition, attempt and host, such as {@code partition 3, attempt 0 on host a}
 * @param task the running task, which Spark may kill; empty outside of a task
 */
record Attempt(
        JobPlan plan,
        int partition,
        String place,
        Optional<Path> rejects,
        Optional<TaskContext> task,
        Consumer<LoadEvent> events) {

    /**
     * Writes {@code rows}. Blocks until each row has its outcome.
     *
     * @throws SparkLoadException if rows are skipped or unconfirmed, or if the load or its verification fails
     */
    LoadReport run(Iterator<InternalRow> rows) {
        Target target = plan.target();
        if (!rows.hasNext()) {
            return empty(target);
        }
        long startNanos = System.nanoTime();
        try (SharedClients.Loan loan = SharedClients.OF_THIS_JVM.borrow(plan.server(), patience())) {
            Loader loader = new Loader(loan.client());
            task.ifPresent(context -> stopWhenKilled(context, loader));
            task.ifPresent(TaskContext::killTaskIfInterrupted);
            List<Column> columns = plan.columns();
            RowSample sample = sample(target, columns);
            IteratorReader reader = new IteratorReader(columns, killable(rows), new RowFiller(plan.schema()), sample);
            LoadReport report =
                    loader.run(new LoadPlan(source(reader), target, options()), event -> noted(event, sample));
            reader.failure().ifPresent(Attempt::rethrow);
            task.ifPresent(TaskContext::killTaskIfInterrupted);
            checkComplete(report);
            return verified(report, loader, target, sample, startNanos);
        } catch (RedisException | PlanException | SourceException failed) {
            throw failed(String.valueOf(failed.getMessage()), failed);
        }
    }

    /** A task waits for its server as long as a load does, so that Spark does not use up its attempts. */
    private ConnectPatience patience() {
        return new ConnectPatience(
                plan.loadOptions().patience(),
                () -> task.map(TaskContext::isInterrupted).orElse(false));
    }

    /** Ends the waits of the load. If Spark kills the task before the load starts, {@link KillableRows} ends the load at the
     * first row. */
    private static void stopWhenKilled(TaskContext task, Loader loader) {
        TaskInterruptListener stop = (context, reason) -> loader.stop();
        var unused = task.addTaskInterruptListener(stop);
    }

    private Iterator<InternalRow> killable(Iterator<InternalRow> rows) {
        return task.<Iterator<InternalRow>>map(context -> new KillableRows(rows, context))
                .orElse(rows);
    }

    /** A load without rows, which needs no connection. */
    private LoadReport empty(Target target) {
        LoadPlan load = new LoadPlan(source(null), target, plan.loadOptions());
        LoadReport.Job job =
                LoadReport.Job.of(load, plan.server().clientOptions().uri());
        return LoadReport.withoutResult(new LoadReport.Ending.Completed(), job, new RowCounts(0, 0, 0, 0, 0), 0);
    }

    private PartitionSource source(@Nullable RowReader reader) {
        return new PartitionSource("partition " + partition, false, () -> Objects.requireNonNull(reader));
    }

    private LoadOptions options() {
        LoadOptions.Builder options = plan.loadOptions().toBuilder();
        rejects.ifPresent(options::rejects);
        return options.build();
    }

    private RowSample sample(Target target, List<Column> columns) {
        double share = plan.verification().share();
        return share > 0 ? new RowSample(target.bind(columns), share, RowSample.MAX_BYTES) : RowSample.none();
    }

    private void noted(LoadEvent event, RowSample sample) {
        if (event instanceof LoadEvent.Rejected rejected) {
            sample.refused(rejected.row().number());
        }
        events.accept(event);
    }

    /** A finished attempt has written and rejected rows only. */
    private void checkComplete(LoadReport report) {
        RowCounts rows = report.rows();
        if (!(report.ending() instanceof LoadReport.Ending.Completed)) {
            throw failed(report.ending().reason().orElse("the task was interrupted") + "; " + report.summary(), null);
        }
        if (rows.unconfirmed() > 0) {
            throw failed(report.unconfirmedReason().orElse("rows are unconfirmed"), null);
        }
        if (rows.skipped() > 0) {
            throw failed(rows.skipped() + " rows were skipped", null);
        }
    }

    /** @param startNanos time before the first row was written */
    private LoadReport verified(LoadReport report, Loader loader, Target target, RowSample sample, long startNanos) {
        if (sample.isEmpty()) {
            return report;
        }
        PartitionSource kept = new PartitionSource(
                "sample of partition " + partition,
                true,
                () -> new IteratorReader(
                        plan.columns(), killable(sample.rows()), new RowFiller(plan.schema()), RowSample.none()));
        LoadOptions options =
                plan.loadOptions().toBuilder().verify(Verification.FULL).build();
        Duration age = Duration.ofNanos(System.nanoTime() - startNanos);
        LoadReport compared = loader.verify(new LoadPlan(kept, target, options), age, events);
        LoadReport.Verified result = compared.verified()
                .orElseThrow(() -> failed(
                        "the rows could not be read back: "
                                + compared.ending().reason().orElse("the task was interrupted"),
                        null));
        if (result.mismatched() > 0) {
            throw failed(
                    "verification differs: checked=" + result.checked() + ", mismatched=" + result.mismatched()
                            + ". If rows of several partitions have the same key, add distribute=key",
                    null);
        }
        return Reports.withVerified(report, result);
    }

    private SparkLoadException failed(String why, @Nullable Throwable cause) {
        return new SparkLoadException(place + ": " + why + ".", partition, cause);
    }

    /** Throws {@code failure} without a change: Spark repeats a stage if its type says that input is lost. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> void rethrow(Throwable failure) throws E {
        throw (E) failure;
    }
}
