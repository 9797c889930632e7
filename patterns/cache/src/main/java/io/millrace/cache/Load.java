// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A load of one key in this process, and the callers that wait for the load.
 *
 * <p>DESIGN. A load ends in two steps. First, the load ends for its callers: the outcome is known, and waiting callers
 * receive the outcome. Later, the load is gone: its value has been written to Redis, or will certainly not be written.
 * Between the two steps, new callers still find the load, because Redis may not have the value yet.
 *
 * <p>Two threads compete for the right to write. One thread writes the value of the load. The other thread puts or
 * removes the key, and so discards the load. The thread whose compare-and-set succeeds first gets the right. If the
 * thread of the load gets the right, the thread that puts or removes the key waits until the load is gone, and then
 * writes to Redis.
 */
final class Load<V> {

    private enum Stage {
        LOADING,
        WRITING,
        DISCARDED
    }

    final LookupRequest<V> request;

    /** Whether this is a background load. No caller waits for a background load; callers get the old value. */
    final boolean background;

    /** The loader call of this load, which the loads of a bulk load share. */
    final LoaderCall call;

    /** Whether the loader thread is the thread of a caller. This class never interrupts such a thread. */
    private final boolean onCaller;

    private final CompletableFuture<LoadOutcome<V>> outcome = new CompletableFuture<>();
    private final CompletableFuture<Boolean> gone = new CompletableFuture<>();
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.LOADING);

    /** Set by the loader thread when it begins, or by a caller that abandons the load before. */
    private final AtomicBoolean taken = new AtomicBoolean();

    private final long createdNanos = System.nanoTime();

    /** Guards the next two fields. So no thread is interrupted after the thread has left this load. */
    private final ReentrantLock threadLock = new ReentrantLock();

    /** The loader thread, from {@link #begin} to {@link #end}. */
    private @Nullable Thread thread;

    /** Whether this class has interrupted the loader thread. */
    private boolean interrupted;

    /** The lease of the last claim. Written by the loader thread. */
    private volatile @Nullable HeldLease lease;

    /** Written by the loader thread. */
    private volatile boolean inCooldown;

    // The next two fields are used by the loader thread only, if it is the thread of a caller.
    /** Whether the interrupt flag was cleared during the load, so that {@link #end} must set the flag again. */
    private boolean flagCleared;

    /** The exception that ended the load before the loader was called, because the caller was interrupted. */
    private @Nullable Exception interruption;

    Load(LookupRequest<V> lookupRequest, boolean background, LoaderCall call) {
        this.request = lookupRequest;
        this.background = background;
        this.call = call;
        this.onCaller = lookupRequest.callersLoader() != null;
    }

    String key() {
        return request.key();
    }

    /**
     * Declares the current thread as the loader thread. Returns false if a caller has abandoned the load: the thread
     * must then do nothing.
     */
    boolean begin() {
        if (!taken.compareAndSet(false, true)) {
            return false;
        }
        threadLock.lock();
        try {
            thread = Thread.currentThread();
        } finally {
            threadLock.unlock();
        }
        if (isClosed()) {
            interrupt();
        }
        return true;
    }

    /**
     * Abandons a load that has waited for its thread for {@code nanos} at least. Returns false if the load is younger,
     * has begun, or was abandoned before. After true, the caller ends the load.
     */
    boolean tryAbandon(long nanos) {
        return System.nanoTime() - createdNanos >= nanos && taken.compareAndSet(false, true);
    }

    /**
     * Declares that the loader thread leaves this load. Clears the interrupt flag if this class has set the flag. Restores
     * the flag of a caller.
     */
    void end() {
        threadLock.lock();
        try {
            thread = null;
            if (interrupted) {
                boolean unused = Thread.interrupted();
            }
        } finally {
            threadLock.unlock();
        }
        if (flagCleared) {
            Thread.currentThread().interrupt();
        }
    }

    /** Interrupts the loader thread, if there is one, and if it is not the thread of a caller. */
    void interrupt() {
        threadLock.lock();
        try {
            if (thread != null && !onCaller) {
                interrupted = true;
                thread.interrupt();
            }
        } finally {
            threadLock.unlock();
        }
    }

    // Methods for the callers.

    /** Whether the load has ended for its callers. */
    boolean isComplete() {
        return outcome.isDone();
    }

    /** Returns the outcome; null if the load has not ended. */
    @Nullable
    LoadOutcome<V> outcome() {
        return outcome.isDone() ? outcome.join() : null;
    }

    /** Waits for the outcome, for {@code nanos} at most. Returns null after a timeout. */
    @Nullable
    LoadOutcome<V> await(long nanos) throws InterruptedException {
        return await(outcome, nanos);
    }

    /** Waits until the load is gone, for {@code nanos} at most. Returns false after a timeout. */
    boolean awaitGone(long nanos) throws InterruptedException {
        return await(gone, nanos) != null;
    }

    private static <T> @Nullable T await(CompletableFuture<T> future, long nanos) throws InterruptedException {
        try {
            return future.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return null;
        } catch (ExecutionException e) {
            throw new AssertionError("the future of a load must not complete with an exception", e);
        }
    }

    // Methods for the loader thread.

    /**
     * Clears the interrupt flag, because the flag would abort the write of the loaded value. Called on the loader thread.
     */
    void clearInterrupt() {
        flagCleared |= Thread.interrupted() && onCaller;
    }

    /** Records that the loader thread was interrupted before it called the loader. Called on the loader thread. */
    void interrupted(Exception cause) {
        if (onCaller && !isClosed()) {
            flagCleared = true;
            interruption = cause;
        }
    }

    /** Returns the exception of {@link #interrupted}; null if the caller was not interrupted. */
    @Nullable
    Exception interruption() {
        return interruption;
    }

    /** Ends the load for its callers. Only the first call has an effect. */
    void complete(LoadOutcome<V> result) {
        outcome.complete(result);
    }

    /** Sets the lease that the load is about to claim. */
    void claiming(HeldLease heldLease) {
        lease = heldLease;
    }

    /** Returns the lease of the last claim; null without leases. */
    @Nullable
    HeldLease lease() {
        return lease;
    }

    /** Whether the load has ended and writes no entry. In this case the next caller starts a new load. */
    boolean isOver() {
        return inCooldown || (outcome.isDone() && isOver(outcome.join()));
    }

    private static boolean isOver(LoadOutcome<?> result) {
        return switch (result) {
            case LoadOutcome.Completed<?> completed -> !completed.kept();
            case LoadOutcome.Failed<?> failed -> !failed.cached();
            case LoadOutcome.NotLoaded<?> notLoaded -> true;
            case LoadOutcome.TimedOut<?> timedOut -> true;
            case LoadOutcome.Refused<?> refused -> true;
            case LoadOutcome.Closed<?> closed -> true;
        };
    }

    /** Whether the load found its value in Redis and therefore called no loader. */
    boolean wasCached() {
        return outcome.isDone()
                && outcome.join() instanceof LoadOutcome.Completed<V>(Entry<V> entry, boolean kept)
                && !entry.isLoaded();
    }

    /** Whether the loader exceeded the load timeout. */
    boolean isTimedOut() {
        return outcome.isDone() && outcome.join() instanceof LoadOutcome.TimedOut;
    }

    /**
     * Marks a background load that wrote no entry. For a short time the load stays in the map and prevents new
     * background loads of the key. Callers do not join the load. The load writes nothing any more, so no caller waits
     * for its end.
     */
    void beginCooldown() {
        inCooldown = true;
        markGone();
    }

    boolean isClosed() {
        return outcome.isDone() && outcome.join() instanceof LoadOutcome.Closed;
    }

    /**
     * Tries to take the right to write. If the result is true, no other thread of this process writes the key until the
     * load is gone.
     */
    boolean tryBeginWrite() {
        return stage.compareAndSet(Stage.LOADING, Stage.WRITING);
    }

    /** Discards the load, so that its value is not written. Returns false if the write has already begun. */
    boolean tryDiscard() {
        return stage.compareAndSet(Stage.LOADING, Stage.DISCARDED) || stage.get() == Stage.DISCARDED;
    }

    void markGone() {
        gone.complete(true);
    }

    boolean isGone() {
        return gone.isDone();
    }

    /** Whether this is a background load that found no value in Redis and wrote none, so that it must cool down. */
    boolean needsCooldown() {
        return background && !isGone() && !wasCached() && !isTimedOut();
    }

    /**
     * Ends the load for its callers and interrupts the loader. A value that is already loaded is still written. A load
     * that no thread has begun is gone, because an executor may have dropped the load.
     */
    void close() {
        complete(new LoadOutcome.Closed<>());
        if (isClosed()) {
            interrupt();
        }
        if (tryAbandon(0)) {
            markGone();
        }
    }
}
