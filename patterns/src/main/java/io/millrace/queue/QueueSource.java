// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.InterruptedCommandException;
import io.millrace.client.RedisClient;
import io.millrace.queue.Settlement.Fate;
import io.millrace.tasks.Outcome;
import io.millrace.tasks.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A source of tasks that are in Redis, for one flow. A task that was done is acknowledged; one that failed, timed out or was cancelled
 * is delivered again, as its queue says, and so is one whose consumer died.
 *
 * <p>It has a thread of its own, which acknowledges, many tasks at a time, and says that the consumer lives; consumers do not
 * wait for that. While a source waits for tasks, in rounds of a second at most, it borrows a connection of its client's pool: the
 * pool is as large as there are sources that wait at the same time, and what else borrows. A source that {@linkplain
 * ConsumerOptions#untilEmpty ends when the queue is empty} needs none. Between two rounds it looks for tasks of consumers that died.
 *
 * <p>An interrupt ends a wait at once, and the source with it.
 *
 * @param <T> a task
 */
public final class QueueSource<T> implements Source<Delivery<T>> {

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);
    private static final long FIRST_LOOK_NANOS = 1_000_000;
    private static final long LAST_LOOK_NANOS = 100_000_000;

    private final Stock<T> stock;
    private final ConsumerOptions options;
    private final Patience patience;
    private final Ledger ledger = new Ledger();
    private final Keeper<T> keeper;

    private final ReentrantLock lock = new ReentrantLock();

    // Written under the lock: a source that is closed while it is being opened is either or both, never neither.
    private volatile boolean opened;
    private volatile boolean closed;

    QueueSource(RedisClient client, Stock<T> stock, ConsumerOptions options) {
        this.stock = stock;
        this.options = options;
        this.patience = new Patience(options.patience());
        this.keeper = new Keeper<>(client, stock, ledger, options);
    }

    /** What became of the tasks up to now, from any thread. Waits for nothing but its turn to look. */
    public QueueAccount account() {
        return ledger.account();
    }

    /**
     * The next tasks; waits for them. If the source ends when the queue is empty the list is empty once there is nothing new and
     * nobody has a task in hand, which this waits for too.
     *
     * @throws io.millrace.client.RedisException if the server cannot be asked, and it is of no use to be patient, or was not
     * @throws QueueException if the end of very many tasks cannot be told, and it was of no use to be patient
     * @throws IllegalStateException if the source was closed before: each flow has one of its own
     */
    @Override
    public List<Delivery<T>> next() {
        if (closed) {
            throw new IllegalStateException("a source is asked for tasks after it was closed: queue=" + stock.name()
                    + ". Make one for each flow.");
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
            patience.call(() -> {
                stock.open();
                return true;
            });
            lock.lock();
            try {
                opened = !closed;
                if (opened) {
                    keeper.start();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    private List<Delivery<T>> fetch() throws InterruptedException {
        long look = FIRST_LOOK_NANOS;
        while (!closed) {
            keeper.awaitRoom();
            Taken<T> taken = patience.call(() -> {
                keeper.renewIfLate();
                return stock.take(options.batch());
            });
            if (taken.isEmpty() && !options.untilEmpty()) {
                taken = patience.call(() -> stock.await(options.batch(), longestWait()));
            } else if (taken.isEmpty()) {
                if (patience.call(stock::isEmpty)) {
                    return List.of();
                }
                keeper.awaitTold(look);
                look = Math.min(2 * look, LAST_LOOK_NANOS);
            }
            List<Delivery<T>> deliveries = handOn(taken);
            if (!deliveries.isEmpty()) {
                return deliveries;
            }
        }
        return List.of();
    }

    /** Short enough to look for the tasks of the dead in time. */
    private Duration longestWait() {
        Duration part = options.lease().dividedBy(4);
        return part.compareTo(LONGEST_WAIT) < 0 ? part : LONGEST_WAIT;
    }

    /** Also when the source was closed meanwhile, by a flow that has given this thread up: it settles what it is given too late. */
    private List<Delivery<T>> handOn(Taken<T> taken) {
        taken.aside().forEach(ledger::aside);
        ledger.vanished(taken.vanished());
        List<Delivery<T>> deliveries = new ArrayList<>(taken.tasks().size());
        for (Received<T> received : taken.tasks()) {
            if (keeper.hold(received)) {
                deliver(received, deliveries);
            }
        }
        return deliveries;
    }

    private void deliver(Received<T> received, List<Delivery<T>> deliveries) {
        T task;
        try {
            task = received.task().get();
        } catch (RuntimeException e) {
            ledger.rejected();
            keeper.settle(new Settlement(received.id(), received.number(), Fate.DEAD, "not decoded: " + e));
            return;
        }
        ledger.delivered(received.id(), received.number());
        deliveries.add(new Delivery<>(received.id(), received.number(), task));
    }

    @Override
    public void settled(Outcome<Delivery<T>, ?> outcome) {
        Delivery<T> delivery = outcome.task();
        keeper.settle(
                switch (outcome) {
                    case Outcome.Succeeded<Delivery<T>, ?> done -> settlement(delivery, Fate.DONE, "");
                    case Outcome.Failed<Delivery<T>, ?> failed -> failed(delivery, "failed: " + failed.cause());
                    case Outcome.TimedOut<Delivery<T>, ?> late -> failed(delivery, "timed out after " + late.after());
                    case Outcome.Cancelled<Delivery<T>, ?> stopped -> {
                        boolean begun = stopped.attempts() > 0;
                        yield settlement(delivery, begun ? Fate.STOPPED : Fate.UNTOUCHED, "");
                    }
                });
    }

    private Settlement failed(Delivery<T> delivery, String reason) {
        boolean last = delivery.number() >= options.maxDeliveries();
        return settlement(delivery, last ? Fate.DEAD : Fate.FAILED, reason);
    }

    private Settlement settlement(Delivery<?> delivery, Fate fate, String reason) {
        // A queue that delivers once has nothing to be told of a task that was begun, however it ended.
        boolean forgotten = !stock.deliversAgain() && fate != Fate.UNTOUCHED;
        return new Settlement(delivery.id(), delivery.number(), forgotten ? Fate.DONE : fate, forgotten ? "" : reason);
    }

    /**
     * Acknowledges what is not yet acknowledged, and gives back what was not done. Waits for the server as long as {@link
     * ConsumerOptions#patience}, if need be.
     *
     * @throws QueueException if it cannot be acknowledged; the account names the tasks
     * @throws io.millrace.client.RedisException if what was not done cannot be given back: it is after the lease
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
            keeper.close();
            patience.call(() -> {
                stock.leave();
                return true;
            });
        }
    }
}
