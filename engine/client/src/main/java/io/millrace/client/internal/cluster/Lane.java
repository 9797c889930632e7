// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.KeySlot;
import io.millrace.client.RedisUri;
import io.millrace.client.internal.shared.CallerSubmission;
import io.millrace.client.internal.shared.Route;
import io.millrace.client.internal.shared.SharedConnection;
import io.millrace.client.internal.time.Timekeeper;
import io.millrace.resp.Reply;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The calls of some threads to a cluster. A lane has one shared connection of each node, so the calls of a thread that have
 * the same slot use the same connection, until the slot moves.
 *
 * <p>DESIGN. The calls of a lane keep their order for each slot. While a slot moves, a fence keeps its calls:
 *
 * <pre>
 *   caller -> enters -> connection of the owner -> answered: left
 *                |                              -> MOVED, ASK: redirected --+
 *                +-> fence: waiting                                         |
 *                                fence: redirected <------------------------+
 *   when no call of the slot is on a connection: first the redirected calls in their order, then the waiting ones, are queued
 *   at their new connections
 * </pre>
 *
 * <p>{@link #onConnections} counts the calls of each slot that are queued or sent. A caller first increments the count, and
 * then looks for a fence and for the owner. A thread that sets a fence first does so, and then reads the count. So the caller
 * sees the fence, or the other thread sees the count and waits until the call has left.
 *
 * <p>A change of the owners sets a fence for each changed slot before the new owners are visible, and removes no fence until
 * they are visible. So a call that goes to the new owner meets the fence, as long as calls to the former owner have not left.
 *
 * <p>Calls move without waiting for permits. If a window is full, the timekeeper continues at its next tick. A call that is
 * kept here is still counted by its last connection, which counts its outcome if its deadline passes.
 */
final class Lane implements Route, Timekeeper.Ticking {

    /** Redis Cluster needs one redirect after a move of a slot, and two during it. More than a few are a loop. */
    static final int MOST_REDIRECTS = 16;

    /** The nodes of the cluster, for one lane. None of the methods waits. */
    interface Nodes {

        /** The connection to the owner of {@code slot}; null if the slot has no node at present. */
        @Nullable
        SharedConnection ownerOf(int slot);

        /** The connection to the node at {@code address}; null if there is none. Then the node is opened soon. */
        @Nullable
        SharedConnection at(RedisUri.Tcp address);

        /** Reads an error of the node at {@code asked}; null if the error is no redirect. */
        @Nullable
        Redirect redirect(Reply.ErrorReply error, RedisUri.Tcp asked);

        /** A node has answered that the slot belongs to the node at {@code address}. */
        void moved(int slot, RedisUri.Tcp address);
    }

    /** The calls of one slot that wait until the calls on connections have left. Guarded by the lock of the lane. */
    private static final class Fence {

        final Queue<CallerSubmission> redirected = new ArrayDeque<>();
        final Queue<CallerSubmission> waiting = new ArrayDeque<>();

        /** Whether all earlier calls have left, so that the calls of this fence may be queued. */
        boolean open;

        /** Whether redirected calls were queued at another node than the owner. The waiting calls must not overtake them. */
        boolean elsewhere;

        void forEach(Consumer<CallerSubmission> viewer) {
            redirected.forEach(viewer);
            waiting.forEach(viewer);
        }
    }

    private final Nodes nodes;
    private final Timekeeper timekeeper;

    /** The calls of each slot that are queued or sent, and not kept by a fence. Written by any thread. */
    private final AtomicIntegerArray onConnections = new AtomicIntegerArray(KeySlot.COUNT);

    /** Calls of nodes that have left the cluster. They still count as calls on connections. */
    private final Queue<CallerSubmission> arrivals = new ConcurrentLinkedQueue<>();

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by {@link #lock}. */
    private final Map<Integer, Fence> fences = new HashMap<>();

    /** Whether the owners are being changed. No fence opens meanwhile. Guarded by {@link #lock}. */
    private boolean changing;

    /** Number of fences. Written under {@link #lock}, read by any thread. */
    private volatile int fenceCount;

    Lane(Nodes nodes, Timekeeper timekeeper) {
        this.nodes = nodes;
        this.timekeeper = timekeeper;
        timekeeper.watch(this);
    }

    // Called by the threads that submit.

    @Override
    public boolean enters(CallerSubmission call, SharedConnection connection) {
        int slot = call.hops().slot();
        onConnections.getAndIncrement(slot);
        if (fenceCount == 0 && connection.equals(nodes.ownerOf(slot))) {
            return true;
        }
        lock.lock();
        try {
            if (!fences.containsKey(slot) && connection.equals(nodes.ownerOf(slot))) {
                return true;
            }
            call.hops().setAway(true);
            fence(slot).waiting.add(call);
            onConnections.getAndDecrement(slot);
        } finally {
            lock.unlock();
        }
        timekeeper.wake();
        return false;
    }

    /** The caller holds the lock. */
    private Fence fence(int slot) {
        Fence fence = fences.computeIfAbsent(slot, missing -> new Fence());
        fenceCount = fences.size();
        return fence;
    }

    // Called by the thread that reads.

    @Override
    public boolean redirects(CallerSubmission call, Reply.ErrorReply error) {
        RedisUri.Tcp asked = call.nodeAddress();
        Redirect redirect = asked == null ? null : nodes.redirect(error, asked);
        if (redirect == null
                || redirect.slot() != call.hops().slot()
                || !call.hops().redirect(redirect.address(), redirect.asks(), MOST_REDIRECTS)) {
            return false;
        }
        if (!redirect.asks()) {
            nodes.moved(redirect.slot(), redirect.address());
        }
        return true;
    }

    @Override
    public void redirected(CallerSubmission call) {
        keep(call);
        lock.lock();
        try {
            advance(call.hops().slot());
        } finally {
            lock.unlock();
        }
    }

    /** The calling thread may hold a lock of its connection, so the timekeeper takes the call. */
    @Override
    public void rerouted(CallerSubmission call) {
        call.hops().toOwner();
        arrivals.add(call);
        timekeeper.wake();
    }

    private void keep(CallerSubmission call) {
        lock.lock();
        try {
            Fence fence = fence(call.hops().slot());
            fence.redirected.add(call);
            fence.open = false;
        } finally {
            lock.unlock();
        }
        onConnections.getAndDecrement(call.hops().slot());
    }

    @Override
    public void left(CallerSubmission call) {
        if (onConnections.decrementAndGet(call.hops().slot()) == 0 && fenceCount > 0) {
            // The calling thread may hold a lock of its connection, so another thread moves the calls.
            timekeeper.wake();
        }
    }

    // Called by the thread that changes the owners.

    /** The slots for which {@code changed} is true get new owners. Their new calls wait from now on. */
    void beforeChange(boolean[] changed) {
        lock.lock();
        try {
            changing = true;
            for (int slot = 0; slot < changed.length; slot++) {
                if (changed[slot]) {
                    fence(slot);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** The new owners are visible to all threads. */
    void afterChange() {
        lock.lock();
        try {
            changing = false;
            advanceAll();
        } finally {
            lock.unlock();
        }
        if (fenceCount > 0) {
            timekeeper.wake();
        }
    }

    // Called by the timekeeper.

    @Override
    public boolean tick(long now) {
        if (fenceCount == 0 && arrivals.isEmpty()) {
            return false;
        }
        for (CallerSubmission call = arrivals.poll(); call != null; call = arrivals.poll()) {
            keep(call);
        }
        lock.lock();
        try {
            fences.values().forEach(fence -> fence.forEach(call -> call.expireIfOverdue(now)));
            advanceAll();
        } finally {
            lock.unlock();
        }
        return fenceCount > 0;
    }

    private void advanceAll() {
        for (Integer slot : fences.keySet().toArray(Integer[]::new)) {
            advance(slot);
        }
    }

    /** Queues the calls of a fence if the earlier calls have left. Removes an empty fence. The caller holds the lock. */
    private void advance(int slot) {
        Fence fence = fences.get(slot);
        if (fence == null || changing) {
            return;
        }
        fence.open |= onConnections.get(slot) == 0;
        if (fence.open && moveAll(fence.redirected, fence)) {
            if (fence.elsewhere) {
                fence.elsewhere = false;
                fence.open = onConnections.get(slot) == 0;
            }
            if (fence.open && moveAll(fence.waiting, fence)) {
                fences.remove(slot);
                fenceCount = fences.size();
            }
        }
    }

    /** Returns false if a call must wait. The calls behind it then wait, too. */
    private boolean moveAll(Queue<CallerSubmission> calls, Fence fence) {
        for (Iterator<CallerSubmission> each = calls.iterator(); each.hasNext(); ) {
            CallerSubmission call = each.next();
            if (call.isEnded()) {
                call.releasePermits();
            } else if (!move(call, fence)) {
                return false;
            }
            each.remove();
        }
        return true;
    }

    private boolean move(CallerSubmission call, Fence fence) {
        RedisUri.Tcp address = call.hops().address();
        SharedConnection owner = nodes.ownerOf(call.hops().slot());
        SharedConnection target = address == null ? owner : nodes.at(address);
        if (target == null) {
            return false;
        }
        // Before the call is queued: its reply may arrive at once.
        onConnections.getAndIncrement(call.hops().slot());
        boolean taken = target.takeOver(call);
        if (taken) {
            fence.elsewhere |= !target.equals(owner);
        } else {
            onConnections.getAndDecrement(call.hops().slot());
        }
        return taken;
    }

    /** Whether this lane keeps calls that are on no connection. */
    boolean keepsCalls() {
        return fenceCount > 0 || !arrivals.isEmpty();
    }

    /** Ends all calls that are kept as lost, because the client is closed. */
    void close(String cause) {
        timekeeper.forget(this);
        for (CallerSubmission call = arrivals.poll(); call != null; call = arrivals.poll()) {
            call.loseKept(cause);
        }
        lock.lock();
        try {
            fences.values().forEach(fence -> fence.forEach(call -> call.loseKept(cause)));
            fences.clear();
            fenceCount = 0;
        } finally {
            lock.unlock();
        }
    }
}
