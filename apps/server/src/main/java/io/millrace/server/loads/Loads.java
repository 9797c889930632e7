// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import io.millrace.load.LoadEvent;
import io.millrace.server.gate.Problem;
import io.millrace.server.gate.Refusal;
import io.millrace.spring.LoadEnded;
import io.millrace.spring.LoadJobs;
import io.millrace.spring.LoadObserver;
import io.millrace.spring.LoadStarted;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * The loads of all jobs, however they were started: by a request, at the start of the server, or by a timer. Thread-safe.
 *
 * <pre>
 *   request -> start -> LoadJobs -> thread of the job -> LoadStarted -> listener -> events -> LoadEnded
 *                |                                           |                        |           |
 *                +------------ RunningLoad ------------------+------------------------+       LoadLog
 * </pre>
 *
 * <p>The lock of this class is taken before the lock of {@link LoadJobs}. {@code LoadJobs} publishes events without a lock.
 */
@Component
public class Loads implements LoadObserver {

    static final int AT_ONCE = 2;

    private final LoadLog log;

    /** Created later than this observer, because the jobs ask for their observers. */
    private final ObjectProvider<LoadJobs> jobs;

    private final InstantSource clock = InstantSource.system();
    private final ReentrantLock lock = new ReentrantLock();

    /** The running loads by job. Guarded by {@link #lock}. */
    private final Map<String, RunningLoad> running = new HashMap<>();

    Loads(LoadLog log, ObjectProvider<LoadJobs> jobs) {
        this.log = log;
        this.jobs = jobs;
    }

    /**
     * A load and its progress.
     *
     * @param progress null if the load has ended
     */
    public record LoadState(LoadRecord load, @Nullable LoadProgress progress) {}

    /**
     * Starts a job. Returns when the load log has the start.
     *
     * @throws Refusal if there is no such job, the job runs already, too many loads run, or the options do not fit the job
     */
    public LoadRecord start(String job, LoadRequest request) {
        LoadJobs all = jobs.getObject();
        if (!all.names().contains(job)) {
            throw new Refusal(Problem.NOT_FOUND, "There is no such job. The jobs are " + all.names() + ".");
        }
        LoadRecord start;
        lock.lock();
        try {
            if (running.containsKey(job)) {
                throw new Refusal(Problem.CONFLICT, "The job runs already.");
            }
            if (running.size() >= AT_ONCE) {
                throw new Refusal(Problem.TOO_MANY, AT_ONCE + " loads run already.", 1);
            }
            if (all.tryStart(job, request::applied).isEmpty()) {
                throw new Refusal(Problem.CONFLICT, "The job runs already.");
            }
            start = begin(job, request);
        } catch (IllegalArgumentException unsuitable) {
            throw new Refusal(Problem.BAD_REQUEST, "The options do not fit the job.");
        } finally {
            lock.unlock();
        }
        log.add(start);
        return start;
    }

    /** Creates the load of a job. The caller holds the lock. */
    private LoadRecord begin(String job, LoadRequest request) {
        long id = Math.max(
                log.nextId(),
                running.values().stream()
                                .mapToLong(load -> load.start().id())
                                .max()
                                .orElse(0)
                        + 1);
        LoadRecord start = LoadRecord.started(id, job, request, clock.instant());
        running.put(job, new RunningLoad(start));
        return start;
    }

    /** Creates the load of a job that a timer or the start of the server has started. */
    @EventListener
    void onStart(LoadStarted event) {
        LoadRecord start = null;
        lock.lock();
        try {
            if (!running.containsKey(event.job())) {
                start = begin(event.job(), LoadRequest.UNCHANGED);
            }
        } finally {
            lock.unlock();
        }
        if (start != null) {
            log.add(start);
        }
    }

    @EventListener
    void onEnd(LoadEnded event) {
        RunningLoad ended;
        lock.lock();
        try {
            ended = running.get(event.run().job());
        } finally {
            lock.unlock();
        }
        if (ended == null) {
            return;
        }
        // First into the log, then out of the running loads: a reader finds the load at any moment.
        log.add(ended.start().endedWith(event.run(), ended.rejected().lines(), clock.instant()));
        lock.lock();
        try {
            running.remove(event.run().job(), ended);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Consumer<LoadEvent> listener(String job) {
        RunningLoad load;
        lock.lock();
        try {
            load = running.get(job);
        } finally {
            lock.unlock();
        }
        return load == null ? event -> {} : load::on;
    }

    /** Stops a load. {@code now}: without waiting for the replies of the rows in flight. */
    public void stop(long id, boolean now) {
        String job = state(id).load().job();
        LoadJobs all = jobs.getObject();
        lock.lock();
        try {
            RunningLoad current = running.get(job);
            // A later load of the same job must not be stopped.
            boolean runs = current != null && current.start().id() == id;
            if (!runs || !(now ? all.abandon(job) : all.stop(job))) {
                throw new Refusal(Problem.CONFLICT, "The load has ended.");
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns a load, or refuses the request. */
    public LoadState state(long id) {
        RunningLoad load = find(id);
        if (load != null) {
            return new LoadState(load.start(), load.progress());
        }
        return log.find(id)
                .map(ended -> new LoadState(ended, null))
                .orElseThrow(() -> new Refusal(Problem.NOT_FOUND, "There is no such load."));
    }

    /** The first rejected rows of a load as lines of JSON. */
    public List<String> rejects(long id) {
        RunningLoad load = find(id);
        return load != null ? load.rejected().lines() : state(id).load().rejects();
    }

    /** All loads, newest first. */
    public List<LoadState> all() {
        return log.newestFirst().stream()
                .map(load -> new LoadState(
                        load,
                        Optional.ofNullable(load.hasEnded() ? null : find(load.id()))
                                .map(RunningLoad::progress)
                                .orElse(null)))
                .toList();
    }

    private @Nullable RunningLoad find(long id) {
        lock.lock();
        try {
            return running.values().stream()
                    .filter(load -> load.start().id() == id)
                    .findFirst()
                    .orElse(null);
        } finally {
            lock.unlock();
        }
    }
}
