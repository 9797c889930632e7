// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.queue.LimitedLog.Event;
import io.millrace.queue.RunningJob.Interruption;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/*
 * DESIGN
 *
 * The first thread that claims a job settles the job: it passes the acknowledgement on and frees the place. Usually
 * this is the thread of the job. If the job ignores its interrupt, it is the timer or the thread that closes the
 * worker. The job is then abandoned: it still runs, but the worker does not wait for its end.
 *
 *     end of codec and handler            interrupted because of    acknowledgement
 *     ------------------------            ----------------------    ---------------
 *     return                              not interrupted           DONE
 *     throw                               not interrupted           FAILED, or DEAD after the last attempt
 *     return or throw                     timeout                   FAILED, or DEAD after the last attempt
 *     return, interrupt flag still set    shutdown                  DONE: the handler has not noticed the interrupt
 *     return or throw                     shutdown                  RETURNED
 *     none, after the interrupt grace     timeout                   DIED, or DEAD after the last attempt
 *     none, at the end of the worker      shutdown                  RETURNED
 *     none, the thread is in System.exit  shutdown                  DIED, or DEAD after the last attempt
 *
 * A shutdown hook closes the worker when a job calls System.exit, and also when a deployment sends a SIGTERM. Only the
 * stack of the thread tells the two cases apart. So a deployment never counts for a job, and a job that ends each of its
 * processes is dead after few of them.
 *
 * The handler of dead jobs runs on the thread of the job, in the place of the job. If the handler takes longer than the
 * interrupt grace, the thread is interrupted, and after the same time abandoned. The job is dead in each case.
 */

/** Runs the jobs of a worker, one at a time in each place. Thread-safe. */
final class JobRunner<T> {

    /** What a runner uses. */
    record Context<T>(
            String queue,
            WorkerOptions options,
            JobHandler<T> handler,
            BiConsumer<? super Job<T>, ? super Throwable> onDead,
            JobThreads threads,
            LimitedLog log,
            LongSupplier clock,
            RandomGenerator random) {

        /** A generator that several threads can use. */
        static final RandomGenerator RANDOM = () -> ThreadLocalRandom.current().nextLong();
    }

    private static final int JOBS_BEFORE_YIELD = 64;

    private final Context<T> context;
    private final DeadJobCalls<T> deadJobCalls;
    private final Places<T> places;
    private final StatsCounter stats;
    private final Consumer<? super Acknowledgement> acknowledge;
    private final Set<RunningJob<T>> jobs = ConcurrentHashMap.newKeySet();

    /** Whether the worker has begun to interrupt its jobs. Written by the thread that closes the worker. */
    private volatile boolean closing;

    JobRunner(
            Context<T> context,
            DeadJobCalls<T> deadJobCalls,
            Places<T> places,
            StatsCounter stats,
            Consumer<? super Acknowledgement> acknowledge) {
        this.context = context;
        this.deadJobCalls = deadJobCalls;
        this.places = places;
        this.stats = stats;
        this.acknowledge = acknowledge;
    }

    /**
     * Starts the thread of a place that the caller has occupied. The thread does jobs until none waits. Returns false if the
     * executor rejected the thread. The place is then free, and a job without a place is given back.
     */
    boolean startPlace() {
        AtomicBoolean begun = new AtomicBoolean();
        try {
            context.threads().executor().execute(() -> {
                if (begun.compareAndSet(false, true)) {
                    doJobs();
                }
            });
            return true;
        } catch (Throwable e) { // for example, the executor is full or closed, or no thread can be created
            if (begun.compareAndSet(false, true)) {
                places.startFailed().ifPresent(job -> giveBack(job, e));
            }
            return false;
        }
    }

    private void giveBack(TakenJob<T> taken, Throwable rejection) {
        context.log().log(
                Event.REJECTED,
                Level.WARNING,
                "the executor rejected a job, which is given back",
                ", job=" + taken.id() + ". Use an executor that accepts as many tasks as the concurrency,"
                        + " and close the worker before the executor.",
                rejection);
        acknowledge.accept(Acknowledgement.rejected(taken));
    }

    /** Does jobs in one place, one after the other. The place is free afterwards. */
    @SuppressWarnings(
            "ThreadPriorityCheck") // a virtual thread that never waits would keep its carrier from other threads
    private void doJobs() {
        int done = 0;
        TakenJob<T> job = places.begin();
        while (job != null && run(job)) {
            job = next(job);
            if (++done % JOBS_BEFORE_YIELD == 0) {
                Thread.yield();
            }
        }
    }

    private @Nullable TakenJob<T> next(TakenJob<T> ended) {
        if (context.threads().severalJobs()) {
            return places.next(ended);
        }
        places.end(ended);
        return null;
    }

    /** Runs a job. Returns false if another thread has settled the job and freed the place. */
    private boolean run(TakenJob<T> taken) {
        RunningJob<T> running = new RunningJob<>(taken, context.clock().getAsLong());
        jobs.add(running);
        // The worker may have looked at "jobs" before this job was added.
        Acknowledgement end = closing ? Acknowledgement.returned(taken) : attempt(running);
        if (running.claim(true)) {
            jobs.remove(running);
            acknowledge.accept(end);
            return true;
        }
        if (running.isAbandoned()) {
            places.abandonedEnded();
        }
        return false;
    }

    /** Decodes and handles the job. Does not throw. */
    private Acknowledgement attempt(RunningJob<T> running) {
        TakenJob<T> taken = running.taken();
        Throwable failure = null;
        String problem = "not decoded: ";
        try {
            Job<T> job = taken.decode();
            running.decoded(job);
            problem = "failed: ";
            context.handler().handle(job);
        } catch (Throwable e) {
            failure = e;
        }
        Interruption interruption = running.end();
        boolean interruptUnnoticed = Thread.interrupted(); // clears the flag for the next task of a shared thread
        if (running.isAbandoned()) {
            return Acknowledgement.returned(taken); // not sent
        }
        return switch (interruption) {
            case NONE -> failure == null ? Acknowledgement.done(taken) : failed(running, problem, failure);
            case TIMEOUT -> timedOut(running, failure);
            case SHUTDOWN ->
                failure == null && interruptUnnoticed ? Acknowledgement.done(taken) : Acknowledgement.returned(taken);
        };
    }

    private Acknowledgement timedOut(RunningJob<T> running, @Nullable Throwable failure) {
        stats.timedOut();
        QueueException late = QueueException.timedOut(
                context.queue(), running.taken().id(), context.options().timeout());
        if (failure != null) {
            late.addSuppressed(failure);
        }
        return failed(running, "failed: ", late);
    }

    /** Returns the acknowledgement of a failed attempt. After the last attempt, calls the handler of dead jobs. */
    private Acknowledgement failed(RunningJob<T> running, String problem, Throwable failure) {
        Acknowledgement end = failure(running.taken(), problem + describe(failure), failure);
        Job<T> job = running.job();
        boolean dead = end.kind() == Acknowledgement.AckKind.DEAD;
        if (dead && job != null && running.beginDeadCall(end, context.clock().getAsLong())) {
            deadJobCalls.call(job, failure);
            Interruption unused = running.end();
            boolean unusedFlag = Thread.interrupted();
        }
        return end;
    }

    /** Returns FAILED, or DEAD after the last attempt. Logs the failure. */
    private Acknowledgement failure(TakenJob<T> taken, String reason, Throwable failure) {
        int failures = taken.failures() + 1;
        String values = ", job=" + taken.id() + ", failures=" + failures + ", maxAttempts="
                + context.options().maxAttempts() + ".";
        if (failures >= context.options().maxAttempts()) {
            return dead(taken, values, reason, failure);
        }
        context.log().log(Event.FAILED, Level.WARNING, "an attempt failed and will be repeated", values, failure);
        Duration delay = context.options().backoff().delay(failures, context.random());
        return Acknowledgement.failed(taken, reason, delay);
    }

    /**
     * Returns DIED, or DEAD after the last attempt, for a job that ignored its interrupt or ends the process. Such attempts
     * count as deaths, because a worker survives only few of them.
     */
    private Acknowledgement death(TakenJob<T> taken, String reason, Throwable failure) {
        WorkerOptions options = context.options();
        int deaths = taken.deaths() + 1;
        String values = ", job=" + taken.id() + ", deaths=" + deaths + ", maxDeaths=" + options.maxDeaths()
                + ", attempt=" + taken.attempt() + ", maxAttempts=" + options.maxAttempts() + ".";
        if (deaths >= options.maxDeaths() || taken.attempt() >= options.maxAttempts()) {
            return dead(taken, values, reason, failure);
        }
        String advice = " The handler must end soon after an interrupt, and must not end the process.";
        context.log().log(
                Event.FAILED,
                Level.WARNING,
                "an attempt counts as a death and will be repeated",
                values + advice,
                failure);
        Duration delay = options.backoff().delay(taken.failures() + deaths, context.random());
        return Acknowledgement.died(taken, reason, delay);
    }

    private Acknowledgement dead(TakenJob<T> taken, String values, String reason, Throwable failure) {
        String advice = " Mend the cause, then redrive the job.";
        context.log().log(Event.DEAD, Level.WARNING, "a job is dead after its last attempt", values + advice, failure);
        return Acknowledgement.dead(taken, reason);
    }

    /** Calls the handler of dead jobs for a job that the server has buried. */
    void buried(BuriedJob<T> buried) {
        deadJobCalls.buried(buried);
    }

    /** Interrupts jobs that run for too long, and abandons jobs that ignored the interrupt. */
    void check() {
        long now = context.clock().getAsLong();
        long timeout = context.options().timeout().toNanos();
        long grace = context.options().interruptGrace().toNanos();
        for (RunningJob<T> running : jobs) {
            if (running.runsTooLong(timeout, grace, now)) {
                boolean unused = running.interrupt(Interruption.TIMEOUT, now);
            } else if (running.abandonIfInterruptIgnored(grace, now)) {
                Acknowledgement dead = running.dead();
                abandon(running, dead == null ? timedOutElsewhere(running) : dead);
            }
        }
    }

    /** Another thread than the thread of the job settles the job. */
    private Acknowledgement timedOutElsewhere(RunningJob<T> running) {
        stats.timedOut();
        QueueException late = QueueException.timedOut(
                context.queue(), running.taken().id(), context.options().timeout());
        return deathElsewhere(running, "failed, and ignored its interrupt: ", late);
    }

    private Acknowledgement endedProcess(RunningJob<T> running) {
        QueueException exit =
                QueueException.endedProcess(context.queue(), running.taken().id());
        return deathElsewhere(running, "ended its process: ", exit);
    }

    /** Returns the acknowledgement of a job whose thread still runs. The handler of dead jobs gets its own thread. */
    private Acknowledgement deathElsewhere(RunningJob<T> running, String problem, QueueException cause) {
        Acknowledgement end = death(running.taken(), problem + describe(cause), cause);
        Job<T> job = running.job();
        if (end.kind() == Acknowledgement.AckKind.DEAD && job != null) {
            deadJobCalls.callElsewhere(job, cause);
        }
        return end;
    }

    private void abandon(RunningJob<T> running, Acknowledgement end) {
        jobs.remove(running);
        acknowledge.accept(end);
        if (!running.isAbandoned()) {
            places.end(running.taken());
            return;
        }
        int abandoned = places.abandon(running.taken());
        if (abandoned == Places.MAX_ABANDONED) {
            QueueLog.log(
                    Level.ERROR,
                    "a worker takes no more jobs until an abandoned job ends: queue=" + context.queue()
                            + ", abandoned=" + abandoned
                            + ". Make the handler end soon after an interrupt.");
        }
    }

    /** Gives the jobs back at once that wait for a place, because the worker is being closed. */
    void giveBackWaiting() {
        places.removeWaiting().forEach(job -> acknowledge.accept(Acknowledgement.notBegun(job)));
    }

    /** Interrupts all running jobs, because the worker is being closed. */
    void interruptAll() {
        closing = true;
        long now = context.clock().getAsLong();
        jobs.forEach(running -> {
            boolean unused = running.interrupt(Interruption.SHUTDOWN, now);
        });
    }

    /**
     * Gives all jobs back that have not ended, except dead jobs, and jobs that end the process. Jobs that ignored the
     * interrupt still run.
     */
    void giveBackRest() {
        for (RunningJob<T> running : jobs) {
            boolean endsProcess = running.endsProcess();
            if (running.claim(false)) {
                Acknowledgement dead = running.dead();
                Acknowledgement end = endsProcess ? endedProcess(running) : Acknowledgement.returned(running.taken());
                abandon(running, dead == null ? end : dead);
            }
        }
    }

    private static String describe(Throwable failure) {
        try {
            return failure.toString();
        } catch (Throwable e) { // thrown by an exception class of the user, or by a full heap
            return failure.getClass().getName();
        }
    }
}
