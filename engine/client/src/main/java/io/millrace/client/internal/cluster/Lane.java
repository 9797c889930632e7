// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.ClientOptions;
import io.millrace.client.KeySlot;
import io.millrace.client.RedisUri;
import io.millrace.client.internal.shared.CallerSubmission;
import io.millrace.client.internal.shared.FenceWindow;
import io.millrace.client.internal.shared.Route;
import io.millrace.client.internal.shared.SharedConnection;
import io.millrace.client.internal.time.Timekeeper;
import io.millrace.resp.Reply;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sends the calls of a group of threads to a cluster, in their order for each slot. A lane has one shared connection of each node,
 * so the calls of a thread that have the same slot use the same connection, until the slot moves.
 *
 * <p>DESIGN. While a slot moves, a fence keeps its calls:
 *
 * <pre>
 *   caller -> enters -> connection of the owner -> answered: left
 *                |                              -> MOVED, ASK: redirected --+
 *                +-> waits: fence                                           |
 *                           fence, before the waiting calls &lt;---------------+
 *   when no call of the slot is on a connection: the redirected calls in their order, then the waiting ones, are queued
 * </pre>
 *
 * <p>All calls of a slot that are on connections are on one connection. So a call leaves the fence if no call of the slot is on a
 * connection, or if the calls before it have gone to the same connection. A fence is removed when it is empty and the calls of the
 * slot are at the owner.
 *
 * <p>{@link #onConnections} counts the calls of each slot that are queued or sent. A caller first increments the count, and
 * then looks for a fence and for the owner. A thread that sets a fence first does so, and then reads the count. So the caller
 * sees the fence, or the other thread sees the count and waits until the call has left.
 *
 * <p>A change of the owners sets a fence for each changed slot before the new owners are visible, and removes no fence until
 * they are visible. So a call that goes to the new owner meets the fence, as long as calls to the former owner have not left.
 *
 * <p>A call in a fence holds no permit of a connection. A waiting call holds permits of {@link #fenceWindow}, so callers wait or
 * are refused if too many calls wait. A redirected call holds no permits: it was in flight, so the windows have limited the
 * number of such calls. A call that leaves a fence takes permits of its connection without a wait, also from the reserve of
 * the window, which no caller can take. Calls that hold the reserve are on the wire, so the reserve becomes free again. If it is
 * not free now, the timekeeper continues at its next tick.
 *
 * <p>The last connection of a kept call still counts it, and counts its outcome if its deadline passes.
 */
final class Lane implements Route, Timekeeper.Ticking {

    private final LaneNodes nodes;
    private final Timekeeper timekeeper;
    private final FenceWindow fenceWindow;
    private final RefusedMembers<CallerSubmission> refusedMembers = new RefusedMembers<>(CallerSubmission::keys);
    private final CallRedirects redirects;

    /** The calls of each slot that are queued or sent, and not kept by a fence. Written by any thread. */
    private final AtomicIntegerArray onConnections = new AtomicIntegerArray(KeySlot.COUNT);

    /** Calls of nodes that have left the cluster. {@link #onConnections} still counts them. */
    private final Queue<CallerSubmission> arrivals = new ConcurrentLinkedQueue<>();

    private final ReentrantLock lock = new ReentrantLock();

    /** Guarded by {@link #lock}. */
    private final Map<Integer, LaneFence> fences = new HashMap<>();

    /** Whether the owners are being changed. No fence opens meanwhile. Guarded by {@link #lock}. */
    private boolean changing;

    /** Number of fences. Written under {@link #lock}, read by any thread. */
    private volatile int fenceCount;

    /** Why this lane is closed; null while it is open. Written under {@link #lock}, read by any thread. */
    private volatile @Nullable String closed;

    Lane(LaneNodes nodes, Timekeeper timekeeper, ClientOptions options) {
        this.nodes = nodes;
        this.timekeeper = timekeeper;
        this.fenceWindow = new FenceWindow(options, timekeeper.clock());
        this.redirects = new CallRedirects(nodes, refusedMembers, timekeeper.clock());
        timekeeper.watch(this);
    }

    // Called by the threads that submit.

    @Override
    public boolean enters(CallerSubmission call, SharedConnection connection) {
        int slot = call.hops().slot();
        onConnections.getAndIncrement(slot);
        if ((fenceCount == 0 && connection.equals(nodes.ownerOf(slot))) || hasNoFence(slot, connection)) {
            return true;
        }
        decrement(slot);
        return false;
    }

    private boolean hasNoFence(int slot, SharedConnection connection) {
        lock.lock();
        try {
            return !fences.containsKey(slot) && connection.equals(nodes.ownerOf(slot));
        } finally {
            lock.unlock();
        }
    }

    @Override
    public FenceWindow fenceWindow() {
        return fenceWindow;
    }

    @Override
    public void waits(CallerSubmission call) {
        int slot = call.hops().slot();
        String cause;
        lock.lock();
        try {
            cause = closed;
            if (cause == null) {
                call.hops().setAway(true);
                LaneFence fence = fences.get(slot);
                if (fence == null) {
                    fence = fence(slot);
                    // Without a fence, all calls of the slot were at the owner.
                    fence.last = nodes.ownerOf(slot);
                }
                fence.calls.add(call);
                advance(slot, now());
            }
        } finally {
            lock.unlock();
        }
        continueOrLose(call, cause);
    }

    /** Wakes the timekeeper. If the call was not added to a fence, loses it because of {@code cause}. */
    private void continueOrLose(CallerSubmission call, @Nullable String cause) {
        if (cause != null) {
            call.loseKept(cause);
        } else if (fenceCount > 0) {
            timekeeper.wake();
        }
    }

    private long now() {
        return timekeeper.clock().getAsLong();
    }

    /** The caller holds the lock. */
    private LaneFence fence(int slot) {
        LaneFence fence = fences.computeIfAbsent(slot, missing -> new LaneFence(now()));
        fenceCount = fences.size();
        return fence;
    }

    // Called by the thread that sends.

    @Override
    public boolean fuses(int slot) {
        return !redirects.isMoving(slot);
    }

    // Called by the thread that reads.

    @Override
    public boolean redirects(CallerSubmission call, Reply.ErrorReply error) {
        return redirects.follow(call, error);
    }

    @Override
    public void answered(CallerSubmission call) {
        refusedMembers.executed(call);
    }

    @Override
    public void redirected(CallerSubmission call) {
        keep(call);
    }

    /** The calling thread may hold a lock of its connection, so the timekeeper takes the call. */
    @Override
    public void rerouted(CallerSubmission call) {
        call.hops().toOwner();
        arrivals.add(call);
        String cause = closed;
        if (cause == null) {
            timekeeper.wake();
        } else {
            loseArrivals(cause);
        }
    }

    private void keep(CallerSubmission call) {
        int slot = call.hops().slot();
        String cause;
        lock.lock();
        try {
            long now = now();
            cause = closed;
            if (cause == null) {
                fence(slot).redirected(call, now + CallRedirects.delayNanos(call));
            }
            onConnections.getAndDecrement(slot);
            advance(slot, now);
        } finally {
            lock.unlock();
        }
        continueOrLose(call, cause);
    }

    @Override
    public void left(CallerSubmission call) {
        if (!call.isAnswered()) {
            refusedMembers.executed(call);
        }
        decrement(call.hops().slot());
    }

    private void decrement(int slot) {
        if (onConnections.decrementAndGet(slot) == 0 && fenceCount > 0) {
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
            advanceAll(now());
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
            fences.values().forEach(fence -> fence.removeIf(call -> isEnded(call, now)));
            advanceAll(now);
        } finally {
            lock.unlock();
        }
        return fenceCount > 0;
    }

    /** Ends an overdue call. A call that has its outcome leaves the fence. */
    private boolean isEnded(CallerSubmission call, long now) {
        call.expireIfOverdue(now);
        if (call.isEnded()) {
            boolean unused = refusedMembers.removeOvertaken(call);
            call.releaseFencePermits();
        }
        return call.isEnded();
    }

    private void advanceAll(long now) {
        for (Integer slot : fences.keySet().toArray(Integer[]::new)) {
            advance(slot, now);
        }
    }

    /** Queues the calls of a fence at their connections, as far as possible. Removes an empty fence. The caller holds the lock. */
    private void advance(int slot, long now) {
        LaneFence fence = fences.get(slot);
        if (fence == null || changing) {
            return;
        }
        if (onConnections.get(slot) == 0) {
            fence.putRedirectedFirst(this::endOvertaken);
        }
        if (fence.mayOpen(now)) {
            moveAll(slot, fence);
        }
        if (fence.isEmpty() && (onConnections.get(slot) == 0 || isAtOwner(slot, fence))) {
            fences.remove(slot);
            fenceCount = fences.size();
        }
    }

    private boolean isAtOwner(int slot, LaneFence fence) {
        return fence.last != null && fence.last.equals(nodes.ownerOf(slot));
    }

    /** Ends a refused call if it would change the order: a later call with the same key may have been executed. */
    private boolean endOvertaken(CallerSubmission call) {
        boolean overtaken = refusedMembers.removeOvertaken(call);
        if (overtaken) {
            call.endRefusedKept();
        }
        return overtaken;
    }

    private void moveAll(int slot, LaneFence fence) {
        for (CallerSubmission call = fence.calls.peek(); call != null; call = fence.calls.peek()) {
            if (call.isEnded()) {
                call.releaseFencePermits();
            } else if (!move(call, slot, fence)) {
                return;
            }
            fence.calls.remove();
        }
    }

    /** Queues the first call of a fence, or loses the call if the node refuses the login. Returns false if the call must wait. */
    private boolean move(CallerSubmission call, int slot, LaneFence fence) {
        RedisUri.Tcp address = call.hops().address();
        SharedConnection target = address == null ? nodes.ownerOf(slot) : nodes.at(address);
        String refusal = nodes.refusal(slot, address);
        if (refusal != null) {
            call.loseKept(refusal);
            return true;
        }
        if (target == null || !(onConnections.get(slot) == 0 || target.equals(fence.last))) {
            return false;
        }
        // Before the call is queued: its reply may arrive at once.
        onConnections.getAndIncrement(slot);
        if (!target.takeOver(call)) {
            decrement(slot);
            return false;
        }
        fence.last = target;
        return true;
    }

    /** Whether this lane keeps calls that are on no connection. */
    boolean keepsCalls() {
        return fenceCount > 0 || !arrivals.isEmpty();
    }

    /** Ends all calls that are kept as lost, because the client is closed. A call that comes later is lost, too. */
    void close(String cause) {
        timekeeper.forget(this);
        lock.lock();
        try {
            closed = cause;
            fences.values().forEach(fence -> fence.forEach(call -> call.loseKept(cause)));
            fences.clear();
            fenceCount = 0;
        } finally {
            lock.unlock();
        }
        loseArrivals(cause);
    }

    private void loseArrivals(String cause) {
        for (CallerSubmission call = arrivals.poll(); call != null; call = arrivals.poll()) {
            call.loseKept(cause);
        }
    }
}
