// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.spark.ExecutorLostFailure;
import org.apache.spark.SparkContext;
import org.apache.spark.Success$;
import org.apache.spark.TaskCommitDenied;
import org.apache.spark.TaskEndReason;
import org.apache.spark.TaskKilled;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerJobEnd;
import org.apache.spark.scheduler.SparkListenerJobStart;
import org.apache.spark.scheduler.SparkListenerTaskEnd;
import org.jspecify.annotations.Nullable;

/**
 * Counts the attempts of one job. A local property of the thread that starts the job marks the job. Spark calls the methods
 * of a listener on one thread.
 */
final class AttemptCounter extends SparkListener {

    /** The longest wait for the events of a job that has ended. */
    private static final long WAIT_SECONDS = 3;

    /** The text of Spark in the reason of a killed attempt. */
    private static final String ANOTHER_ADMITTED = "another attempt succeeded";

    private static final String PROPERTY = "millrace.job";

    private final SparkContext spark;
    private final String job;
    private final @Nullable String before;

    /** The stages of the job. Only the thread of the listener uses this field. */
    private final Set<Integer> stages = new HashSet<>();

    /** Number of the job; -1 before its start. Only the thread of the listener uses this field. */
    private int number = -1;

    private final CountDownLatch jobEnded = new CountDownLatch(1);
    private final AtomicLong failed = new AtomicLong();
    private final AtomicLong denied = new AtomicLong();
    private final AtomicLong lost = new AtomicLong();

    private AttemptCounter(SparkContext spark, String job) {
        this.spark = spark;
        this.job = job;
        this.before = spark.getLocalProperty(PROPERTY);
    }

    /** Begins to count the attempts of the job that the calling thread starts next. */
    static AttemptCounter start(SparkContext spark, String job) {
        AttemptCounter counter = new AttemptCounter(spark, job);
        spark.setLocalProperty(PROPERTY, job);
        spark.addSparkListener(counter);
        return counter;
    }

    /**
     * Ends the counting, and returns the numbers. Blocks until the events of the job have arrived, at most 3 s.
     *
     * @param started whether Spark has started the tasks of the job
     */
    JobReport.Attempts end(long admitted, boolean started) {
        try {
            if (started && !spark.isStopped()) {
                var unused = jobEnded.await(WAIT_SECONDS, TimeUnit.SECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        spark.removeSparkListener(this);
        spark.setLocalProperty(PROPERTY, before);
        return new JobReport.Attempts(admitted, failed.get(), denied.get(), lost.get());
    }

    /** Whether Spark has ended the attempt because another attempt of the task was admitted. False if the whole job was cancelled. */
    private static boolean isLaterAttempt(TaskEndReason reason) {
        return reason instanceof TaskKilled killed && killed.reason().contains(ANOTHER_ADMITTED);
    }

    @Override
    public void onJobStart(SparkListenerJobStart event) {
        if (event.properties() != null && job.equals(event.properties().getProperty(PROPERTY))) {
            number = event.jobId();
            event.stageInfos().foreach(stage -> stages.add(stage.stageId()));
        }
    }

    @Override
    public void onJobEnd(SparkListenerJobEnd event) {
        if (event.jobId() == number) {
            jobEnded.countDown();
        }
    }

    @Override
    public void onTaskEnd(SparkListenerTaskEnd event) {
        if (!stages.contains(event.stageId()) || !event.taskType().equals("ResultTask")) {
            return;
        }
        TaskEndReason reason = event.reason();
        if (reason instanceof ExecutorLostFailure) {
            lost.incrementAndGet();
        } else if (reason instanceof TaskCommitDenied || isLaterAttempt(reason)) {
            denied.incrementAndGet();
        } else if (!reason.equals(Success$.MODULE$)) {
            failed.incrementAndGet();
        }
    }
}
