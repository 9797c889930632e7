// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Receives the start and the end of each command of a client, for metrics and traces. {@link CommandHistograms} is an
 * implementation. The methods are called by many threads at the same time, but never by a thread that reads replies. So
 * a listener that blocks delays its own caller, and no reply.
 *
 * <p>The client calls both methods for each command that its stats count: commands of {@code call}, {@code send},
 * pipelines and health checks; a transaction is one command with the name {@code EXEC}. Three kinds of commands are
 * excluded: commands of bulk writers, which have a {@link BulkListener} and stats, because a call per command would
 * cost as much as the command; commands of handshakes and renewed logins; subscriptions and trackings.
 *
 * <p>If a method throws an exception, the command is not affected. The client counts the exception in {@link
 * ClientStats#listenerFailures}, and logs the first exception of the listener.
 */
public interface CommandListener {

    /** Receives nothing, and costs nothing. */
    CommandListener NONE = command -> {};

    /**
     * Called by the submitting thread, before the client waits for a permit and before the command is queued. For a
     * pipeline, the client calls this method when it submits the batch of the command.
     *
     * @param name name of the command, such as {@code GET}; a transaction has the name {@code EXEC}
     * @return an object for {@link EndedCommand#context}, such as a span; null if the listener needs none
     */
    default @Nullable Object submitted(String name) {
        return null;
    }

    /**
     * Called once for each command, after {@link #submitted} and before the caller receives the result. For a command
     * of {@code call} or of a transaction, the waiting thread calls this method. For a command of a pipeline, the owner
     * of the pipeline calls this method after the wait for the batch of the command. For a command of {@code send}, the
     * virtual thread or the executor that completes the future calls this method; or the submitting thread, if the
     * command was never queued. If the owner of a pipeline never calls {@code run} again, the listener receives no end of
     * the commands that the owner has not waited for.
     *
     * <p>The method must not use {@code command} after its return, because the client may use the object for the next
     * command.
     */
    void ended(EndedCommand command);

    /**
     * Returns a listener that passes each command to this listener and then to {@code next}. Each of them has its own
     * contexts. If {@link #submitted} of this listener throws an exception, {@code next} does not receive the start of the
     * command, and its context is null.
     */
    default CommandListener andThen(CommandListener next) {
        Objects.requireNonNull(next, "next");
        if (NONE.equals(this)) {
            return next;
        }
        return NONE.equals(next) ? this : new ListenerPair(this, next);
    }
}
