// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import io.millrace.lab.client.ClientAdapter;
import io.millrace.lab.client.Operation;
import io.millrace.lab.client.Target;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A client without a server. Replies to {@code send} arrive on another thread. */
final class FakeClient implements ClientAdapter {

    final AtomicInteger mostInFlight = new AtomicInteger();
    private final AtomicInteger inFlight = new AtomicInteger();
    private final ExecutorService replies = Executors.newSingleThreadExecutor();
    private final ReentrantLock lock = new ReentrantLock();
    private int callsBeforePause; // guarded by the lock, as is the next field
    private long pauseNanos;

    /** The call after {@code calls} more calls pauses once. All other callers wait. */
    void pauseOnce(int calls, long nanos) {
        lock.lock();
        try {
            callsBeforePause = calls;
            pauseNanos = nanos;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void open(Target target) {}

    @Override
    public @Nullable Object call(Operation operation) {
        lock.lock();
        try {
            if (callsBeforePause-- == 0) {
                LockSupport.parkNanos(pauseNanos);
            }
            return operation instanceof Operation.Set ? "OK" : null;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public CompletionStage<? extends @Nullable Object> send(Operation operation) {
        mostInFlight.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
        return CompletableFuture.runAsync(inFlight::decrementAndGet, replies);
    }

    @Override
    public void close() {
        replies.close();
    }
}
