// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.command.Command;
import io.millrace.client.command.ScriptCall;
import io.millrace.client.exception.ErrorReplyException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs script calls: {@code EVALSHA} first, and {@code EVAL} after the error {@code NOSCRIPT}. Both commands have the
 * same deadline. {@code EVAL} is sent at most once, because the server has no reason to reply {@code NOSCRIPT} to it.
 */
public final class ScriptAttempts {

    /** Runs one command between two times. The clock is the clock of the client, in nanoseconds. */
    @FunctionalInterface
    public interface Caller {
        <T> T call(Command<T> command, long now, long deadline);
    }

    /** Sends one command between two times, as {@link Caller} runs it. */
    @FunctionalInterface
    public interface AsyncCaller<T> {
        CompletableFuture<T> send(Command<T> command, long now, long deadline);
    }

    private ScriptAttempts() {}

    /** Runs {@code script}, and waits for its value. {@code defaultNanos} is the time limit of the client. */
    public static <T> T call(ScriptCall<T> script, LongSupplier clock, long defaultNanos, Caller caller) {
        long now = clock.getAsLong();
        long deadline = now + script.byHash().deadlineNanos(defaultNanos);
        try {
            return caller.call(script.byHash(), now, deadline);
        } catch (ErrorReplyException e) {
            if (!isMissing(e)) {
                throw e;
            }
            return caller.call(script.withBody(), clock.getAsLong(), deadline);
        }
    }

    /**
     * Sends {@code script}. The thread that receives {@code NOSCRIPT} sends {@code EVAL}. The thread is a virtual thread
     * of the client, so the thread may wait for a permit.
     */
    public static <T> CompletableFuture<T> send(
            ScriptCall<T> script, LongSupplier clock, long defaultNanos, AsyncCaller<T> caller) {
        long now = clock.getAsLong();
        long deadline = now + script.byHash().deadlineNanos(defaultNanos);
        CompletableFuture<T> byHash = caller.send(script.byHash(), now, deadline);
        CompletableFuture<T> result = new CompletableFuture<>();
        // A future that exceptionallyCompose returns would wrap the exceptions in a CompletionException.
        CompletableFuture<T> unused = byHash.exceptionallyCompose(failure ->
                        isMissing(failure) ? caller.send(script.withBody(), clock.getAsLong(), deadline) : byHash)
                .whenComplete((value, failure) -> complete(result, value, failure));
        return result;
    }

    private static boolean isMissing(@Nullable Throwable failure) {
        return failure instanceof ErrorReplyException error && error.code().equals("NOSCRIPT");
    }

    private static <T> void complete(CompletableFuture<T> result, T value, @Nullable Throwable failure) {
        if (failure == null) {
            result.complete(value);
        } else {
            result.completeExceptionally(
                    failure instanceof CompletionException wrapped && wrapped.getCause() != null
                            ? wrapped.getCause()
                            : failure);
        }
    }
}
