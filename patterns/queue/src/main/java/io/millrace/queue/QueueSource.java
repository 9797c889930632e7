// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.RedisClient;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.queue.Acknowledgement.AckKind;
import io.millrace.tasks.Outcome;
import io.millrace.tasks.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A task source for one flow that takes tasks from Redis. A successful task is acknowledged. A task that fails, times
 * out or is cancelled is delivered again. The tasks of a consumer that dies are also delivered again. {@link
 * ListQueue#source} and {@link StreamQueue#source} document the times of these redeliveries.
 *
 * <p>A source has a separate thread that sends acknowledgements in batches and renews the lease. Consumers do not wait
 * for this thread. While a source waits for tasks, the source borrows a connection from the client's pool. One wait
 * takes at most one second. If several sources wait at the same time, the pool needs one connection for each of these
 * sources. Other borrowers need further connections. A source that {@linkplain ConsumerOptions#endWhenEmpty ends when
 * the queue is empty} borrows no connection. Between two waits the source takes over tasks of consumers whose lease has
 * expired.
 *
 * <p>An interrupt of the thread that waits in {@link #next} ends the wait. {@code next} then returns an empty list, as
 * at the end of the source.
 *
 * @param <T> the type of the tasks
 */
public final class QueueSource<T> implements Source<Delivery<T>> {

    private static final Duration MAX_WAIT = Duration.ofSeconds(1);
    private static final long MIN_POLL_NANOS = 1_000_000;
    private static final long MAX_POLL_NANOS = 100_000_000;

    private final QueueBackend<T> backend;
    private final ConsumerOptions options;
    private final RetryPolicy retryPolicy;
    private final StatsCounter stats = new StatsCounter();
    private final Acknowledger<T> acknowledger;

    private final ReentrantLock lock = new ReentrantLock();

    // Both fields are written under the lock. So if one thread closes the source while another thread opens the source,
    // no acknowledging thread keeps running.
    private volatile boolean opened;
    private volatile boolean closed;

    QueueSource(RedisClient client, QueueBackend<T> backend, ConsumerOptions options) {
        this.backend = backend;
        this.options = options;
        this.retryPolicy = new RetryPolicy(options.retryTimeout());
        this.acknowledger = new Acknowledger<>(client, backend, stats, options);
    }

    /** Returns the current stats. Thread-safe. */
    public QueueStats stats() {
        return stats.stats();
    }

    /**
     * Returns the next tasks. Blocks until there are tasks. With {@link ConsumerOptions#endWhenEmpty}, returns an empty
     * list when the queue is empty and no consumer has a pending task. Each flow needs a separate source.
     *
     * @throws io.millrace.client.exception.RedisException if the error is permanent, or lasts longer than {@link
     *     ConsumerOptions#retryTimeout}
     * @throws QueueException if more than 10,000 acknowledgements wait, and all attempts to send acknowledgements have
     *     failed for longer than {@link ConsumerOptions#retryTimeout}
     * @throws IllegalStateException if the source is closed
     */
    @Override
    public List<Delivery<T>> next() {
        if (closed) {
            throw new IllegalStateException(
                    "the source is closed: queue=" + backend.name() + ". Create one source per flow.");
        }
        try {
            open();
            return fetch();
        } catch (InterruptedException | InterruptedCommandException e) {
            Thread.currentThread().interrupt();
            return List.of();
        }
    }

    private void open() throws InterruptedException {
        if (!opened) {
            retryPolicy.call(() -> {
                backend.open();
                return true;
            });
            lock.lock();
            try {
                opened = !closed;
                if (opened) {
                    acknowledger.start();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    private List<Delivery<T>> fetch() throws InterruptedException {
        long poll = MIN_POLL_NANOS;
        while (!closed) {
            acknowledger.awaitCapacity();
            FetchResult<T> fetched = retryPolicy.call(() -> {
                acknowledger.renewIfLate();
                return backend.take(options.batch());
            });
            if (fetched.isEmpty() && !options.endWhenEmpty()) {
                fetched = retryPolicy.call(() -> backend.await(options.batch(), maxWait()));
            } else if (fetched.isEmpty()) {
                if (retryPolicy.call(backend::isEmpty)) {
                    return List.of();
                }
                acknowledger.awaitRound(poll);
                poll = Math.min(2 * poll, MAX_POLL_NANOS);
            }
            List<Delivery<T>> deliveries = deliver(fetched);
            if (!deliveries.isEmpty()) {
                return deliveries;
            }
        }
        return List.of();
    }

    /**
     * Returns the maximum time of one wait: one second, but at most a quarter of the lease, so that the source takes
     * over tasks of expired consumers in time.
     */
    private Duration maxWait() {
        Duration part = options.lease().dividedBy(4);
        return part.compareTo(MAX_WAIT) < 0 ? part : MAX_WAIT;
    }

    /**
     * Delivers the fetched tasks. The flow may have abandoned this thread and closed the source. The flow then settles
     * these tasks as cancelled.
     */
    private List<Delivery<T>> deliver(FetchResult<T> fetched) {
        fetched.deadLetters().forEach(stats::deadLettered);
        stats.missing(fetched.missing());
        List<Delivery<T>> deliveries = new ArrayList<>(fetched.tasks().size());
        for (ReceivedTask<T> receivedTask : fetched.tasks()) {
            if (acknowledger.markPending(receivedTask)) {
                deliver(receivedTask, deliveries);
            }
        }
        return deliveries;
    }

    private void deliver(ReceivedTask<T> receivedTask, List<Delivery<T>> deliveries) {
        T task;
        try {
            task = receivedTask.task().get();
        } catch (RuntimeException e) {
            stats.rejected();
            acknowledger.acknowledge(new Acknowledgement(
                    receivedTask.id(), receivedTask.number(), AckKind.DEAD_LETTERED, "not decoded: " + e));
            return;
        }
        stats.delivered(receivedTask.id(), receivedTask.number());
        deliveries.add(new Delivery<>(receivedTask.id(), receivedTask.number(), task));
    }

    @Override
    public void settled(Outcome<Delivery<T>, ?> outcome) {
        Delivery<T> delivery = outcome.task();
        acknowledger.acknowledge(
                switch (outcome) {
                    case Outcome.Succeeded<Delivery<T>, ?> succeeded -> acknowledgement(delivery, AckKind.DONE, "");
                    case Outcome.Failed<Delivery<T>, ?> failed -> failed(delivery, "failed: " + failed.cause());
                    case Outcome.TimedOut<Delivery<T>, ?> timedOut ->
                        failed(delivery, "timed out after " + timedOut.after());
                    case Outcome.Cancelled<Delivery<T>, ?> cancelled -> {
                        boolean started = cancelled.attempts() > 0;
                        yield acknowledgement(delivery, started ? AckKind.CANCELLED : AckKind.NOT_STARTED, "");
                    }
                });
    }

    private Acknowledgement failed(Delivery<T> delivery, String reason) {
        boolean last = delivery.number() >= options.maxDeliveries();
        return acknowledgement(delivery, last ? AckKind.DEAD_LETTERED : AckKind.FAILED, reason);
    }

    private static Acknowledgement acknowledgement(Delivery<?> delivery, AckKind ackKind, String reason) {
        return new Acknowledgement(delivery.id(), delivery.number(), ackKind, reason);
    }

    /**
     * Sends all waiting acknowledgements and returns unfinished tasks to the queue. If the server is unreachable, this
     * method blocks for up to {@link ConsumerOptions#retryTimeout}.
     *
     * @throws QueueException if acknowledgements could not be sent. {@link QueueStats#unacknowledgedIds} lists the
     *     tasks
     * @throws io.millrace.client.exception.RedisException if unfinished tasks could not be returned. These tasks are
     *     delivered again after the lease
     */
    @Override
    public void close() throws InterruptedException {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        if (opened) {
            acknowledger.close();
            retryPolicy.call(() -> {
                backend.leave();
                return true;
            });
        }
    }
}
