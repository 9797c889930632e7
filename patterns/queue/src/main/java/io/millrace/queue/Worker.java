// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.RedisClient;
import io.millrace.client.exception.RedisException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A running worker of a queue: it takes jobs and does them, until it is closed. {@link WorkerBuilder#start} starts a
 * worker. Thread-safe.
 *
 * <p>A worker has four platform threads. The dispatcher takes jobs and starts them. The acknowledger tells the server how
 * jobs ended, and moves due jobs. The lease keeper renews the lease. The timer checks the run times. Jobs run on virtual
 * threads, or in the executor of the {@linkplain WorkerBuilder#executor builder}. One virtual thread can do several short
 * jobs, one after the other, so a job must remove the thread locals that it sets. No thread inherits thread locals of the
 * thread that starts the worker. The dispatcher is not a daemon thread: a worker keeps the process alive until the
 * worker is closed or ends. By default, a {@code SIGTERM} closes the worker.
 *
 * <p>While the worker waits for jobs, it borrows a dedicated connection of the client for at most one second. It borrows
 * another one for each renewal of the lease. So the pool of the client should have two connections for each worker. A worker logs one
 * warning if it waits twice in a row more than 300 ms longer for jobs than it wanted, or gets no connection.
 *
 * <p>A failed job does not end a worker. While the server cannot be reached, running jobs continue, and the worker tries
 * again until it is closed. The worker logs one line to {@code io.millrace.queue} when this begins, and one when it ends.
 * If the client is closed first, the worker logs an error and ends.
 */
public final class Worker implements AutoCloseable {

    /** Time for which {@link #close} waits for the reply of a fetch before it gives up the connection. */
    private static final Duration FETCH_LIMIT = Duration.ofSeconds(2);

    /** Time for which {@link #close} waits for interrupted jobs. The rest of 30 s after {@code SHUTDOWN_GRACE}. */
    private static final Duration CLOSING_INTERRUPT_GRACE = Duration.ofSeconds(1);

    /** Time for which {@link #close} tries to send acknowledgements. */
    private static final Duration ACKNOWLEDGEMENT_LIMIT = Duration.ofSeconds(2);

    private static final long NAME_POLL_MILLIS = 200;

    private final QueueBackend<?> backend;
    private final WorkerOptions options;
    private final Places<?> places;
    private final StatsCounter stats = new StatsCounter();
    private final OutageLog outage;
    private final Acknowledger<?> acknowledger;
    private final LeaseKeeper leaseKeeper;
    private final JobRunner<?> runner;
    private final JobTimer timer;
    private final Dispatcher<?> dispatcher;
    private final Thread thread;
    private final CountDownLatch dispatched = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicReference<@Nullable Thread> shutdownHook = new AtomicReference<>();

    /** Written by the dispatching thread before {@link #ended}. */
    private volatile @Nullable Throwable failure;

    private <T> Worker(RedisClient client, QueueBackend<T> backend, JobRunner.Context<T> context) {
        this.backend = backend;
        this.options = context.options();
        Places<T> ownPlaces = new Places<>(
                options.concurrency(), context.threads().severalJobs() ? Places.MAX_AHEAD : 0, context.clock());
        this.places = ownPlaces;
        this.outage = new OutageLog(backend.name(), backend.worker());
        DeadJobCalls<T> deadJobCalls = new DeadJobCalls<>(context);
        Acknowledger<T> ownAcknowledger = new Acknowledger<>(client, backend, stats, outage, deadJobCalls::buried);
        JobRunner<T> ownRunner = new JobRunner<>(context, deadJobCalls, ownPlaces, stats, ownAcknowledger::acknowledge);
        this.acknowledger = ownAcknowledger;
        this.leaseKeeper = new LeaseKeeper(backend, ownAcknowledger::heldIds, outage, options.lease());
        this.runner = ownRunner;
        Duration shortest = options.timeout().compareTo(options.interruptGrace()) < 0
                ? options.timeout()
                : options.interruptGrace();
        this.timer = new JobTimer(backend.name(), shortest, ownRunner::check);
        this.dispatcher =
                new Dispatcher<>(backend, options, leaseKeeper, ownAcknowledger, ownRunner, ownPlaces, stats, outage);
        this.thread = Thread.ofPlatform()
                .daemon(false)
                .inheritInheritableThreadLocals(false)
                .name("millrace-worker-" + backend.name())
                .unstarted(this::run);
    }

    static <T> Worker start(RedisClient client, QueueBackend<T> backend, JobRunner.Context<T> context) {
        register(backend);
        Worker worker = new Worker(client, backend, context);
        worker.begin();
        return worker;
    }

    private static void register(QueueBackend<?> backend) {
        long sentAt = backend.lease().now();
        Optional<Duration> left = backend.register();
        if (left.isPresent()) {
            sentAt = awaitName(backend, left.get());
        }
        backend.lease().renewed(sentAt);
    }

    /**
     * Waits until another worker with this name has no lease. If the other worker lives, it renews its lease before the
     * remaining time is over. Returns the time of the registration.
     */
    private static long awaitName(QueueBackend<?> backend, Duration first) {
        long start = System.nanoTime();
        Duration left = first;
        while (System.nanoTime() - start <= first.toNanos()) {
            sleep(backend, Math.clamp(left.toMillis(), 1, NAME_POLL_MILLIS));
            long sentAt = backend.lease().now();
            Optional<Duration> now = backend.register();
            if (now.isEmpty()) {
                return sentAt;
            }
            left = now.get();
        }
        throw QueueException.nameInUse(backend.name(), backend.worker(), first, left);
    }

    private static void sleep(QueueBackend<?> backend, long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new QueueException(
                    "the worker was not started, because its thread was interrupted while the worker waited for its name: queue="
                            + backend.name() + ", worker=" + backend.worker() + ". Start the worker again.",
                    e);
        }
    }

    private void begin() {
        boolean unused = leaseKeeper.tryRenew(); // also reads the clock of the server
        leaseKeeper.start();
        acknowledger.start();
        timer.start();
        thread.start();
        if (options.stopOnShutdown()) {
            Thread hook = new Thread(this::close, "millrace-worker-shutdown-" + backend.name());
            shutdownHook.set(hook);
            try {
                Runtime.getRuntime().addShutdownHook(hook);
            } catch (IllegalStateException e) { // the JVM is shutting down
                close();
            }
        }
    }

    /** Dispatches jobs, and then closes the worker. */
    private void run() {
        try {
            dispatcher.dispatch();
        } catch (RuntimeException | Error e) {
            failure = e;
            QueueLog.log(
                    Level.ERROR,
                    "a worker has ended early: queue=" + backend.name() + ", worker=" + name()
                            + ". Mend the cause, then start a new worker.",
                    e);
        } finally {
            places.stop();
            dispatched.countDown();
            try {
                shutDown();
            } finally {
                removeShutdownHook();
                ended.countDown();
            }
        }
    }

    private void shutDown() {
        runner.giveBackWaiting();
        try {
            places.awaitIdle(options.shutdownGrace().toNanos());
            runner.interruptAll();
            Duration grace = options.interruptGrace().compareTo(CLOSING_INTERRUPT_GRACE) < 0
                    ? options.interruptGrace()
                    : CLOSING_INTERRUPT_GRACE;
            places.awaitInterrupted(grace.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // no code interrupts this thread
        }
        runner.giveBackRest();
        timer.stop();
        int unsent = acknowledger.close(ACKNOWLEDGEMENT_LIMIT.toNanos());
        leaseKeeper.stop();
        if (unsent > 0) {
            QueueLog.log(
                    Level.WARNING,
                    "a worker could not tell the server the end of jobs, which are done again: queue=" + backend.name()
                            + ", worker=" + name() + ", jobs=" + unsent);
        }
        try {
            backend.leave();
        } catch (RedisException | IllegalStateException e) {
            QueueLog.log(
                    Level.WARNING,
                    "a worker could not give its jobs back; other workers take them after the lease: queue="
                            + backend.name() + ", worker=" + name() + ", failure=" + e);
        }
    }

    private void removeShutdownHook() {
        Thread hook = shutdownHook.getAndSet(null);
        if (hook != null) {
            try {
                boolean unused = Runtime.getRuntime().removeShutdownHook(hook);
            } catch (IllegalStateException e) {
                // the JVM is shutting down
            }
        }
    }

    /** Returns the name of the worker, as configured or generated. */
    public String name() {
        return backend.worker();
    }

    /** Returns the current stats. */
    public WorkerStats stats() {
        int abandoned = places.abandoned();
        return stats.stats(state(abandoned), abandoned);
    }

    private WorkerState state(int abandoned) {
        if (ended.getCount() == 0) {
            return WorkerState.ENDED;
        }
        if (places.isStopping()) {
            return WorkerState.CLOSING;
        }
        if (abandoned >= Places.MAX_ABANDONED) {
            return WorkerState.BLOCKED;
        }
        if (outage.isInOutage()) {
            return WorkerState.DISCONNECTED;
        }
        return dispatcher.isPaused() ? WorkerState.PAUSED : WorkerState.RUNNING;
    }

    /**
     * Waits until the worker has ended: another thread or the shutdown of the JVM has closed the worker, or the queue is
     * empty and the worker {@linkplain WorkerBuilder#endWhenEmpty ends then}.
     *
     * @throws QueueException if the worker has ended early, because one of its threads failed or the client was closed
     */
    public void await() throws InterruptedException {
        ended.await();
        throwFailure();
    }

    /** Waits as {@link #await()} does, at most for {@code limit}. Returns whether the worker has ended. */
    public boolean await(Duration limit) throws InterruptedException {
        boolean isEnded = ended.await(limit.toNanos(), TimeUnit.NANOSECONDS);
        if (isEnded) {
            throwFailure();
        }
        return isEnded;
    }

    private void throwFailure() {
        Throwable cause = failure;
        if (cause != null) {
            throw new QueueException(
                    "the worker has ended early: queue=" + backend.name() + ", worker=" + name()
                            + ". Mend the cause, then start a new worker.",
                    cause);
        }
    }

    /**
     * Closes the worker. The worker takes no more jobs and waits for its running jobs, at most for {@link
     * WorkerOptions#SHUTDOWN_GRACE}. Then it interrupts the jobs that still run, and gives them back to the queue, to be
     * done next, without counting the attempt, however often this happens to a job. Only a job whose thread is in {@code
     * System.exit} counts, as a death. Blocks until this is done. If the calling thread is interrupted, the
     * worker does not wait for running jobs. With the default options, the method takes at most 30 s if the server
     * replies. Does not throw; failures are logged. A second call waits for the end of the first.
     */
    @Override
    public void close() {
        places.stop();
        acknowledger.release();
        boolean interrupted = false;
        while (ended.getCount() > 0) {
            try {
                if (!dispatched.await(FETCH_LIMIT.toNanos(), TimeUnit.NANOSECONDS)) {
                    dispatcher.interrupt();
                }
                ended.await();
            } catch (InterruptedException e) {
                interrupted = true;
                places.hurry();
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
