// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import io.millrace.load.LoadPlan;
import io.millrace.load.LoadReport;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.LoadReportJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.Path;
import org.apache.spark.SparkContext;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.util.SerializableConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One job, or one epoch of a stream, on the driver: begins, and then is committed or aborted. Confined to the thread of the
 * query.
 */
final class JobRun {

    private static final Logger LOG = LoggerFactory.getLogger(JobRun.class);

    private final JobPlan plan;
    private final String name;
    private final int partitions;
    private final AttemptCounter counter;
    private final Optional<RejectFiles> rejects;
    private final Instant started = Instant.now();
    private final long startNanos = System.nanoTime();
    private boolean ended;

    private JobRun(JobPlan plan, String name, int partitions, AttemptCounter counter, Optional<RejectFiles> rejects) {
        this.plan = plan;
        this.name = name;
        this.partitions = partitions;
        this.counter = counter;
        this.rejects = rejects;
    }

    /**
     * Begins a job whose tasks the calling thread starts next.
     *
     * @param name name of the job in its report and in the names of its files
     */
    static JobRun begin(JobPlan plan, String name, int partitions) {
        SparkContext spark = SparkContext.getOrCreate();
        Optional<RejectFiles> rejects = plan.given()
                .text(WriteOption.REJECTS)
                .map(folder ->
                        new RejectFiles(folder, name, new SerializableConfiguration(spark.hadoopConfiguration())));
        rejects.ifPresent(RejectFiles::prepare);
        return new JobRun(plan, name, partitions, AttemptCounter.start(spark, name), rejects);
    }

    AttemptFactory factory() {
        return new AttemptFactory(plan, rejects);
    }

    /**
     * Ends a job whose tasks have all succeeded.
     *
     * @throws SparkLoadException if the account does not add up, or if too many rows were rejected
     */
    void commit(WriterCommitMessage[] messages) {
        List<AttemptMessage> admitted = admitted(messages);
        JobAccount account = new JobAccount(admitted);
        account.check(partitions);
        Ending ending = plan.maxErrors()
                .filter(most -> account.rejected() > most)
                .map(most -> (Ending) new Ending.Stopped(account.rejected()
                        + " rows were rejected, which is more than the " + most + " allowed rejected rows"))
                .orElseGet(Ending.Completed::new);
        end(account, ending);
        ending.reason().ifPresent(why -> {
            throw new SparkLoadException("the job has written its rows, and has failed: " + why + ".");
        });
    }

    /** Ends a job that has failed. The report has the tasks that had succeeded. */
    void abort(WriterCommitMessage[] messages) {
        if (ended) {
            return;
        }
        try {
            end(new JobAccount(admitted(messages)), new Ending.Failed("the job has failed"));
        } catch (RuntimeException unreported) {
            // Spark throws the cause of the failed job, which matters more.
            LOG.warn("the failed job {} cannot be reported", plan, unreported);
        }
    }

    /** Ends a job whose account is known from another run. Its rejected rows are known, too. */
    void discard() {
        ended = true;
        var unused = counter.end(0, false);
        rejects.ifPresent(files -> files.publish(List.of()));
    }

    private void end(JobAccount account, Ending ending) {
        ended = true;
        boolean completed = ending instanceof Ending.Completed;
        JobReport.Attempts attempts = counter.end(account.attempts().size(), partitions > 0 && completed);
        rejects.ifPresent(files -> files.publish(account.attempts()));
        LoadReport sum = Reports.sum(ending, job(), account.reports(), (System.nanoTime() - startNanos) / 1e9);
        JobReport report = new JobReport(
                name,
                plan.toString(),
                completed,
                sum.rows().read(),
                sum.rows().written(),
                sum.rows().rejected(),
                sum.seconds(),
                attempts,
                json(sum, attempts));
        plan.given().text(WriteOption.REPORT).ifPresent(path -> save(path, report.json()));
        LoadReports.add(report);
        LOG.info("millrace {}: {}{}", plan, completed ? "" : "failed; admitted attempts only: ", sum.summary());
    }

    private LoadReport.Job job() {
        LoadPlan load = new LoadPlan(
                new PartitionSource(name, false, () -> {
                    throw new IllegalStateException("the job is read by its tasks");
                }),
                plan.target(),
                plan.loadOptions());
        LoadReport.Job now =
                LoadReport.Job.of(load, plan.server().clientOptions().uri());
        return new LoadReport.Job(now.kind(), now.source(), now.target(), started);
    }

    private String json(LoadReport sum, JobReport.Attempts attempts) {
        String text = LoadReportJson.of(sum);
        return text.substring(0, text.length() - 1) + ",\"partitions\":" + partitions + ",\"attempts\":{\"admitted\":"
                + attempts.admitted() + ",\"failed\":" + attempts.failed() + ",\"denied\":" + attempts.denied()
                + ",\"lost\":" + attempts.lost() + "}}";
    }

    private static void save(String file, String json) {
        Path path = new Path(file);
        try (FSDataOutputStream out = path.getFileSystem(
                        SparkContext.getOrCreate().hadoopConfiguration())
                .create(path, true)) {
            out.write((json + "\n").getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // The rows are written, and an exception would make Spark report a failed job.
            LOG.warn("the report cannot be written to {}: {}", file, json, e);
        }
    }

    private static List<AttemptMessage> admitted(WriterCommitMessage[] messages) {
        return Arrays.stream(messages)
                .filter(Objects::nonNull)
                .map(AttemptMessage.class::cast)
                .toList();
    }
}
