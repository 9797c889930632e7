// SPDX-License-Identifier: Apache-2.0
package io.millrace.tasks;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/*
 * DESIGN
 *
 *     source --> producer --\                  /--> worker --> result sink, source.settled, listener
 *     source --> producer ---+--> backlog -----+--> worker
 *     source --> producer --/     (bounded)    \--> worker
 *                        supervisor: deadlines, stop, end, report
 *
 * Each source has a producer, each consumer has a worker, and the flow has one supervisor. Each of these is a thread.
 * Producers and workers only notify the supervisor that something has happened: they write a volatile field, increment
 * a count and unpark the supervisor. The supervisor alone acts on these events, one at a time, so the order of events
 * does not matter:
 *
 *     all producers have ended              close the backlog: workers take the remaining tasks and end
 *     all workers have ended, too           cancel leftover tasks, close the sources, make the report
 *     a thread requests a stop (the first reason counts)
 *         interrupt the sources; to drain, execute the remaining tasks;
 *         to drop, drop the backlog and interrupt workers that execute tasks
 *     a task is late                        interrupt its worker (see TaskOwnership)
 *     a thread runs on after its grace      abandon the thread, settle its tasks, replace a worker
 *
 * The last owner of a task settles it, see TaskFlowStats.
 */

/** Runs a flow: starts, watches and ends its threads, and reports the outcomes of its tasks. */
final class Supervisor<T> implements Runnable {

    /** The flow that the current thread belongs to. Such a thread cannot wait for the end of its flow. */
    private static final ThreadLocal<Supervisor<?>> CURRENT = new ThreadLocal<>();

    /**
     * Why a flow stops.
     *
     * @param cause the failure; null if the flow did not fail
     */
    private record Stop(Ending ending, @Nullable Throwable cause) {}

    /**
     * Time between checks of the workers after a drop. The first check may miss a worker that is about to start a task.
     */
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /**
     * The result of a flow.
     *
     * @param cause the failure that stopped the flow early; null if the flow did not fail
     */
    private record Result<T>(
            TaskFlowReport<T> report, @Nullable Throwable cause) {}

    private final Settings settings;
    private final Backlog<T> backlog;
    private final ResultSink<T> resultSink;
    private final TaskFlowStats<T> stats;
    private final @Nullable RateLimiter rateLimiter;

    /** Creates the producer of a source. */
    interface ProducerFactory<T> {
        Producer<T> create(Supervisor<T> flow, Source<T> source, int number);
    }

    private final List<Source<T>> sources;
    private final ProducerFactory<T> producerFactory;

    /** One producer for each source; fewer if a thread could not be created. Used by the supervisor thread only. */
    private final List<Producer<T>> producers = new ArrayList<>();

    private final Workers<T> workers;
    private final Thread thread;
    private final long startedAt;

    /** Number of producers that have not ended. A producer decrements this number when it ends. */
    private final AtomicInteger runningProducers = new AtomicInteger();

    /** Number of notifications. */
    private final AtomicInteger events = new AtomicInteger();

    /** The reason for the first stop request. Any thread may set this reason, if it is not set yet. */
    private final AtomicReference<@Nullable Stop> stop = new AtomicReference<>();

    /** Whether the flow drops its tasks. Any thread may set this flag; no thread resets it. */
    private volatile boolean dropping;

    /** Accessed by the supervisor thread only, like the fields below. */
    private final Counters counters;

    /** Null if nothing is recorded when the flow begins. */
    private Events.@Nullable TaskFlowEvent event;

    private boolean stopped;
    private boolean closed;
    private boolean dropped;
    private long droppedAt;
    private long stoppedAt;
    private int abandoned;

    /** The supervisor thread sets either this field or {@link #crash} before it ends. */
    private volatile @Nullable Result<T> result;

    private volatile @Nullable Throwable crash;

    Supervisor(
            Settings settings,
            Backlog<T> backlog,
            ResultSink<T> resultSink,
            ConsumerCall<T> consumerCall,
            OutcomeListener<? super T> listener,
            List<Source<T>> sources,
            ProducerFactory<T> producerFactory) {
        this.settings = settings;
        this.startedAt = settings.now();
        this.backlog = backlog;
        this.resultSink = resultSink;
        this.sources = sources;
        this.producerFactory = producerFactory;
        this.stats = new TaskFlowStats<>(settings, resultSink, listener, this::stop);
        this.counters = stats.newCounters();
        this.workers = new Workers<>(this, settings, consumerCall);
        this.rateLimiter = settings.hasNoRate() ? null : new RateLimiter(settings.rate());
        // Not a virtual thread, because consumers in virtual threads may compute and occupy all carrier threads.
        this.thread = Thread.ofPlatform()
                .daemon()
                .name("millrace-" + settings.name() + "-supervisor")
                .unstarted(this);
    }

    /** Starts the flow. Called once. */
    void start() {
        thread.start();
    }

    @Override
    public void run() {
        markOwnThread();
        event = Events.beginFlow();
        try {
            startThreads();
            supervise(); // even if some threads could not be started, because the others must end
            result = finish();
        } catch (Throwable e) {
            crash = e;
            stop(Ending.SOURCE_FAILED, e, OnStop.DROP);
            producers.forEach(Producer::interrupt);
        }
    }

    private void startThreads() {
        try {
            workers.start();
            for (Source<T> source : sources) {
                Producer<T> producer = producerFactory.create(this, source, producers.size());
                producer.start();
                // A producer decrements this number when it ends. If it ends before this line, the number is too low
                // for a moment. This is harmless, because the supervisor reads the number only after this loop.
                runningProducers.incrementAndGet();
                producers.add(producer);
            }
        } catch (Throwable e) {
            stats.sourceFailed(e, OnStop.DROP);
        }
    }

    private void supervise() {
        // The loop first reads the number of events and then checks the state. If an event follows the check, the
        // number has changed, and the supervisor does not park.
        for (int seen = events.get(); runningProducers.get() > 0 || workers.running() > 0; seen = events.get()) {
            actOnStop();
            if (!closed && runningProducers.get() == 0) {
                closed = true;
                backlog.close();
            }
            long wait = watch(settings.now());
            if (events.get() == seen) { // a lock used above may have consumed the unpark permit
                park(wait);
            }
        }
    }

    private void park(long nanos) {
        if (nanos == Worker.NEVER) {
            LockSupport.park(this);
        } else {
            LockSupport.parkNanos(this, nanos);
        }
        var unused = Thread.interrupted(); // an interrupt from outside would keep this thread from parking
    }

    /** Notifies the supervisor thread. Called after each change that the supervisor must handle. */
    private void tell() {
        events.incrementAndGet();
        LockSupport.unpark(thread);
    }

    private void actOnStop() {
        if (isStopping() && !stopped) {
            stopped = true;
            stoppedAt = settings.now();
            producers.forEach(Producer::interruptSource);
        }
        if (dropping && !dropped) {
            dropped = true;
            droppedAt = settings.now();
        }
    }

    /** Checks deadlines and interrupted threads. Returns the nanoseconds until the next check. */
    private long watch(long now) {
        long next = dropping ? LOOK_AGAIN_NANOS : Worker.NEVER;
        if (dropping || settings.deadlineNanos() != Worker.NEVER) {
            next = Math.min(next, workers.check(now, dropped && now - droppedAt >= settings.graceNanos()));
        }
        return Math.min(next, watchProducers(now));
    }

    private long watchProducers(long now) {
        if (!stopped || runningProducers.get() == 0) {
            return Worker.NEVER;
        }
        long remaining = settings.graceNanos() - (now - stoppedAt);
        if (remaining > 0) {
            return remaining;
        }
        producers.stream().filter(Producer::abandon).forEach(this::producerAbandoned);
        if (dropped && now - droppedAt >= settings.graceNanos()) {
            producers.forEach(Producer::interrupt); // a source or a listener may block while it receives an outcome
        }
        return LOOK_AGAIN_NANOS; // a producer may be about to call its source
    }

    private void producerAbandoned(Producer<T> producer) {
        runningProducers.decrementAndGet();
        abandoned(producer.thread());
        tell();
    }

    /** Records an abandoned thread. Called by the supervisor thread. */
    void abandoned(Thread which) {
        abandoned++;
        Events.recordAbandoned(settings.name(), which);
    }

    /** Settles the remaining tasks, closes the sources, and makes the report. Called when all threads have ended. */
    private Result<T> finish() throws InterruptedException {
        List<Entry<T>> remaining = new ArrayList<>(workers.awaitAndTakeUnsettled());
        for (Producer<T> producer : producers) {
            if (!producer.isAbandoned()) {
                producer.thread().join();
            }
        }
        remaining.addAll(backlog.removeRemaining());
        if (!remaining.isEmpty() && !isStopping()) {
            String why = "tasks did not start, because the key of an earlier task has probably changed: tasks="
                    + remaining.size() + ". A task key must not change";
            stats.sourceFailed(new IllegalStateException(why), OnStop.DROP);
        }
        new FlowShutdown<>(this, counters, remaining, sources).run();
        resultSink.close();
        return makeReport();
    }

    private Result<T> makeReport() {
        Stop why = stop.get();
        if (why == null && dropping) {
            why = new Stop(Ending.SOURCE_FAILED, new IllegalStateException("no memory to record why the flow stopped"));
        }
        TaskFlowReport<T> report = stats.close(
                why == null ? Ending.COMPLETED : why.ending(), abandoned, Duration.ofNanos(settings.now() - startedAt));
        Events.endFlow(event, report);
        return new Result<>(report, why == null ? null : why.cause());
    }

    // Producers, workers and users call the methods below.

    Settings settings() {
        return settings;
    }

    TaskFlowStats<T> stats() {
        return stats;
    }

    Backlog<T> backlog() {
        return backlog;
    }

    boolean isStopping() {
        return dropping || stop.get() != null;
    }

    boolean isDropping() {
        return dropping;
    }

    /** Marks the calling thread as a thread of this flow. */
    void markOwnThread() {
        CURRENT.set(this);
    }

    void producerEnded() {
        runningProducers.decrementAndGet();
        tell();
    }

    void workerEnded() {
        workers.ended();
        tell();
    }

    void abandonedWorkerEnded() {
        workers.abandonedEnded();
    }

    /** Requests a stop. If the flow already has a stop reason, the new reason is ignored. */
    void stop(Ending ending, @Nullable Throwable cause, OnStop mode) {
        try {
            stop.compareAndSet(null, new Stop(ending, cause));
        } finally { // even if there is no memory for the reason
            if (mode == OnStop.DROP) {
                dropping = true;
                backlog.drop();
                resultSink.close(); // at once, because threads that settle tasks must not wait for the reader
            }
            tell();
        }
    }

    /** Reserves start times for attempts. Returns the nanoseconds to wait before the attempts; at most 0 for no wait. */
    long reserveRate(int attempts) {
        return rateLimiter == null ? 0 : rateLimiter.reserve(attempts, settings.now() - startedAt);
    }

    /** Waits for reserved start times. Cancels the reservation if the thread is interrupted. */
    void awaitRate(int attempts, long nanos) throws InterruptedException {
        try {
            Thread.sleep(Duration.ofNanos(nanos));
        } catch (InterruptedException e) {
            if (rateLimiter != null) {
                rateLimiter.giveBack(attempts);
            }
            throw e;
        }
    }

    boolean isEnded() {
        return !thread.isAlive();
    }

    /**
     * Waits for the end of the flow.
     *
     * @throws IllegalStateException if the calling thread belongs to the flow, which cannot end while that thread waits
     */
    void join() throws InterruptedException {
        if (CURRENT.get() == this) {
            throw new IllegalStateException("a thread of a flow cannot wait for the end of this flow: name="
                    + settings.name() + ". Call cancel() instead");
        }
        thread.join();
    }

    /** Waits at most {@code timeout} for the end of the flow. Returns whether it has ended. */
    boolean join(Duration timeout) throws InterruptedException {
        return thread.join(timeout);
    }

    /**
     * The report of a flow that has ended.
     *
     * @throws TaskFlowException if the flow neither completed nor was cancelled
     */
    TaskFlowReport<T> result() {
        Result<T> ended = result;
        if (ended == null) {
            throw new IllegalStateException("the flow ended with an internal error: name=" + settings.name(), crash);
        }
        Ending ending = ended.report().ending();
        if (ending != Ending.COMPLETED && ending != Ending.CANCELLED) {
            throw new TaskFlowException(ended.report(), ended.cause());
        }
        return ended.report();
    }
}
