// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A load of one key in this process, and the callers that wait for the load.
 *
 * <p>DESIGN. A load first ends and then is gone. The load ends for its callers when the value is known. The load is
 * gone when the value is written, or will not be written. Until then callers still find the load, because Redis may not
 * have the value yet.
 *
 * <p>Two threads compete for the right to write: the writer of the load, and a thread that puts or removes the key and
 * so discards the load. The thread whose compare-and-set succeeds first gets the right. If the writer wins, the other
 * thread waits until the load is gone before it writes to Redis.
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

    private final CompletableFuture<LoadOutcome<V>> outcome = new CompletableFuture<>();
    private final CompletableFuture<Boolean> gone = new CompletableFuture<>();
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.LOADING);

    /** The loader thread, which {@link #close} interrupts. Written by the loader thread. */
    private volatile @Nullable Thread thread;

    /** Written by the loader thread. */
    private volatile boolean inCooldown;

    Load(LookupRequest<V> lookupRequest, boolean background) {
        this.request = lookupRequest;
        this.background = background;
    }

    String key() {
        return request.key();
    }

    /** Declares the current thread as the loader thread. */
    void begin() {
        thread = Thread.currentThread();
        if (isClosed()) {
            Thread.currentThread().interrupt();
        }
    }

    // Methods for the callers.

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
            throw new AssertionError("the outcome of a load is never an exception", e);
        }
    }

    // Methods for the loader thread.

    /** Ends the load for its callers. Only the first call has an effect. */
    void complete(LoadOutcome<V> result) {
        outcome.complete(result);
    }

    /** Whether the load ended and writes no entry, so that the next caller starts a new load. */
    boolean isOver() {
        return inCooldown || (outcome.isDone() && isOver(outcome.join()));
    }

    private static boolean isOver(LoadOutcome<?> result) {
        return switch (result) {
            case LoadOutcome.Completed<?> completed -> false;
            case LoadOutcome.Failed<?> failed -> !failed.cached();
            case LoadOutcome.Abandoned<?> abandoned -> true;
            case LoadOutcome.Closed<?> closed -> true;
        };
    }

    /** Whether the load found the answer in Redis and called no loader. */
    boolean wasCached() {
        return outcome.isDone()
                && outcome.join() instanceof LoadOutcome.Completed<V>(Entry<V> entry)
                && entry.bytes() > 0;
    }

    /**
     * Marks a load that wrote no entry. The load stays in the map for a short time and only blocks new background
     * loads.
     */
    void beginCooldown() {
        inCooldown = true;
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

    /** Ends the load for its callers and interrupts the loader. A value that is already loaded is still written. */
    void close() {
        complete(new LoadOutcome.Closed<>());
        Thread loader = thread;
        if (loader != null && isClosed()) {
            loader.interrupt();
        }
    }
}
