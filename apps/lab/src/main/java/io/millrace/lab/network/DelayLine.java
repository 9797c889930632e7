// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.network;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * Items that come out, in the order they went in, when a delay has gone by; and what they take of a bounded memory. It
 * never waits and never asks for a thread: its callers do. Safe for any thread.
 *
 * <p>DESIGN. The delay is the same for all, so the order of arrival is the order in which they are due: a queue is
 * enough. The clock is read under the lock, so that two threads cannot put their items in the wrong order.
 *
 * <p>What an item is charged with stays charged when it has come out, until it is {@linkplain #release released}: an
 * item whose destination takes no more is held as much as one that travels.
 *
 * <pre>
 *   account may read if   its own held + {@link #FLOOR_BYTES} fit its limit,
 *                         and all held + {@link #FLOOR_BYTES} fit the limit of all
 *                   or    it holds nothing
 *   one that may not waits, and is told
 *                   when  it holds at most half its limit, and all hold at most three quarters of theirs
 *                   or    it holds nothing
 * </pre>
 *
 * <p>The distance between the two keeps a direction from stopping and going for every item. An account that holds
 * nothing may always read, so none waits for another whose destination is stuck.
 */
final class DelayLine<T> {

    /** What an item takes beside its bytes: the array's header, the objects around it, its place in the queues. */
    static final int OVERHEAD_BYTES = 128;

    /** Less room than this is not worth a read. */
    static final int FLOOR_BYTES = 16 * 1024;

    private final long delayNanos;
    private final Limits limits;
    private final LongSupplier nanoClock;

    private final ReentrantLock lock = new ReentrantLock();

    // Under the lock, as are the fields of accounts.
    private final Queue<Entry<T>> travelling = new ArrayDeque<>();
    private final Set<Account> waiting = new LinkedHashSet<>();
    private long heldBytes;

    DelayLine(Duration delay, Limits limits, LongSupplier nanoClock) {
        this.delayNanos = delay.toNanos();
        this.limits = limits;
        this.nanoClock = nanoClock;
    }

    private record Entry<T>(T item, long dueNanos) {}

    /**
     * How many bytes {@code account} may offer in one item, at most {@code wanted}. After 0, {@link Account#whenRoom}
     * tells when to ask again.
     */
    int room(Account account, int wanted) {
        lock.lock();
        try {
            long room = Math.min(limits.directionBytes() - account.heldBytes, limits.allBytes() - heldBytes)
                    - OVERHEAD_BYTES;
            if (account.heldBytes == 0) {
                room = Math.max(room, FLOOR_BYTES);
            }
            if (room < FLOOR_BYTES) {
                waiting.add(account);
                return 0;
            }
            return (int) Math.min(room, wanted);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sends {@code item}, of {@code bytes}, on its way; whether there is room for it was asked before. Says whether
     * nothing else was travelling.
     */
    boolean offer(Account account, T item, int bytes) {
        lock.lock();
        try {
            boolean alone = travelling.isEmpty();
            charge(account, bytes + (long) OVERHEAD_BYTES);
            travelling.add(new Entry<>(item, nanoClock.getAsLong() + delayNanos));
            return alone;
        } finally {
            lock.unlock();
        }
    }

    /** Moves what is due to the end of {@code into}, at most {@code most} items. */
    void takeDue(List<? super T> into, int most) {
        lock.lock();
        try {
            long now = nanoClock.getAsLong();
            var head = travelling.peek();
            for (int taken = 0; taken < most && head != null && head.dueNanos - now <= 0; taken++) {
                into.add(head.item);
                travelling.remove();
                head = travelling.peek();
            }
        } finally {
            lock.unlock();
        }
    }

    /** How long until the next item is due, 0 or less if one is; {@code Long.MAX_VALUE} if none travels. */
    long nanosToNext() {
        lock.lock();
        try {
            var head = travelling.peek();
            return head == null ? Long.MAX_VALUE : head.dueNanos - nanoClock.getAsLong();
        } finally {
            lock.unlock();
        }
    }

    /** Gives back what an item of {@code bytes} was charged with, once it has been delivered or dropped. */
    void release(Account account, int bytes) {
        var roomy = new ArrayList<Account>();
        lock.lock();
        try {
            boolean wasFull = !allMayGoOn();
            charge(account, -(bytes + (long) OVERHEAD_BYTES));
            if (mayGoOn(account) && waiting.remove(account)) {
                roomy.add(account);
            }
            if (wasFull && allMayGoOn()) {
                waiting.stream().filter(this::mayGoOn).forEach(roomy::add);
                roomy.forEach(waiting::remove);
            }
        } finally {
            lock.unlock();
        }
        roomy.forEach(one -> one.whenRoom.run());
    }

    private void charge(Account account, long bytes) {
        account.heldBytes += bytes;
        heldBytes += bytes;
    }

    private boolean allMayGoOn() {
        return heldBytes <= limits.allBytes() / 4 * 3;
    }

    private boolean mayGoOn(Account account) {
        return account.heldBytes == 0 || (account.heldBytes <= limits.directionBytes() / 2 && allMayGoOn());
    }

    /** {@code account} will not ask for room again. */
    void forget(Account account) {
        lock.lock();
        try {
            waiting.remove(account);
        } finally {
            lock.unlock();
        }
    }

    /** What is charged at the moment. */
    long heldBytes() {
        lock.lock();
        try {
            return heldBytes;
        } finally {
            lock.unlock();
        }
    }
}
