// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.exception.RedisException;
import io.millrace.queue.Acknowledgement.AckKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/*
 * DESIGN
 *
 *     consumers --settle()--> waiting --acknowledging thread, one pipeline per round--> server
 *                               ^                                             |
 *                               +------ failed commands, after a backoff -----+
 *
 * Consumers only add to a queue in memory, so they never wait for the server. The acknowledging thread sends all
 * acknowledgements that were added since its last round, and renews the lease after each third of the lease duration.
 * The thread does nothing else, so a slow task, a full buffer or a waiting source cannot delay a renewal. It is a
 * platform thread, because virtual threads that compute can occupy all carrier threads. If the process was suspended
 * for most of the lease, the source renews before it takes tasks. Otherwise it could take over its own tasks.
 *
 * The queue in memory is bounded: the source fetches no tasks while more than MAX_WAITING acknowledgements wait.
 *
 * Tasks that never started are returned to the queue when the lease is renewed and when the source is closed, newest
 * first. So the queue has their original order. By then all tasks that a flow returns together have arrived here.
 *
 * If a task that is still pending here is delivered again, the flow does not receive the new delivery. But the new
 * delivery number replaces the old number, because the server has stored the new number. An acknowledgement of an older
 * delivery does not affect a newer delivery.
 *
 * A flow that does not wait for its source may settle tasks after the acknowledging thread has ended. In this case the
 * thread that settles the task sends the acknowledgement.
 */

/** Sends the acknowledgements of a source to the server and renews the consumer's lease. */
final class Acknowledger<T> implements Runnable {

    private static final int MAX_WAITING = 10_000;
    private static final int MAX_PER_ROUND = 5_000;

    private final RedisClient client;
    private final QueueBackend<T> backend;
    private final StatsCounter stats;
    private final long renewalNanos;
    private final long retryTimeoutNanos;
    private final Thread thread;

    /** The pending tasks: a map from the task id to the delivery number. */
    private final Map<String, Integer> pending = new ConcurrentHashMap<>();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition workAdded = lock.newCondition();
    private final Condition roundEnded = lock.newCondition();

    // The lock guards the fields from "waiting" to "backoff".
    private final Deque<Acknowledgement> waiting = new ArrayDeque<>();
    private final List<Acknowledgement> notStarted = new ArrayList<>();
    private boolean closing;
    private long closeDeadline;
    private boolean ended;

    /** The number of rounds that have ended. In each round the thread sends one batch of acknowledgements. */
    private long rounds;

    private final Backoff backoff = new Backoff();

    private volatile @Nullable Throwable lastFailure;
    private volatile long renewedAt = System.nanoTime();

    Acknowledger(RedisClient client, QueueBackend<T> backend, StatsCounter stats, ConsumerOptions options) {
        this.client = client;
        this.backend = backend;
        this.stats = stats;
        this.renewalNanos = options.lease().toNanos() / 3;
        this.retryTimeoutNanos = options.retryTimeout().toNanos();
        this.thread = Thread.ofPlatform()
                .daemon()
                .name("millrace-queue-" + backend.name())
                .unstarted(this);
    }

    void start() {
        thread.start();
    }

    /** Records a delivery as pending. Returns false if the task is already pending. */
    boolean markPending(ReceivedTask<T> receivedTask) {
        return pending.put(receivedTask.id(), receivedTask.number()) == null;
    }

    /**
     * Queues an acknowledgement. If the acknowledging thread has ended, the calling thread sends the acknowledgement
     * and blocks until the reply or an error.
     */
    void acknowledge(Acknowledgement acknowledgement) {
        Acknowledgement current =
                acknowledgement.withDelivery(pending.getOrDefault(acknowledgement.id(), acknowledgement.number()));
        if (!acknowledgement.staysPending()) {
            pending.remove(acknowledgement.id());
        }
        if (!enqueue(current)) {
            sendNow(current);
        }
    }

    /** Adds an acknowledgement to a queue. If the acknowledging thread has ended, adds nothing and returns false. */
    private boolean enqueue(Acknowledgement acknowledgement) {
        lock.lock();
        try {
            if (ended) {
                return false;
            }
            if (acknowledgement.kind() == AckKind.NOT_STARTED) {
                notStarted.add(acknowledgement);
            } else {
                waiting.add(acknowledgement);
                workAdded.signal();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sends an acknowledgement once, without a retry. Clears the interrupt flag during the command, because the flow
     * may have interrupted the calling thread.
     */
    private void sendNow(Acknowledgement acknowledgement) {
        boolean interrupted = Thread.interrupted();
        try {
            stats.settled(
                    acknowledgement,
                    backend.acknowledgement(acknowledgement).map(client::call).orElse(true));
        } catch (RedisException e) {
            stats.unacknowledged(acknowledgement);
        } finally {
            pending.remove(acknowledgement.id());
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Waits while more than {@link #MAX_WAITING} acknowledgements are unsent. Throws a {@link QueueException} if all
     * rounds have failed for longer than the retry timeout.
     */
    void awaitCapacity() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (waiting.size() > MAX_WAITING && !ended) {
                if (backoff.failsLongerThan(retryTimeoutNanos)) {
                    throw notAcknowledged(List.copyOf(waiting), "Closing the source sends the acknowledgements again.");
                }
                roundEnded.await();
            }
            if (ended && !closing) {
                throw new QueueException(
                        "the thread that sends acknowledgements failed: queue=" + backend.name() + ". See the cause.",
                        lastFailure);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until a round of acknowledgements ends, for at most {@code nanos}. */
    void awaitRound(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long before = rounds;
            for (long left = nanos; left > 0 && rounds == before && !ended; ) {
                left = roundEnded.awaitNanos(left);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void run() {
        long renewal = System.nanoTime() + renewalNanos;
        try {
            while (true) {
                List<Acknowledgement> batch = nextBatch(renewal);
                if (renewal - System.nanoTime() <= 0) {
                    renewAndTidy();
                    renewal = System.nanoTime() + renewalNanos;
                }
                send(batch);
                if (finished()) {
                    return;
                }
            }
        } catch (Throwable e) {
            lastFailure = e;
        } finally {
            end();
        }
    }

    /** Waits until there is an acknowledgement to send, or the lease must be renewed. May return an empty list. */
    private List<Acknowledgement> nextBatch(long renewal) throws InterruptedException {
        lock.lock();
        try {
            while (true) {
                long now = System.nanoTime();
                boolean maySend = backoff.remaining(now) <= 0;
                if (closing || renewal - now <= 0) {
                    notStarted.sort(Comparator.comparing(Acknowledgement::id).reversed());
                    waiting.addAll(notStarted);
                    notStarted.clear();
                }
                if (renewal - now <= 0 || (maySend && (closing || !waiting.isEmpty()))) {
                    return maySend ? removeBatch() : List.of();
                }
                boolean pausing = !maySend && (closing || !waiting.isEmpty());
                long wait = pausing ? Math.min(renewal - now, backoff.remaining(now)) : renewal - now;
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

    /**
     * Renews the lease if the last renewal is older than two thirds of the lease duration. If the lease expired, this
     * consumer could take over its own tasks.
     */
    void renewIfLate() {
        if (System.nanoTime() - renewedAt > 2 * renewalNanos) {
            renew();
        }
    }

    private void renew() {
        backend.renew(List.copyOf(pending.keySet()));
        renewedAt = System.nanoTime();
    }

    private void renewAndTidy() {
        try {
            renew();
            backend.maintain();
        } catch (RuntimeException e) {
            lastFailure = e; // the next attempt follows after a third of the lease
        }
    }

    private void send(List<Acknowledgement> batch) {
        if (batch.isEmpty()) {
            return;
        }
        List<Acknowledgement> retries = new ArrayList<>();
        List<Optional<Result<Boolean>>> results = new ArrayList<>(batch.size());
        try {
            Pipeline pipeline = client.pipeline();
            for (Acknowledgement acknowledgement : batch) {
                Optional<Command<Boolean>> command = backend.acknowledgement(current(acknowledgement));
                results.add(command.map(pipeline::add));
            }
            pipeline.run();
        } catch (RuntimeException e) { // the client is closed
            lastFailure = e;
            endRound(batch);
            return;
        }
        for (int i = 0; i < batch.size(); i++) {
            record(batch.get(i), results.get(i)).ifPresent(retries::add);
        }
        endRound(retries);
    }

    /** If the task is still pending here, replaces the delivery number by the newest delivery number of the task. */
    private Acknowledgement current(Acknowledgement acknowledgement) {
        return acknowledgement.staysPending()
                ? acknowledgement.withDelivery(pending.getOrDefault(acknowledgement.id(), acknowledgement.number()))
                : acknowledgement;
    }

    /** Records the result of an acknowledgement. Returns the acknowledgement if it must be sent again. */
    private Optional<Acknowledgement> record(Acknowledgement acknowledgement, Optional<Result<Boolean>> result) {
        try {
            boolean wasPending = result.isEmpty() || result.get().value() || acknowledgement.maybeSent();
            pending.remove(acknowledgement.id());
            stats.settled(acknowledgement, wasPending);
            return Optional.empty();
        } catch (RedisException e) {
            lastFailure = e;
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

    private boolean finished() {
        lock.lock();
        try {
            boolean nothingLeft = waiting.isEmpty() && notStarted.isEmpty();
            ended = closing && (nothingLeft || closeDeadline - System.nanoTime() <= 0);
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

    /**
     * Sends all waiting acknowledgements and ends the acknowledging thread. Blocks until the thread has ended.
     *
     * @throws QueueException if some acknowledgements could not be sent
     */
    void close() throws InterruptedException {
        lock.lock();
        try {
            closing = true;
            closeDeadline = System.nanoTime() + retryTimeoutNanos;
            workAdded.signal();
        } finally {
            lock.unlock();
        }
        thread.join();
        List<Acknowledgement> left = removeUnsent();
        left.forEach(stats::unacknowledged);
        if (!left.isEmpty()) {
            throw notAcknowledged(left, "The server delivers these tasks again.");
        }
    }

    /** Removes all unsent acknowledgements. Those without a server command count as settled. Returns the others. */
    private List<Acknowledgement> removeUnsent() {
        List<Acknowledgement> left = new ArrayList<>();
        lock.lock();
        try {
            waiting.addAll(notStarted);
            notStarted.clear();
            for (Acknowledgement acknowledgement : waiting) {
                if (backend.acknowledgement(acknowledgement).isEmpty()) {
                    stats.settled(acknowledgement, true);
                } else {
                    left.add(acknowledgement);
                }
                pending.remove(acknowledgement.id());
            }
            waiting.clear();
        } finally {
            lock.unlock();
        }
        return left;
    }

    private QueueException notAcknowledged(List<Acknowledgement> tasks, String then) {
        return QueueException.notAcknowledged(backend.name(), retryTimeoutNanos, tasks, then, lastFailure);
    }
}
