// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A load of one key that is under way in this process, and those that wait for it.
 *
 * <p>DESIGN. A load ends for those that wait when its value is known, and is gone when it has been written too, or will
 * not be. In between it is still found by those that ask for the key, for Redis may not have it yet.
 *
 * <p>Whether it may write is decided once: by the thread that writes, or by one that removes or puts the key and so makes what is being
 * loaded worthless. Whoever comes second in this waits until the load is gone before it writes itself.
 */
final class Load<V> {

    private enum Stage {
        LOADING,
        WRITING,
        WORTHLESS
    }

    final Request<V> request;

    /** Nobody waits: what there is, is still served. */
    final boolean background;

    private final CompletableFuture<LoadOutcome<V>> outcome = new CompletableFuture<>();
    private final CompletableFuture<Boolean> gone = new CompletableFuture<>();
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.LOADING);

    /** Whose interruption ends the loader; set by the thread itself. */
    private volatile @Nullable Thread thread;

    /** Set by the thread that loads. */
    private volatile boolean resting;

    Load(Request<V> request, boolean background) {
        this.request = request;
        this.background = background;
    }

    String key() {
        return request.key();
    }

    /** This thread loads from now on. */
    void begin() {
        thread = Thread.currentThread();
        if (isClosed()) {
            Thread.currentThread().interrupt();
        }
    }

    // Those that wait.

    /** How it ended; null if it has not by {@code nanos} from now. */
    @Nullable
    LoadOutcome<V> await(long nanos) throws InterruptedException {
        return await(outcome, nanos);
    }

    /** Waits until nothing of it will be written any more, or for {@code nanos}; whether that is so. */
    boolean awaitGone(long nanos) throws InterruptedException {
        return await(gone, nanos) != null;
    }

    private static <T> @Nullable T await(CompletableFuture<T> future, long nanos) throws InterruptedException {
        try {
            return future.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return null;
        } catch (ExecutionException e) {
            throw new AssertionError("no load ends so", e);
        }
    }

    // The load.

    /** Tells those that wait; only the first time counts. */
    void end(LoadOutcome<V> how) {
        outcome.complete(how);
    }

    /** Whether it ended with nothing that is written: whoever comes now starts another. */
    boolean isOver() {
        return resting || (outcome.isDone() && isOver(outcome.join()));
    }

    private static boolean isOver(LoadOutcome<?> how) {
        return switch (how) {
            case LoadOutcome.Arrived<?> arrived -> false;
            case LoadOutcome.Failed<?> failed -> !failed.kept();
            case LoadOutcome.GaveUp<?> gaveUp -> true;
            case LoadOutcome.Closed<?> closed -> true;
        };
    }

    /** Whether Redis had the answer, so that nothing was loaded. */
    boolean wasThere() {
        return outcome.isDone()
                && outcome.join() instanceof LoadOutcome.Arrived<V>(Entry<V> entry)
                && entry.bytes() > 0;
    }

    /** Nothing of it was kept, and it only keeps others in the background from starting. */
    void rest() {
        resting = true;
    }

    boolean isClosed() {
        return outcome.isDone() && outcome.join() instanceof LoadOutcome.Closed;
    }

    /** Whether what was loaded may be written. If so nobody else writes the key in this process until the load is gone. */
    boolean mayWrite() {
        return stage.compareAndSet(Stage.LOADING, Stage.WRITING);
    }

    /** Keeps what is being loaded from being written; false if it is too late for that. */
    boolean becomeWorthless() {
        return stage.compareAndSet(Stage.LOADING, Stage.WORTHLESS) || stage.get() == Stage.WORTHLESS;
    }

    void leave() {
        gone.complete(true);
    }

    /** Ends it for those that wait, and interrupts its loader. What was loaded before is written yet. */
    void close() {
        end(new LoadOutcome.Closed<>());
        Thread runner = thread;
        if (runner != null && isClosed()) {
            runner.interrupt();
        }
    }
}
