// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.load.ExitCode;
import io.millrace.load.LoadEvent;
import io.millrace.load.LoadReport;
import io.millrace.server.gate.Problem;
import io.millrace.server.gate.Refusal;
import io.millrace.spring.LoadEnded;
import io.millrace.spring.LoadJobs;
import io.millrace.spring.LoadObserver;
import io.millrace.spring.LoadRun;
import io.millrace.spring.LoadStarted;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * The loads of all jobs, however they were started: by a request, at the start of the server, or by a timer. Thread-safe.
 *
 * <p>DESIGN. {@code LoadStarted} and {@code LoadEnded} of a run create and end its load in the log, also if a request has started
 * the run:
 *
 * <pre>
 *   request -> start -> LoadJobs -> thread of the job: LoadStarted   onStart  the log gets the start, then the first row is read
 *                |                                     load events   listener
 *                +- waits for the line of onStart      LoadEnded     onEnd    the log gets the end
 * </pre>
 *
 * <p>A job may begin again while the end of its former run is still being written. So {@link #current} has the newest load of
 * each job, and {@link #open} has each load until the log has its end: a reader finds a load at any moment in {@code open} or
 * in the log.
 *
 * <p>The lock of this class is taken before the lock of {@link LoadJobs}, and never while the log is written or the files of a
 * source are asked: a folder of another machine may hang. {@code LoadJobs} publishes events without a lock.
 */
@Component
public class Loads implements LoadObserver {

    static final int AT_ONCE = 2;

    private static final System.Logger LOGGER = System.getLogger("io.millrace.server");

    private final LoadLog log;
    private final RedisUri redis;
    private final boolean showsValues;

    /** Created later than this observer, because the jobs ask for their observers. */
    private final ObjectProvider<LoadJobs> jobs;

    private final InstantSource clock = InstantSource.system();
    private final ReentrantLock lock = new ReentrantLock();

    /** The newest load of each job, until its run has ended. Guarded by {@link #lock}. */
    private final Map<String, RunningLoad> current = new HashMap<>();

    /** The loads whose ends are not in the log, by id. Guarded by {@link #lock}. */
    private final Map<Long, RunningLoad> open = new HashMap<>();

    Loads(
            LoadLog log,
            ObjectProvider<LoadJobs> jobs,
            RedisClient client,
            @Value("${millrace.server.show-values:false}") boolean showsValues) {
        this.log = log;
        this.jobs = jobs;
        this.redis = client.options().uri();
        this.showsValues = showsValues;
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
     * @throws Refusal if there is no such job, the job runs already, too many loads run, the options do not fit the job, or the
     *     server stops
     */
    public LoadRecord start(String job, LoadRequest request) {
        LoadJobs all = jobs.getObject();
        if (!all.names().contains(job)) {
            throw new Refusal(Problem.NOT_FOUND, "There is no such job. The jobs are " + all.names() + ".");
        }
        Begun begun;
        lock.lock();
        try {
            begun = tryStart(all, job, request);
        } catch (IllegalArgumentException unsuitable) {
            throw new Refusal(Problem.BAD_REQUEST, "The options do not fit the job.");
        } catch (IllegalStateException closed) {
            throw new Refusal(Problem.STOPPING, Problem.STOPPING.title(), Problem.STOPPING_RETRY_SECONDS);
        } finally {
            lock.unlock();
        }
        RunningLoad load = begun.load();
        var unused = begun.run().whenComplete((ended, failure) -> {
            endWithoutStart(load, ended);
            load.releaseCaller();
        });
        try {
            load.awaitStart();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt(); // the load has started, and the caller gets its id
        }
        return load.start();
    }

    /** A run that a request has started, and its load. */
    private record Begun(CompletableFuture<LoadRun> run, RunningLoad load) {}

    /** The caller holds the lock, so the thread of the job waits with its start until the load has its request. */
    private Begun tryStart(LoadJobs all, String job, LoadRequest request) {
        if (all.view(job).running()) {
            throw new Refusal(Problem.CONFLICT, "The job runs already.");
        }
        long runs = current.keySet().stream()
                .filter(each -> all.view(each).running())
                .count();
        if (runs >= AT_ONCE) {
            throw new Refusal(Problem.TOO_MANY, AT_ONCE + " loads run already.", 1);
        }
        CompletableFuture<LoadRun> run = all.tryStart(job, request::applied)
                .orElseThrow(() -> new Refusal(Problem.CONFLICT, "The job runs already."));
        return new Begun(run, create(job, request));
    }

    /** Creates the newest load of a job. The caller holds the lock. */
    private RunningLoad create(String job, LoadRequest request) {
        LoadRecord start = LoadRecord.started(log.newId(), job, request, clock.instant());
        RunningLoad load = new RunningLoad(start);
        current.put(job, load);
        open.put(start.id(), load);
        return load;
    }

    /**
     * Ends a load whose run has ended without an event of its start: no thread could be started. Otherwise the load would stay
     * open, and the next run of the job would take its id.
     */
    private void endWithoutStart(RunningLoad load, @Nullable LoadRun run) {
        lock.lock();
        try {
            if (load.hasBegun()) {
                return;
            }
            current.remove(load.start().job(), load);
        } finally {
            lock.unlock();
        }
        try {
            ExitCode code = run == null ? ExitCode.INTERNAL : run.code();
            String why = "The load has not begun. The log of the server has the reason.";
            log.add(load.start().ended(clock.instant(), code, why), LoadDetails.NONE);
        } finally {
            close(load);
        }
    }

    /** Runs on the thread of the job before the first row is read. */
    @EventListener
    void onStart(LoadStarted event) {
        RunningLoad load;
        lock.lock();
        try {
            RunningLoad newest = current.get(event.job());
            // Without a request that waits for its start, a timer or the start of the server has started the job.
            load = newest == null || newest.hasBegun() ? create(event.job(), LoadRequest.UNCHANGED) : newest;
            load.begin(event.number());
        } finally {
            lock.unlock();
        }
        try {
            load.maskWith(TextMask.of(redis, jobs.getObject().plan(event.job()), !showsValues));
            log.add(load.start(), LoadDetails.NONE);
        } finally {
            load.releaseCaller();
        }
    }

    @EventListener
    void onEnd(LoadEnded event) {
        RunningLoad load;
        lock.lock();
        try {
            load = open.values().stream()
                    .filter(each -> each.hasRun(event.number()))
                    .findFirst()
                    .orElse(null);
            if (load == null) {
                return;
            }
            current.remove(event.run().job(), load);
        } finally {
            lock.unlock();
        }
        try {
            addEnd(load, event.run());
        } finally {
            close(load);
        }
    }

    private void addEnd(RunningLoad load, LoadRun run) {
        Instant now = clock.instant();
        try {
            LoadReport report = ReportMask.masked(run, load.mask());
            log.add(
                    load.start().ended(now, run.code(), run.isComplete() ? null : ReportMask.problem(report)),
                    LoadDetails.of(report, run.code().number(), load.rejected().lines()));
        } catch (RuntimeException | Error failed) {
            LOGGER.log(
                    System.Logger.Level.WARNING,
                    "the report of a load was lost: load=" + load.start().id(),
                    failed);
            log.add(load.start().ended(now, run.code(), "The report was lost."), LoadDetails.NONE);
        }
    }

    private void close(RunningLoad load) {
        lock.lock();
        try {
            open.remove(load.start().id());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Consumer<LoadEvent> listener(String job) {
        RunningLoad load;
        lock.lock();
        try {
            load = current.get(job);
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
            RunningLoad newest = current.get(job);
            // A later load of the same job must not be stopped.
            boolean runs = newest != null && newest.start().id() == id;
            if (!runs || !(now ? all.abandon(job) : all.stop(job))) {
                throw new Refusal(Problem.CONFLICT, "The load has ended.");
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns a load, or refuses the request. */
    public LoadState state(long id) {
        return lookup(id).orElseThrow(() -> new Refusal(Problem.NOT_FOUND, "There is no such load."));
    }

    /** A load is open until the log has its end, so the order of the two lookups finds each load. */
    private Optional<LoadState> lookup(long id) {
        RunningLoad load = find(id);
        return load == null
                ? log.find(id).map(ended -> new LoadState(ended, null))
                : Optional.of(new LoadState(load.start(), load.progress()));
    }

    /** The report and the first rejected rows of a load; empty if they were not kept. */
    public Optional<LoadDetails> details(long id) {
        RunningLoad load = find(id);
        return load == null
                ? log.details(id)
                : Optional.of(new LoadDetails(null, load.rejected().lines()));
    }

    /** The newest loads whose ids are less than {@code before}, newest first, at most {@code limit}. */
    public List<LoadState> newestFirst(long before, int limit) {
        return log.newestFirst().stream()
                .filter(load -> load.id() < before)
                .limit(limit)
                .map(load -> new LoadState(load, null))
                // A load may have ended since the log was read.
                .map(state -> state.load().hasEnded()
                        ? state
                        : lookup(state.load().id()).orElse(state))
                .toList();
    }

    private @Nullable RunningLoad find(long id) {
        lock.lock();
        try {
            return open.get(id);
        } finally {
            lock.unlock();
        }
    }
}
