// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A future, and the threads that complete it.
 *
 * @param completions the client's virtual threads, which complete the future if there is no executor
 * @param executor executor of the user that completes the future; null if there is none
 */
public record FutureCompletion<T>(
        CompletableFuture<T> future,
        FutureCompleter completions,
        @Nullable Executor executor) {

    public FutureCompletion(CompletableFuture<T> future, FutureCompleter completions) {
        this(future, completions, null);
    }

    /** Lets the executor, or a virtual thread, complete {@code call}. Any thread; does not wait and runs no user code. */
    void offer(CallerSubmission call) {
        if (executor != null) {
            completions.dispatcher().offer(new ExecutorTask(executor, completions.slots()).plus(call));
        } else if (call instanceof PendingCall<?> pending) {
            completions.offer(pending);
        }
    }
}
