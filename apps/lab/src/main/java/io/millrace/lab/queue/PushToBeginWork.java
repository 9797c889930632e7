// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.queue;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.queue.QueueAdapter.Consumers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.ConcurrentHistogram;

/** Pushes jobs to an idle worker, one after the other, and measures the time from the push to the begin of the job. */
final class PushToBeginWork implements ReadyWork {

    static final String MEDIAN = "p50 ms";
    static final String SLOW = "p99 ms";

    /** The worker is idle again before the next push. */
    static final Duration PERIOD = Duration.ofMillis(5);

    private static final Duration SILENCE = Duration.ofSeconds(30);

    private final QueueAdapter queue;
    private final int jobs;
    private ConcurrentHistogram latency = new ConcurrentHistogram(3);
    private Optional<Consumers> consumers = Optional.empty();

    PushToBeginWork(QueueLibrary library, Target target, int jobs) throws Exception {
        queue = library.opener().open(target, SILENCE);
        this.jobs = jobs;
    }

    /** Starts the consumers, and does one job: then all consumers wait. */
    @Override
    public void fill() throws Exception {
        latency = new ConcurrentHistogram(3);
        ConcurrentHistogram recorded = latency;
        Consumers started = queue.start(
                QueueLibrary.CONCURRENCY,
                job -> recorded.recordValue(Math.max(0, System.nanoTime() - Long.parseLong(job))));
        consumers = Optional.of(started);
        queue.push(Long.toString(System.nanoTime()));
        Progress.await(started, 1);
        recorded.reset();
    }

    @Override
    public long run() throws Exception {
        long next = System.nanoTime();
        for (int job = 0; job < jobs; job++) {
            for (long wait = next - System.nanoTime(); wait > 0; wait = next - System.nanoTime()) {
                LockSupport.parkNanos(wait);
            }
            long pushed = System.nanoTime();
            queue.push(Long.toString(pushed));
            next = Math.max(next, pushed) + PERIOD.toNanos();
        }
        Progress.await(consumers.orElseThrow(), jobs + 1L);
        return jobs;
    }

    @Override
    public RoundDetails details() throws Exception {
        stop();
        return RoundDetails.NONE
                .withFigure(MEDIAN, latency.getValueAtPercentile(50) / 1e6)
                .withFigure(SLOW, latency.getValueAtPercentile(99) / 1e6);
    }

    private void stop() throws Exception {
        if (consumers.isPresent()) {
            Consumers running = consumers.get();
            consumers = Optional.empty();
            running.close();
        }
    }

    /** After a failed round, the consumers still run. */
    @Override
    public void close() throws Exception {
        try (queue) {
            stop();
        }
    }
}
