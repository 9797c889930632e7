// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.exception.RedisException;
import io.millrace.queue.OutageLog.Part;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/*
 * DESIGN
 *
 *     jobs --acknowledge()--> waiting --acknowledging thread, one pipeline per round--> server
 *                               ^                                             |
 *                               +------ failed commands, after a backoff -----+
 *
 * The threads of jobs only add to a queue in memory, so they never wait for the server. The acknowledging thread sends
 * all acknowledgements that were added since its last round. Once a second, it also does the maintenance of the queue. It
 * is a platform thread, because virtual threads that compute can occupy all carrier threads. The lease keeper renews the
 * lease on another thread, so neither acknowledgements nor maintenance delay a renewal.
 *
 * The queue in memory is bounded: the dispatcher fetches no jobs while more than MAX_WAITING acknowledgements wait.
 *
 * A failed round, whether the server, the client or the heap has failed, is repeated after a backoff.
 *
 * If a job that is still held here is delivered again, the worker does not begin the job again. But the new attempt
 * number replaces the old number, because the server has stored the new number.
 */

/** Sends the acknowledgements of a worker to the server, and does the maintenance of the queue. */
final class Acknowledger<T> implements Runnable {

    private static final int MAX_WAITING = 10_000;
    private static final int MAX_PER_ROUND = 5_000;
    private static final long MAINTENANCE_NANOS = 1_000_000_000;

    private final RedisClient client;
    private final QueueBackend<T> backend;
    private final StatsCounter stats;
    private final OutageLog outage;
    private final Consumer<? super BuriedJob<T>> onBuried;
    private final Thread thread;

    /** The jobs that this worker holds: a map from the id to the attempt number. */
    private final Map<String, Integer> held = new ConcurrentHashMap<>();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition workAdded = lock.newCondition();
    private final Condition roundEnded = lock.newCondition();

    // The lock guards the fields from "waiting" to "backoff".
    private final Deque<Acknowledgement> waiting = new ArrayDeque<>();
    private boolean closing;
    private boolean released;
    private long closeDeadline;
    private boolean ended;

    /** The number of rounds that have ended. In each round the thread sends one batch of acknowledgements. */
    private long rounds;

    private final Backoff backoff = new Backoff();

    private volatile @Nullable Throwable lastFailure;

    Acknowledger(
            RedisClient client,
            QueueBackend<T> backend,
            StatsCounter stats,
            OutageLog outage,
            Consumer<? super BuriedJob<T>> onBuried) {
        this.client = client;
        this.backend = backend;
        this.stats = stats;
        this.outage = outage;
        this.onBuried = onBuried;
        this.thread = Thread.ofPlatform()
                .daemon()
                .inheritInheritableThreadLocals(false)
                .name("millrace-acknowledger-" + backend.name())
                .unstarted(this);
    }

    void start() {
        thread.start();
    }

    /** Records that the worker holds a job. Returns false if the worker already holds the job. */
    boolean hold(TakenJob<T> job) {
        return held.put(job.id(), job.attempt()) == null;
    }

    /** Returns the ids of the jobs that the worker holds. */
    List<String> heldIds() {
        return List.copyOf(held.keySet());
    }

    /** Queues an acknowledgement. Does not wait for the server. */
    void acknowledge(Acknowledgement acknowledgement) {
        lock.lock();
        try {
            if (!ended) {
                waiting.add(acknowledgement);
                workAdded.signal();
                return;
            }
        } finally {
            lock.unlock();
        }
        stats.unacknowledged();
    }

    /**
     * Waits while more than {@link #MAX_WAITING} acknowledgements are unsent. {@link #release} ends the wait.
     *
     * @throws QueueException if the acknowledging thread has failed
     */
    void awaitCapacity() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (waiting.size() > MAX_WAITING && !ended && !released) {
                roundEnded.await();
            }
            if (ended) {
                throw new QueueException(
                        "the thread that sends acknowledgements failed: queue=" + backend.name() + ". See the cause.",
                        lastFailure);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until a round of acknowledgements ends, for at most {@code nanos}. {@link #release} ends the wait. */
    void awaitRound(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long before = rounds;
            for (long left = nanos; left > 0 && rounds == before && !ended && !released; ) {
                left = roundEnded.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void run() {
        long maintenance = System.nanoTime();
        try {
            while (true) {
                List<Acknowledgement> batch = nextBatch(maintenance);
                send(batch);
                if (finished()) {
                    return;
                }
                if (maintenance - System.nanoTime() <= 0) {
                    if (!isClosing()) {
                        maintain();
                    }
                    maintenance = System.nanoTime() + MAINTENANCE_NANOS;
                }
            }
        } catch (Throwable e) {
            lastFailure = e;
            QueueLog.log(
                    Level.ERROR,
                    "the acknowledgements of a worker failed, and the worker ends: queue=" + backend.name()
                            + ", worker=" + backend.worker()
                            + ". Start a new worker: jobs without an acknowledgement are done again.",
                    e);
        } finally {
            end();
        }
    }

    /** Waits until there is an acknowledgement to send, or the maintenance is due. May return an empty list. */
    private List<Acknowledgement> nextBatch(long maintenance) throws InterruptedException {
        lock.lock();
        try {
            while (true) {
                long now = System.nanoTime();
                boolean maySend = backoff.remaining(now) <= 0;
                boolean work = closing || !waiting.isEmpty();
                if (maintenance - now <= 0 || (maySend && work)) {
                    return maySend ? removeBatch() : List.of();
                }
                long wait = work ? Math.min(maintenance - now, backoff.remaining(now)) : maintenance - now;
                if (closing) {
                    wait = Math.min(wait, Math.max(1, closeDeadline - now));
                    if (closeDeadline - now <= 0) {
                        return List.of();
                    }
                }
                long unused = workAdded.awaitNanos(wait);
            }
        } finally {
            lock.unlock();
        }
    }

    private List<Acknowledgement> removeBatch() {
        List<Acknowledgement> batch = new ArrayList<>(Math.min(waiting.size(), MAX_PER_ROUND));
        while (!waiting.isEmpty() && batch.size() < MAX_PER_ROUND) {
            batch.add(waiting.remove());
        }
        return batch;
    }

    /** Does the maintenance of the queue. Does not throw a failure of the server. */
    private void maintain() {
        try {
            backend.maintain();
            if (backend.lease().isSteady()) {
                backend.release().forEach(onBuried);
            }
            outage.succeeded(Part.MAINTENANCE);
        } catch (RuntimeException | Error e) {
            outage.failed(Part.MAINTENANCE, e); // the next attempt follows after a second
        }
    }

    private void failed(Throwable failure) {
        lastFailure = failure;
        outage.failed(Part.ACKNOWLEDGEMENT, failure);
    }

    private void send(List<Acknowledgement> batch) {
        if (batch.isEmpty()) {
            return;
        }
        List<Acknowledgement> retries = new ArrayList<>();
        int recorded = 0;
        try {
            List<Acknowledgement> current = batch.stream().map(this::current).toList();
            List<Optional<Result<Boolean>>> results = run(current);
            while (recorded < batch.size()) {
                record(current.get(recorded), results.get(recorded)).ifPresent(retries::add);
                recorded++;
            }
            if (retries.isEmpty()) {
                outage.succeeded(Part.ACKNOWLEDGEMENT);
            }
        } catch (RuntimeException | Error e) { // the client is closed, or the heap is full, for example
            failed(e);
            // The server may have executed some of the commands.
            batch.subList(recorded, batch.size()).forEach(unrecorded -> retries.add(unrecorded.withLostReply()));
        }
        endRound(retries);
    }

    /** Sends the commands of {@code batch}. Returns their results, and empty for an acknowledgement without a command. */
    private List<Optional<Result<Boolean>>> run(List<Acknowledgement> batch) {
        List<Optional<Result<Boolean>>> results = new ArrayList<>(batch.size());
        Pipeline pipeline = client.pipeline();
        for (Acknowledgement acknowledgement : batch) {
            results.add(backend.acknowledgement(acknowledgement).map(pipeline::add));
        }
        pipeline.run();
        return results;
    }

    /** Replaces the attempt number by the newest number of the job. */
    private Acknowledgement current(Acknowledgement acknowledgement) {
        Integer attempt = held.get(acknowledgement.id());
        return attempt == null || attempt == acknowledgement.attempt()
                ? acknowledgement
                : acknowledgement.withAttempt(attempt);
    }

    /** Records the result of an acknowledgement. Returns the acknowledgement if it must be sent again. */
    private Optional<Acknowledgement> record(Acknowledgement acknowledgement, Optional<Result<Boolean>> result) {
        try {
            boolean wasHeld = result.isEmpty() || result.get().value() || acknowledgement.maybeSent();
            held.remove(acknowledgement.id());
            backend.settled(acknowledgement, wasHeld);
            stats.settled(acknowledgement, wasHeld);
            return Optional.empty();
        } catch (RedisException e) {
            failed(e);
            return Optional.of(e.maybeExecuted() ? acknowledgement.withLostReply() : acknowledgement);
        }
    }

    private void endRound(List<Acknowledgement> retries) {
        lock.lock();
        try {
            retries.reversed().forEach(waiting::addFirst);
            if (retries.isEmpty()) {
                backoff.succeeded();
            } else {
                backoff.failed();
            }
            rounds++;
            roundEnded.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean isClosing() {
        lock.lock();
        try {
            return closing;
        } finally {
            lock.unlock();
        }
    }

    private boolean finished() {
        lock.lock();
        try {
            ended = closing && (waiting.isEmpty() || closeDeadline - System.nanoTime() <= 0);
            return ended;
        } finally {
            lock.unlock();
        }
    }

    private void end() {
        lock.lock();
        try {
            ended = true;
            roundEnded.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the waits for capacity, because the worker fetches no more jobs. */
    void release() {
        lock.lock();
        try {
            released = true;
            roundEnded.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sends all waiting acknowledgements and ends the acknowledging thread, after at most {@code nanos} and one command
     * timeout. Returns the number of acknowledgements that could not be sent.
     */
    int close(long nanos) {
        lock.lock();
        try {
            closing = true;
            closeDeadline = System.nanoTime() + nanos;
            workAdded.signal();
            roundEnded.signalAll();
        } finally {
            lock.unlock();
        }
        joinThread();
        int unsent = 0;
        lock.lock();
        try {
            for (Acknowledgement acknowledgement : waiting) {
                held.remove(acknowledgement.id());
                if (acknowledgement.isGivenBack()) {
                    stats.settled(acknowledgement, true); // the server gives the job to another worker
                } else {
                    stats.unacknowledged();
                    unsent++;
                }
            }
            waiting.clear();
        } finally {
            lock.unlock();
        }
        return unsent;
    }

    /** Waits for the end of the thread, also if the current thread is interrupted. */
    private void joinThread() {
        boolean interrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
