// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.load.LoadEvent;
import io.millrace.load.LoadReport;
import io.millrace.load.LoadReportJson;
import io.millrace.load.RowCounts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Iterator;
import java.util.Objects;
import java.util.Optional;
import org.apache.spark.SparkEnv;
import org.apache.spark.TaskContext;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.jspecify.annotations.Nullable;

/**
 * Writes one attempt of a task. Confined to the thread of the task. When {@link #writeAll} returns, Redis has answered for
 * each row. {@link #commit} copies the rejected rows to their folder, and hands over the account.
 */
final class AttemptWriter implements DataWriter<InternalRow> {

    private final AttemptFactory factory;
    private final AttemptId id;
    private @Nullable Path rejects;
    private @Nullable LoadReport report;

    /** Written by the progress thread of the load. */
    private volatile RowCounts rows = new RowCounts(0, 0, 0, 0, 0);

    private volatile long bytesSent;

    /** Known at the end of the load. */
    private volatile long redirects;

    AttemptWriter(AttemptFactory factory, AttemptId id) {
        this.factory = factory;
        this.id = id;
    }

    @Override
    public void writeAll(Iterator<InternalRow> records) throws IOException {
        noteEnd(attempt().run(records));
    }

    private void noteEnd(LoadReport written) {
        report = written;
        rows = written.rows();
        bytesSent = written.bytesSent();
        redirects = written.details().redirects();
    }

    private Attempt attempt() throws IOException {
        if (factory.rejects().isPresent()) {
            rejects = localFile();
        }
        return new Attempt(
                factory.plan(),
                id.partition(),
                id.toString(),
                Optional.ofNullable(rejects),
                Optional.ofNullable(TaskContext.get()),
                this::noteProgress);
    }

    /** A new file in a local folder of the executor, which Spark deletes even if the executor ends before the task. */
    private static Path localFile() throws IOException {
        if (SparkEnv.get() == null) {
            return Files.createTempFile("millrace-rejects", ".jsonl");
        }
        Path block = SparkEnv.get()
                .blockManager()
                .diskBlockManager()
                .createTempLocalBlock()
                ._2()
                .toPath();
        return Files.createTempFile(block.getParent(), "millrace-rejects", ".jsonl");
    }

    private void noteProgress(LoadEvent event) {
        if (event instanceof LoadEvent.Progress progress) {
            rows = progress.rows();
            bytesSent = progress.bytesSent();
        }
    }

    /** Spark calls {@link #writeAll} for batches and micro-batches, and this method only for {@code Trigger.Continuous}. */
    @Override
    public void write(InternalRow row) {
        throw StreamingJob.continuous();
    }

    @Override
    public WriterCommitMessage commit() throws IOException {
        if (report == null) {
            writeAll(Collections.emptyIterator());
        }
        String file = rejects == null ? "" : factory.rejects().orElseThrow().upload(rejects, id.partition(), id.task());
        return new AttemptMessage(
                id.partition(), id.attempt(), id.host(), LoadReportJson.of(Objects.requireNonNull(report)), file);
    }

    @Override
    public void abort() throws IOException {
        close();
    }

    @Override
    public void close() throws IOException {
        if (rejects != null) {
            Files.deleteIfExists(rejects);
        }
    }

    @Override
    public CustomTaskMetric[] currentMetricsValues() {
        RowCounts now = rows;
        return new CustomTaskMetric[] {
            new TaskMetric(RowsRead.NAME, now.read()),
            new TaskMetric(RowsWritten.NAME, now.written()),
            new TaskMetric(RowsRejected.NAME, now.rejected()),
            new TaskMetric(Redirects.NAME, redirects),
            new TaskMetric(BytesSent.NAME, bytesSent)
        };
    }
}
