// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * Starts loads and asynchronous lookups on their threads.
 *
 * @param executor runs loads
 * @param context called on the thread that starts a load or lookup; the result runs on the thread of the load or lookup
 */
record LoadThreads(Executor executor, UnaryOperator<Runnable> context) {

    private static final Executor LOOKUPS =
            lookup -> Thread.ofVirtual().name("millrace-cache-async").start(lookup);

    /** A separate virtual thread for each load, without context. */
    static final LoadThreads DEFAULT = new LoadThreads(
            load -> Thread.ofVirtual().name("millrace-cache-load").start(load), UnaryOperator.identity());

    LoadThreads withExecutor(Executor value) {
        return new LoadThreads(value, context);
    }

    LoadThreads withContext(UnaryOperator<Runnable> value) {
        return new LoadThreads(executor, value);
    }

    /** Starts a load. If the load cannot run, calls {@code ifNotRun} with the reason. Never throws. */
    void startLoad(Runnable load, Consumer<? super Throwable> ifNotRun) {
        start(executor, load, ifNotRun);
    }

    /**
     * Runs a lookup on a virtual thread, and completes the future with its result. If a loader calls this method, the
     * lookup belongs to the call of this loader, because the loader may wait for the future.
     */
    <V> CompletableFuture<V> lookup(Callable<V> lookup) {
        CompletableFuture<V> future = new CompletableFuture<>();
        LoaderCall outer = LoaderCall.current();
        Runnable body = () -> {
            try {
                future.complete(outer == null ? lookup.call() : outer.run(lookup));
            } catch (Throwable e) {
                future.completeExceptionally(e);
            }
        };
        start(LOOKUPS, body, future::completeExceptionally);
        return future;
    }

    private void start(Executor on, Runnable body, Consumer<? super Throwable> ifNotRun) {
        AtomicBoolean begun = new AtomicBoolean();
        try {
            Runnable wrapped = context.apply(() -> {
                begun.set(true);
                body.run();
            });
            on.execute(() -> runWrapped(wrapped, begun, ifNotRun));
        } catch (Throwable e) { // without this catch, the callers of the load would wait until their deadlines
            ifNotRun.accept(e);
        }
    }

    /** Runs a load. A faulty context function may throw, or may not call the load. */
    private static void runWrapped(Runnable wrapped, AtomicBoolean begun, Consumer<? super Throwable> ifNotRun) {
        try {
            wrapped.run();
        } catch (Throwable e) {
            if (!begun.get()) {
                ifNotRun.accept(e);
            }
            return;
        }
        if (!begun.get()) {
            ifNotRun.accept(new IllegalStateException(
                    "the context function of the cache returned a Runnable that does not run the load."
                            + " The Runnable must call the run method of its argument."));
        }
    }
}
