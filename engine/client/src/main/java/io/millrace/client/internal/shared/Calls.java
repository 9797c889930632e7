// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Outcome;
import io.millrace.client.command.Command;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waits for the outcomes of calls. */
public final class Calls {

    private Calls() {}

    /** Waits for {@code future}, and returns its value or throws its exception. */
    public static <T> T await(Command<?> command, CompletableFuture<T> future) {
        try {
            return future.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedCommandException(
                    "waiting for " + command.spec().name() + " was interrupted. The command was not cancelled", true);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RedisException failure) {
                throw failure;
            }
            throw new IllegalStateException(command.spec().name() + " failed", e.getCause());
        }
    }

    /** Waits for the submitted {@code call}, and returns its value or throws the exception for its outcome. */
    public static <T> T await(PendingCall<T> call) {
        String name = call.command().spec().name();
        if (!call.await()) {
            throw Failures.interrupted(name, call);
        }
        if (call.decided(0) instanceof Outcome.Refused && Thread.currentThread().isInterrupted()) {
            throw Failures.interruptedBefore(name, call);
        }
        return call.value();
    }
}
