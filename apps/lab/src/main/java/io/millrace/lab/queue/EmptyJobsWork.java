// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.queue;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import io.millrace.lab.queue.QueueAdapter.Consumers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;

/** Jobs that do nothing. All wait in the queue when the worker starts. A round ends when all are acknowledged. */
final class EmptyJobsWork implements ReadyWork {

    private static final Duration SILENCE = Duration.ofSeconds(30);

    private final QueueAdapter queue;
    private final List<String> jobs;
    private AtomicIntegerArray begun = new AtomicIntegerArray(0);
    private Optional<Consumers> consumers = Optional.empty();

    EmptyJobsWork(QueueLibrary library, Target target, int jobs) throws Exception {
        queue = library.opener().open(target, SILENCE);
        this.jobs = IntStream.range(0, jobs).mapToObj(Integer::toString).toList();
    }

    @Override
    public void fill() throws Exception {
        begun = new AtomicIntegerArray(jobs.size());
        queue.pushAll(jobs);
    }

    @Override
    public long run() throws Exception {
        AtomicIntegerArray counts = begun;
        Consumers started = queue.start(QueueLibrary.CONCURRENCY, job -> counts.getAndIncrement(Integer.parseInt(job)));
        consumers = Optional.of(started);
        Progress.await(started, jobs.size());
        return jobs.size();
    }

    @Override
    public RoundDetails details() throws Exception {
        stop();
        long once = IntStream.range(0, begun.length())
                .filter(job -> begun.get(job) == 1)
                .count();
        return RoundDetails.NONE.withComplaints(
                once == jobs.size()
                        ? List.of()
                        : List.of("jobs that began exactly once: expected=" + jobs.size() + ", found=" + once));
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
