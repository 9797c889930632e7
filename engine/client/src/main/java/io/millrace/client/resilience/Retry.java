// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.resilience;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import io.millrace.client.internal.time.ClockAndRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Runs a command again after a failure: {@code retry.call(Strings.get("k"), client::call)}. Immutable and thread-safe.
 *
 * <p>A command is run again only if no effect can be doubled, and if the cause of the failure may end soon:
 *
 * <ul>
 *   <li>The command was refused, or its connection was lost before the command was sent, or no server listens.
 *   <li>The server replied with {@code BUSY}, {@code CLUSTERDOWN}, {@code LOADING}, {@code MASTERDOWN},
 *       {@code NOREPLICAS}, {@code READONLY} or {@code TRYAGAIN}, and the command is not a script or function.
 *   <li>The command timed out or may have been executed, or a script received one of these errors, and the command is
 *       {@linkplain Command#idempotently idempotent}. Commands that only read are idempotent.
 * </ul>
 *
 * <p>The client itself repeats a command after some of these errors, within the time limit of the command; see {@link
 * RedisClient#call(Command)}. So a retry repeats such a command only after this time limit.
 *
 * <p>{@link RetryOptions#timeLimit} limits all attempts and delays together. The time limit of the command, or of the
 * client, limits each attempt. A command that the server may block can exceed the time limit by its blocking time. The
 * exception of the last attempt has the exceptions of the earlier attempts as suppressed exceptions. The stats of the
 * client count each attempt as a command.
 */
public final class Retry {

    private final RetryOptions options;
    private final ClockAndRandom clockAndRandom;
    private final Pauses pauses;

    Retry(RetryOptions options, ClockAndRandom clockAndRandom, Pauses pauses) {
        this.options = options;
        this.clockAndRandom = clockAndRandom;
        this.pauses = pauses;
    }

    /** Returns a retry with {@code options}. */
    public static Retry of(RetryOptions options) {
        return new Retry(options, ClockAndRandom.SYSTEM, Pauses.SYSTEM);
    }

    /**
     * Runs {@code command} with {@code caller}, such as {@code client::call}. Blocks until an attempt succeeds or no
     * further attempt is allowed. The thread sleeps between two attempts.
     *
     * @throws RedisException the failure of the last attempt
     * @throws InterruptedCommandException if the thread is interrupted during an attempt or between two attempts
     */
    public <T> T call(Command<T> command, Function<? super Command<T>, ? extends T> caller) {
        Attempts<T> attempts = new Attempts<>(command, options, clockAndRandom);
        while (true) {
            try {
                return caller.apply(attempts.next());
            } catch (RedisException e) {
                long delay = attempts.delayAfter(e);
                if (delay < 0) {
                    throw e;
                }
                sleep(delay, command, attempts, e);
            }
        }
    }

    /**
     * Runs {@code command} with {@code sender}, such as {@code client::send}, without blocking between two attempts. A
     * virtual thread runs each further attempt. If the caller cancels the future, there is no further attempt.
     *
     * @see RedisClient#send(Command)
     */
    public <T> CompletableFuture<T> send(
            Command<T> command, Function<? super Command<T>, ? extends CompletableFuture<T>> sender) {
        CompletableFuture<T> result = new CompletableFuture<>();
        attempt(new Attempts<>(command, options, clockAndRandom), sender, result);
        return result;
    }

    private <T> void attempt(
            Attempts<T> attempts,
            Function<? super Command<T>, ? extends CompletableFuture<T>> sender,
            CompletableFuture<T> result) {
        if (result.isDone()) {
            return;
        }
        CompletableFuture<T> attempt;
        try {
            attempt = sender.apply(attempts.next());
        } catch (RuntimeException | Error e) {
            attempt = CompletableFuture.failedFuture(e);
        }
        CompletableFuture<T> unused = attempt.whenComplete((value, failure) -> {
            if (failure == null) {
                result.complete(value);
                return;
            }
            Throwable cause = FailureRules.unwrapped(failure);
            long delay = cause instanceof RedisException e ? attempts.delayAfter(e) : -1;
            if (delay < 0) {
                result.completeExceptionally(cause);
            } else {
                pauses.later(delay, () -> attempt(attempts, sender, result));
            }
        });
    }

    private void sleep(long nanos, Command<?> command, Attempts<?> attempts, RedisException last) {
        try {
            pauses.sleep(nanos);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedCommandException interrupted = new InterruptedCommandException(
                    "waiting to repeat " + command.spec().name() + " was interrupted after " + attempts.failed()
                            + " failed attempts. The command was not cancelled",
                    last.maybeExecuted());
            attempts.addFailuresTo(interrupted);
            throw interrupted;
        }
    }
}
