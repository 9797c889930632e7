// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.queue.RunningJob.Interruption;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
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
 *     end of the handler                  interrupted because of    acknowledgement
 *     ------------------                  ----------------------    ---------------
 *     returns                             not interrupted           DONE
 *     throws                              not interrupted           FAILED, or DEAD after the last attempt
 *     returns or throws                   timeout                   FAILED, or DEAD after the last attempt
 *     returns, interrupt flag still set   shutdown                  DONE: the handler has not noticed the interrupt
 *     returns or throws                   shutdown                  RETURNED
 */

/** Runs the jobs of a worker, each on a separate thread. Thread-safe. */
final class JobRunner<T> {

    /** What a runner uses. */
    record Context<T>(
            String queue,
            WorkerOptions options,
            JobHandler<T> handler,
            BiConsumer<? super Job<T>, ? super Throwable> onDead,
            Executor executor,
            LongSupplier clock,
            RandomGenerator random) {

        /** A generator that several threads can use. */
        static final RandomGenerator RANDOM = () -> ThreadLocalRandom.current().nextLong();
    }

    private final Context<T> context;
    private final DeadJobCalls<T> deadJobCalls;
    private final Places places;
    private final StatsCounter stats;
    private final Consumer<? super Acknowledgement> acknowledge;
    private final Set<RunningJob<T>> jobs = ConcurrentHashMap.newKeySet();

    JobRunner(
            Context<T> context,
            DeadJobCalls<T> deadJobCalls,
            Places places,
            StatsCounter stats,
            Consumer<? super Acknowledgement> acknowledge) {
        this.context = context;
        this.deadJobCalls = deadJobCalls;
        this.places = places;
        this.stats = stats;
        this.acknowledge = acknowledge;
    }

    /** Starts a job whose place the caller has occupied. */
    void start(TakenJob<T> taken) {
        RunningJob<T> running = new RunningJob<>(taken);
        jobs.add(running);
        try {
            context.executor().execute(() -> run(running));
        } catch (RuntimeException e) { // the executor of the user rejected the job
            if (running.claim(true)) {
                settle(running, failed(running, e));
            }
        }
    }

    private void run(RunningJob<T> running) {
        if (!running.begin(context.clock().getAsLong())) {
            return; // given back
        }
        TakenJob<T> taken = running.taken();
        Acknowledgement end;
        try {
            Job<T> job = taken.decode();
            running.decoded(job);
            end = handle(running, job);
        } catch (RuntimeException | Error e) { // thrown by the codec
            Interruption unused = running.end();
            end = Acknowledgement.dead(taken, "not decoded: " + describe(e));
        }
        if (running.claim(true)) {
            settle(running, end);
        } else if (running.isAbandoned()) {
            places.abandonedEnded();
        }
    }

    /** Runs the handler. Does not throw. */
    private Acknowledgement handle(RunningJob<T> running, Job<T> job) {
        Throwable failure = null;
        try {
            context.handler().handle(job);
        } catch (Throwable e) {
            failure = e;
        }
        Interruption interruption = running.end();
        boolean interruptUnnoticed = Thread.interrupted(); // clears the flag for the next task of a shared thread
        if (running.isAbandoned()) {
            return Acknowledgement.returned(running.taken()); // not sent
        }
        return switch (interruption) {
            case NONE -> failure == null ? Acknowledgement.done(running.taken()) : failed(running, failure);
            case TIMEOUT -> timedOut(running, failure);
            case SHUTDOWN ->
                failure == null && interruptUnnoticed
                        ? Acknowledgement.done(running.taken())
                        : Acknowledgement.returned(running.taken());
        };
    }

    private Acknowledgement timedOut(RunningJob<T> running, @Nullable Throwable failure) {
        stats.timedOut();
        QueueException late = QueueException.timedOut(
                context.queue(), running.taken().id(), context.options().timeout());
        if (failure != null) {
            late.addSuppressed(failure);
        }
        return failed(running, late);
    }

    private Acknowledgement failed(RunningJob<T> running, Throwable failure) {
        TakenJob<T> taken = running.taken();
        String reason = "failed: " + describe(failure);
        if (taken.attempt() < context.options().maxAttempts()) {
            Duration delay = context.options().backoff().delay(taken.attempt(), context.random());
            return Acknowledgement.failed(taken, reason, delay);
        }
        Job<T> job = running.job();
        if (job != null) {
            deadJobCalls.call(job, failure);
        }
        return Acknowledgement.dead(taken, reason);
    }

    private void settle(RunningJob<T> running, Acknowledgement end) {
        jobs.remove(running);
        acknowledge.accept(end);
        places.end(running.taken().suspect());
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
            if (running.runsLongerThan(timeout, now)) {
                boolean unused = running.interrupt(Interruption.TIMEOUT, now);
            } else if (running.ignoresInterrupt(grace, now) && running.claim(false)) {
                abandon(running, timedOutElsewhere(running));
            }
        }
    }

    /** Another thread than the thread of the job settles the job. The handler of dead jobs gets its own thread. */
    private Acknowledgement timedOutElsewhere(RunningJob<T> running) {
        stats.timedOut();
        TakenJob<T> taken = running.taken();
        QueueException late = QueueException.timedOut(
                context.queue(), taken.id(), context.options().timeout());
        String reason = "failed, and ignored its interrupt: " + describe(late);
        if (taken.attempt() < context.options().maxAttempts()) {
            Duration delay = context.options().backoff().delay(taken.attempt(), context.random());
            return Acknowledgement.failed(taken, reason, delay);
        }
        Job<T> job = running.job();
        if (job != null) {
            Thread unused = Thread.ofVirtual().name("millrace-dead-job").start(() -> deadJobCalls.call(job, late));
        }
        return Acknowledgement.dead(taken, reason);
    }

    private void abandon(RunningJob<T> running, Acknowledgement end) {
        jobs.remove(running);
        acknowledge.accept(end);
        if (!running.isAbandoned()) {
            places.end(running.taken().suspect());
            return;
        }
        int abandoned = places.abandon(running.taken().suspect());
        if (abandoned == Places.MAX_ABANDONED) {
            QueueLog.logger()
                    .log(
                            Level.ERROR,
                            "a worker takes no more jobs until an abandoned job ends: queue=" + context.queue()
                                    + ", abandoned=" + abandoned
                                    + ". Make the handler end soon after an interrupt.");
        }
    }

    /** Interrupts all running jobs, because the worker is being closed. */
    void interruptAll() {
        long now = context.clock().getAsLong();
        jobs.forEach(running -> {
            boolean unused = running.interrupt(Interruption.SHUTDOWN, now);
        });
    }

    /** Gives all jobs back that have not ended. Jobs that ignored the interrupt still run. */
    void giveBackRest() {
        for (RunningJob<T> running : jobs) {
            if (running.claim(false)) {
                abandon(running, Acknowledgement.returned(running.taken()));
            }
        }
    }

    private static String describe(Throwable failure) {
        try {
            return failure.toString();
        } catch (RuntimeException e) { // thrown by an exception class of the user
            return failure.getClass().getName();
        }
    }
}
