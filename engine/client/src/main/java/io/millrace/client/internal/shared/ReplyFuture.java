// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;

/**
 * The future of a command. {@link #getNumberOfDependents} does not count threads that wait in {@code get} or {@code
 * join}: the completion only wakes them, and runs no user code. So such a completion needs no separate thread.
 *
 * <p>A thread is counted as waiting shortly before the super class counts it as a dependent. So the number may be too
 * small for a moment. The {@link FutureCompleter} then runs a callback on a drainer, and the timekeeper replaces the
 * drainer if the callback blocks.
 */
public final class ReplyFuture<T> extends CompletableFuture<T> {

    @SuppressWarnings("rawtypes") // the updater needs the class
    private static final AtomicIntegerFieldUpdater<ReplyFuture> WAITING =
            AtomicIntegerFieldUpdater.newUpdater(ReplyFuture.class, "waiting");

    /** Number of threads in {@code get} and {@code join}. Changed through {@link #WAITING}. */
    @SuppressWarnings("UnusedVariable") // used by the updater
    private volatile int waiting;

    @Override
    public int getNumberOfDependents() {
        return Math.max(0, super.getNumberOfDependents() - WAITING.get(this));
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
        WAITING.incrementAndGet(this);
        try {
            return super.get();
        } finally {
            WAITING.decrementAndGet(this);
        }
    }

    @Override
    public T get(long timeout, TimeUnit unit) throws InterruptedException, ExecutionException, TimeoutException {
        WAITING.incrementAndGet(this);
        try {
            return super.get(timeout, unit);
        } finally {
            WAITING.decrementAndGet(this);
        }
    }

    @Override
    public T join() {
        WAITING.incrementAndGet(this);
        try {
            return super.join();
        } finally {
            WAITING.decrementAndGet(this);
        }
    }
}
