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
import org.apache.hadoop.conf.Configuration;
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
        plan.given().text(WriteOption.REPORT).ifPresent(file -> checkReport(file, spark.hadoopConfiguration()));
        Optional<RejectFiles> rejects = plan.given()
                .text(WriteOption.REJECTS)
                .map(folder ->
                        new RejectFiles(folder, name, new SerializableConfiguration(spark.hadoopConfiguration())));
        rejects.ifPresent(RejectFiles::prepare);
        return new JobRun(plan, name, partitions, AttemptCounter.start(spark, name), rejects);
    }

    /** Refuses a file in a file system that does not exist. */
    private static void checkReport(String file, Configuration hadoop) {
        try {
            var unused = new Path(file).getFileSystem(hadoop);
        } catch (IOException | IllegalArgumentException e) {
            throw new SparkLoadException(
                    "option report: the file " + file + " cannot be written (" + e.getMessage() + ").", e);
        }
    }

    /** Runs {@code step} before the first task. If the step fails, the job ends. */
    void prepare(Runnable step) {
        boolean prepared = false;
        try {
            step.run();
            prepared = true;
        } finally {
            if (!prepared) {
                abort(name, new WriterCommitMessage[0], false);
            }
        }
    }

    AttemptFactory factory() {
        return new AttemptFactory(plan, rejects);
    }

    /**
     * Ends a job whose tasks have all succeeded.
     *
     * @throws SparkLoadException if the account does not add up, if too many rows were rejected, or if the files with the
     *     rejected rows cannot be named
     */
    void commit(WriterCommitMessage[] messages) {
        commit(name, messages);
    }

    /**
     * Ends an epoch of a stream, as {@link #commit}.
     *
     * @param epochName name of the epoch in its report and in the names of its files
     * @param mayBeRepeated whether an earlier attempt of the same epoch may have published files
     */
    void commitEpoch(String epochName, boolean mayBeRepeated, WriterCommitMessage[] messages) {
        if (mayBeRepeated) {
            rejects.ifPresent(files -> files.removeEarlier(epochName));
        }
        commit(epochName, messages);
    }

    private void commit(String finalName, WriterCommitMessage[] messages) {
        List<AttemptMessage> admitted = admitted(messages);
        JobAccount account = new JobAccount(admitted);
        account.check(partitions);
        Ending ending = plan.maxErrors()
                .filter(most -> account.rejected() > most)
                .map(most -> (Ending) new Ending.Stopped(account.rejected()
                        + " rows were rejected, which is more than the " + most + " allowed rejected rows"))
                .orElseGet(Ending.Completed::new);
        end(finalName, account, ending, partitions > 0).reason().ifPresent(why -> {
            throw new SparkLoadException("the job has written its rows, and has failed: " + why + ".");
        });
    }

    /** Ends a job that has failed. The report has the tasks that had succeeded. */
    void abort(WriterCommitMessage[] messages) {
        abort(name, messages, partitions > 0);
    }

    /** Ends an epoch that has failed, as {@link #abort}. Spark repeats the epoch, and its files then replace these files. */
    void abortEpoch(String epochName, WriterCommitMessage[] messages) {
        abort(epochName, messages, partitions > 0);
    }

    private void abort(String finalName, WriterCommitMessage[] messages, boolean started) {
        if (ended) {
            return;
        }
        try {
            var unused = end(
                    finalName, new JobAccount(admitted(messages)), new Ending.Failed("the job has failed"), started);
        } catch (RuntimeException unreported) {
            // Spark throws the cause of the failed job, which matters more.
            LOG.warn("the failed job {} cannot be reported", plan, unreported);
        }
    }

    /** Ends a repeated epoch. The first run has reported its rows and its rejected rows. */
    void discard() {
        ended = true;
        var unused = counter.end(0, false);
        rejects.ifPresent(RejectFiles::discard);
    }

    /** Returns the ending in the report: {@code wished}, or a failure if the rejected rows cannot be named. */
    private Ending end(String finalName, JobAccount account, Ending wished, boolean started) {
        ended = true;
        JobReport.Attempts attempts = counter.end(account.attempts().size(), started);
        Ending ending = published(finalName, account, wished);
        boolean completed = ending instanceof Ending.Completed;
        LoadReport sum = Reports.sum(ending, job(finalName), account.reports(), (System.nanoTime() - startNanos) / 1e9);
        JobReport report = new JobReport(
                finalName,
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
        return ending;
    }

    private Ending published(String finalName, JobAccount account, Ending wished) {
        try {
            rejects.ifPresent(files -> files.publish(account.attempts(), finalName));
            return wished;
        } catch (RuntimeException unnamed) {
            LOG.warn("the rejected rows of {} cannot be named", plan, unnamed);
            return wished instanceof Ending.Completed
                    ? new Ending.Failed(String.valueOf(unnamed.getMessage()))
                    : wished;
        }
    }

    private LoadReport.Job job(String finalName) {
        LoadPlan load = new LoadPlan(
                new PartitionSource(finalName, false, () -> {
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
        } catch (IOException | RuntimeException e) {
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
