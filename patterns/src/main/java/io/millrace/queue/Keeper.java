// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Command;
import io.millrace.client.Outcome;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisException;
import io.millrace.client.Result;
import io.millrace.queue.Settlement.Fate;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/*
 * DESIGN
 *
 *     consumers --settled--> waiting --keeper's thread, a pipeline of all that waits--> server
 *                               ^                                             |
 *                               +------ what failed, after a pause -----------+
 *
 * Consumers only leave word, so that none waits for the server; the keeper's thread tells it, as much at a time as has come up
 * meanwhile. The same thread says every third of the lease that the consumer lives: it is nobody else's, so a slow task, a full
 * buffer or a source that waits cannot keep it from that.
 *
 * What is waiting is bounded: the source fetches no more while more than MOST_WAITING do.
 *
 * Tasks never begun are told of last, when the source is closed, the newest first: so each goes back in front of those after it.
 */

/** Tells the server what became of the tasks in hand, and that the consumer lives. */
final class Keeper<T> implements Runnable {

    private static final int MOST_WAITING = 10_000;
    private static final int MOST_AT_ONCE = 5_000;

    private final RedisClient client;
    private final Stock<T> stock;
    private final Ledger ledger;
    private final long renewalNanos;
    private final long patienceNanos;
    private final Thread thread;

    /** By id, which delivery it is. */
    private final Map<String, Integer> inHand = new ConcurrentHashMap<>();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition somethingToTell = lock.newCondition();
    private final Condition told = lock.newCondition();

    // Guarded by the lock.
    private final Deque<Settlement> waiting = new ArrayDeque<>();
    private final List<Settlement> untouched = new ArrayList<>();
    private boolean closing;
    private long closedBy;
    private boolean ended;

    /** How often the server was told of something. */
    private long rounds;

    /** Of the keeper's thread; read by others when that has ended. */
    private @Nullable Throwable lastFailure;

    private int failures;
    private long notBefore = System.nanoTime();

    Keeper(RedisClient client, Stock<T> stock, Ledger ledger, ConsumerOptions options) {
        this.client = client;
        this.stock = stock;
        this.ledger = ledger;
        this.renewalNanos = options.lease().toNanos() / 3;
        this.patienceNanos = options.patience().toNanos();
        this.thread = Thread.ofVirtual().name("millrace-queue-" + stock.name()).unstarted(this);
    }

    void start() {
        thread.start();
    }

    /** Takes a task into hand; false if it is there already, or no more are taken because the source is closed. */
    boolean hold(Received<T> received) {
        lock.lock();
        try {
            return !closing && inHand.putIfAbsent(received.id(), received.number()) == null;
        } finally {
            lock.unlock();
        }
    }

    /** Has the server told of it, soon. Does not wait. */
    void settle(Settlement settlement) {
        if (!settlement.holds()) {
            inHand.remove(settlement.id());
        }
        lock.lock();
        try {
            if (settlement.fate() == Fate.UNTOUCHED) {
                untouched.add(settlement);
            } else {
                waiting.add(settlement);
                somethingToTell.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits while the server has not been told of very many. */
    void awaitRoom() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (waiting.size() > MOST_WAITING && !ended) {
                told.await();
            }
            if (ended && !closing) {
                throw new QueueException(
                        "nobody tells the queue any more: queue=" + stock.name() + ". See the cause.", lastFailure);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the server was told of something, at most so long. */
    void awaitTold(long nanos) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long before = rounds;
            for (long left = nanos; left > 0 && rounds == before && !ended; ) {
                left = told.awaitNanos(left);
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
                List<Settlement> some = next(renewal);
                if (renewal - System.nanoTime() <= 0) {
                    renew();
                    renewal = System.nanoTime() + renewalNanos;
                }
                tell(some);
                if (isOver()) {
                    return;
                }
            }
        } catch (Throwable e) {
            lastFailure = e;
        } finally {
            end();
        }
    }

    /** What the server is to be told of now; nothing if it is time to renew. */
    private List<Settlement> next(long renewal) throws InterruptedException {
        lock.lock();
        try {
            while (true) {
                long now = System.nanoTime();
                boolean mayTell = notBefore - now <= 0;
                if (closing) {
                    untouched.sort(Comparator.comparing(Settlement::id).reversed());
                    waiting.addAll(untouched);
                    untouched.clear();
                }
                if (renewal - now <= 0 || (mayTell && (closing || !waiting.isEmpty()))) {
                    return mayTell ? some() : List.of();
                }
                boolean pausing = !mayTell && (closing || !waiting.isEmpty());
                long wait = pausing ? Math.min(renewal - now, notBefore - now) : renewal - now;
                long unused = somethingToTell.awaitNanos(wait);
            }
        } finally {
            lock.unlock();
        }
    }

    private List<Settlement> some() {
        List<Settlement> some = new ArrayList<>(Math.min(waiting.size(), MOST_AT_ONCE));
        while (!waiting.isEmpty() && some.size() < MOST_AT_ONCE) {
            some.add(waiting.remove());
        }
        return some;
    }

    private void renew() {
        try {
            stock.renew(List.copyOf(inHand.keySet()));
            stock.tidy();
        } catch (RuntimeException e) {
            lastFailure = e; // the next time is soon enough: there are three in a lease
        }
    }

    private void tell(List<Settlement> some) {
        if (some.isEmpty()) {
            return;
        }
        List<Settlement> again = new ArrayList<>();
        List<Optional<Result<Boolean>>> results = new ArrayList<>(some.size());
        try {
            Pipeline pipeline = client.pipeline();
            for (Settlement settlement : some) {
                Optional<Command<Boolean>> command = stock.settle(settlement);
                results.add(command.map(pipeline::add));
            }
            pipeline.run();
        } catch (RuntimeException e) { // a client that is closed
            lastFailure = e;
            toldExcept(some);
            return;
        }
        for (int i = 0; i < some.size(); i++) {
            if (!note(some.get(i), results.get(i))) {
                again.add(some.get(i));
            }
        }
        toldExcept(again);
    }

    /** Whether nothing more is to be told of it. */
    private boolean note(Settlement settlement, Optional<Result<Boolean>> result) {
        if (result.isEmpty() || result.get().ok()) {
            inHand.remove(settlement.id());
            ledger.settled(settlement, result.isEmpty() || result.get().value());
            return true;
        }
        try {
            result.get().value();
        } catch (RedisException e) {
            lastFailure = e;
        }
        if (stock.deliversAgain() || isCertainlyNotDone(result.get().outcome())) {
            return false;
        }
        ledger.unacknowledged(settlement);
        return true;
    }

    private static boolean isCertainlyNotDone(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Refused refused -> true;
            case Outcome.Failed failed -> true;
            case Outcome.Lost(boolean maybeExecuted, String cause) -> !maybeExecuted;
            case Outcome.TimedOut late -> false;
            case Outcome.Ok ok -> false;
        };
    }

    private void toldExcept(List<Settlement> again) {
        lock.lock();
        try {
            again.reversed().forEach(waiting::addFirst);
            rounds++;
            told.signalAll();
        } finally {
            lock.unlock();
        }
        failures = again.isEmpty() ? 0 : failures + 1;
        notBefore = again.isEmpty() ? System.nanoTime() : System.nanoTime() + Patience.waitNanos(failures - 1);
    }

    private boolean isOver() {
        lock.lock();
        try {
            boolean nothingLeft = waiting.isEmpty() && untouched.isEmpty();
            return closing && (nothingLeft || closedBy - System.nanoTime() <= 0);
        } finally {
            lock.unlock();
        }
    }

    private void end() {
        lock.lock();
        try {
            ended = true;
            told.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Tells the server of everything, waits for that, and ends. If it could not be told of all the exception says of which.
     */
    void close() throws InterruptedException {
        lock.lock();
        try {
            closing = true;
            closedBy = System.nanoTime() + patienceNanos;
            somethingToTell.signal();
        } finally {
            lock.unlock();
        }
        thread.join();
        List<Settlement> left = new ArrayList<>(waiting);
        left.addAll(untouched);
        left.forEach(ledger::unacknowledged);
        waiting.clear();
        untouched.clear();
        if (!left.isEmpty()) {
            throw new QueueException(
                    "the end of tasks could not be told after " + TimeUnit.NANOSECONDS.toMillis(patienceNanos)
                            + " ms: queue=" + stock.name() + ", tasks=" + left.size() + ", first="
                            + left.stream().limit(10).map(Settlement::id).toList()
                            + ". They will be delivered again.",
                    lastFailure);
        }
    }
}
