// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.queue;

import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.ChildJvm;
import io.millrace.lab.experiment.ReadyWork;
import io.millrace.lab.experiment.RoundDetails;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.params.ScanParams;

/** Workers that are killed in the middle of their jobs. Another worker follows each. Counts lost and repeated jobs. */
final class KilledWorkersWork implements ReadyWork {

    static final String LOST = "lost";
    static final String TWICE = "done twice";

    static final int KILLS = 2;

    /** A worker that is silent for this long counts as dead. */
    static final Duration SILENCE = Duration.ofSeconds(2);

    /** Queues without a change for this long do nothing more. */
    private static final Duration QUIET = SILENCE.multipliedBy(3);

    private static final Duration LIMIT = Duration.ofMinutes(2);
    private static final Duration STEP = Duration.ofMillis(2);

    private final QueueLibrary library;
    private final Target target;
    private final List<String> jobs;
    private final QueueAdapter queue;
    private final RedisClient control;
    private Map<String, String> counts = Map.of();

    KilledWorkersWork(QueueLibrary library, Target target, int jobs) throws Exception {
        this.library = library;
        this.target = target;
        this.jobs = IntStream.range(0, jobs).mapToObj(Integer::toString).toList();
        queue = library.opener().open(target, SILENCE);
        control = JedisQueue.connect(target);
    }

    @Override
    public void fill() throws Exception {
        queue.pushAll(jobs);
    }

    @Override
    public long run() throws Exception {
        long start = System.nanoTime();
        for (int kill = 1; kill <= KILLS; kill++) {
            try (ChildJvm unused = KillableWorker.start(library, target, SILENCE)) {
                awaitDone(jobs.size() * kill / (KILLS + 1), start);
            }
        }
        try (ChildJvm unused = KillableWorker.start(library, target, SILENCE)) {
            awaitEnd(start);
        }
        counts = control.hgetAll(KillableWorker.COUNTS);
        return counts.size();
    }

    private void awaitDone(long wanted, long start) throws TimeoutException {
        while (control.hlen(KillableWorker.COUNTS) < wanted) {
            step(start);
        }
    }

    /** Waits until all jobs were done and none is left, or until nothing changes any more. */
    private void awaitEnd(long start) throws TimeoutException {
        String last = "";
        long lastChange = System.nanoTime();
        while (System.nanoTime() - lastChange < QUIET.toNanos()) {
            long done = control.hlen(KillableWorker.COUNTS);
            long left = left();
            if (done == jobs.size() && left == 0) {
                return;
            }
            String state = done + " " + left;
            if (!state.equals(last)) {
                last = state;
                lastChange = System.nanoTime();
            }
            step(start);
        }
    }

    private static void step(long start) throws TimeoutException {
        if (System.nanoTime() - start > LIMIT.toNanos()) {
            throw new TimeoutException("the workers do not do the jobs: seconds=" + LIMIT.toSeconds() + ".");
        }
        LockSupport.parkNanos(STEP.toNanos());
    }

    /** Number of jobs that wait, or that a worker has taken, in all keys of the queue. */
    private long left() {
        long left = 0;
        for (String key : control.scan(
                        ScanParams.SCAN_POINTER_START,
                        new ScanParams().match("*").count(1_000))
                .getResult()) {
            if (key.startsWith(QueueAdapter.NAME)) {
                left += switch (control.type(key)) {
                    case "list" -> control.llen(key);
                    case "stream" -> pending(key);
                    default -> 0;
                };
            }
        }
        return left;
    }

    private long pending(String stream) {
        try {
            return control.xpending(stream, QueueAdapter.GROUP).getTotal();
        } catch (JedisDataException e) { // there is no group yet
            return 0;
        }
    }

    @Override
    public RoundDetails details() {
        int lost = jobs.size() - counts.size();
        long twice = counts.values().stream().mapToLong(Long::parseLong).sum() - counts.size();
        List<String> complaints = new ArrayList<>();
        if (lost > 0 && library.guarantee() == QueueLibrary.Guarantee.AT_LEAST_ONCE) {
            complaints.add("a queue that promises each job has lost jobs: lost=" + lost);
        }
        return RoundDetails.NONE
                .withFigure(LOST, lost)
                .withFigure(TWICE, (double) twice)
                .withComplaints(complaints);
    }

    @Override
    public void close() throws Exception {
        try (control) {
            queue.close();
        }
    }
}
