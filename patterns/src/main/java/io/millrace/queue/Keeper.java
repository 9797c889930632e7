// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import io.millrace.client.Command;
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
 * buffer or a source that waits cannot keep it from that; and it is of the platform, for virtual consumers that compute may keep
 * every carrier for themselves. Should the whole process have stood still for longer the source renews before it takes, lest it
 * takes from itself.
 *
 * What is waiting is bounded: the source fetches no more while more than MOST_WAITING do.
 *
 * Tasks never begun are told of when the lease is renewed, and when the source is closed, the newest first: so each goes back in
 * front of those after it. By then all that a flow gives back at a time are there.
 *
 * Another delivery of a task in hand is not handed on, but the number of that one counts from then on: it is the one the server has
 * down. What is told of an older delivery changes nothing about a newer one.
 *
 * What comes to be known when the keeper's thread has ended, from a source whose flow did not wait for it, the caller tells himself.
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

    private final Pause pause = new Pause();

    private volatile @Nullable Throwable lastFailure;
    private volatile long renewedAt = System.nanoTime();

    Keeper(RedisClient client, Stock<T> stock, Ledger ledger, ConsumerOptions options) {
        this.client = client;
        this.stock = stock;
        this.ledger = ledger;
        this.renewalNanos = options.lease().toNanos() / 3;
        this.patienceNanos = options.patience().toNanos();
        this.thread = Thread.ofPlatform()
                .daemon()
                .name("millrace-queue-" + stock.name())
                .unstarted(this);
    }

    void start() {
        thread.start();
    }

    /** Takes a delivery into hand; false if the task is there already. */
    boolean hold(Received<T> received) {
        return inHand.put(received.id(), received.number()) == null;
    }

    /** Has the server told of it, soon. Does not wait, unless the source was closed before. */
    void settle(Settlement settlement) {
        Settlement current = settlement.of(inHand.getOrDefault(settlement.id(), settlement.number()));
        if (!settlement.holds()) {
            inHand.remove(settlement.id());
        }
        if (!isTaken(current)) {
            tellAtOnce(current);
        }
    }

    /** Whether the keeper's thread will tell the server. */
    private boolean isTaken(Settlement settlement) {
        lock.lock();
        try {
            if (ended) {
                return false;
            }
            if (settlement.fate() == Fate.UNTOUCHED) {
                untouched.add(settlement);
            } else {
                waiting.add(settlement);
                somethingToTell.signal();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Once, though the thread may have been interrupted to say that nobody waits for it any more. */
    private void tellAtOnce(Settlement settlement) {
        boolean interrupted = Thread.interrupted();
        try {
            ledger.settled(
                    settlement, stock.settle(settlement).map(client::call).orElse(true));
        } catch (RedisException e) {
            ledger.unacknowledged(settlement);
        } finally {
            over(settlement);
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void over(Settlement settlement) {
        inHand.remove(settlement.id());
        stock.forget(settlement.id());
    }

    /** Waits while the server has not been told of very many; no longer than it is of use to be patient. */
    void awaitRoom() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (waiting.size() > MOST_WAITING && !ended) {
                if (pause.outlasts(patienceNanos)) {
                    throw untold(List.copyOf(waiting), "They are told again when the source is closed.");
                }
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
                    renewAndTidy();
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
                boolean mayTell = pause.left(now) <= 0;
                if (closing || renewal - now <= 0) {
                    untouched.sort(Comparator.comparing(Settlement::id).reversed());
                    waiting.addAll(untouched);
                    untouched.clear();
                }
                if (renewal - now <= 0 || (mayTell && (closing || !waiting.isEmpty()))) {
                    return mayTell ? some() : List.of();
                }
                boolean pausing = !mayTell && (closing || !waiting.isEmpty());
                long wait = pausing ? Math.min(renewal - now, pause.left(now)) : renewal - now;
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

    /**
     * Renews if the keeper's thread has not for most of the lease: so that this consumer takes nothing from itself, when it asks for
     * what the dead had.
     */
    void renewIfLate() {
        if (System.nanoTime() - renewedAt > 2 * renewalNanos) {
            renew();
        }
    }

    private void renew() {
        stock.renew(List.copyOf(inHand.keySet()));
        renewedAt = System.nanoTime();
    }

    private void renewAndTidy() {
        try {
            renew();
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
                Optional<Command<Boolean>> command = stock.settle(current(settlement));
                results.add(command.map(pipeline::add));
            }
            pipeline.run();
        } catch (RuntimeException e) { // a client that is closed
            lastFailure = e;
            toldExcept(some);
            return;
        }
        for (int i = 0; i < some.size(); i++) {
            note(some.get(i), results.get(i)).ifPresent(again::add);
        }
        toldExcept(again);
    }

    /** With the number that the server has down. */
    private Settlement current(Settlement settlement) {
        return settlement.holds()
                ? settlement.of(inHand.getOrDefault(settlement.id(), settlement.number()))
                : settlement;
    }

    /** What the server is still to be told of it. */
    private Optional<Settlement> note(Settlement settlement, Optional<Result<Boolean>> result) {
        try {
            boolean wasOurs = result.isEmpty() || result.get().value() || settlement.maybeTold();
            over(settlement);
            ledger.settled(settlement, wasOurs);
            return Optional.empty();
        } catch (RedisException e) {
            lastFailure = e;
            if (!e.maybeExecuted()) {
                return Optional.of(settlement);
            }
        }
        if (stock.deliversAgain()) {
            return Optional.of(settlement.inDoubt());
        }
        over(settlement);
        ledger.unacknowledged(settlement);
        return Optional.empty();
    }

    private void toldExcept(List<Settlement> again) {
        lock.lock();
        try {
            again.reversed().forEach(waiting::addFirst);
            if (again.isEmpty()) {
                pause.succeeded();
            } else {
                pause.failed();
            }
            rounds++;
            told.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean isOver() {
        lock.lock();
        try {
            boolean nothingLeft = waiting.isEmpty() && untouched.isEmpty();
            ended = closing && (nothingLeft || closedBy - System.nanoTime() <= 0);
            return ended;
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
        List<Settlement> left = left();
        left.forEach(ledger::unacknowledged);
        if (!left.isEmpty()) {
            throw untold(
                    left,
                    stock.deliversAgain() ? "They will be delivered again." : "They were not done, and are lost.");
        }
    }

    /** What the server could not be told of; that of which it need not be told is settled. */
    private List<Settlement> left() {
        List<Settlement> left = new ArrayList<>();
        lock.lock();
        try {
            waiting.addAll(untouched);
            untouched.clear();
            for (Settlement settlement : waiting) {
                if (stock.settle(settlement).isEmpty()) {
                    ledger.settled(settlement, true);
                } else {
                    left.add(settlement);
                }
                over(settlement);
            }
            waiting.clear();
        } finally {
            lock.unlock();
        }
        return left;
    }

    private QueueException untold(List<Settlement> tasks, String then) {
        return QueueException.untold(stock.name(), patienceNanos, tasks, then, lastFailure);
    }
}
