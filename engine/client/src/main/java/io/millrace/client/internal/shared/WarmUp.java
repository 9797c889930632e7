// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.ClientOptions;
import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Replies;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.client.internal.connect.Connector;
import io.millrace.client.internal.connect.Handshake;
import io.millrace.resp.Reply;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Sends the first command over a connection, before callers use the connection. */
public final class WarmUp {

    private static final Command<Reply> SET_LIBRARY_NAME =
            Command.of(CommandSpec.of("CLIENT SETINFO", Replies::raw), "LIB-NAME", Handshake.LIBRARY_NAME);

    private WarmUp() {}

    /**
     * Sends a first command in the same way as the user's commands. So the user's first command does not have to load
     * classes and wake threads. The command sends the name of this library; servers before 7.2 refuse the command, and
     * the refusal is ignored. A missing reply is ignored, too, after one connect timeout: the handshake has succeeded, so
     * the server is only busy, and callers have time limits of their own. The command belongs to the handshake, so the
     * stats do not count it.
     *
     * @throws ConnectException if the connection was lost
     */
    public static void run(SharedConnection connection, ClientOptions options, FutureCompleter futureCompleter) {
        long now = connection.now();
        CompletableFuture<Reply> answer = new CompletableFuture<>();
        PendingCall<Reply> call = new PendingCall<>(
                SET_LIBRARY_NAME,
                now,
                now + options.connectTimeout().toNanos(),
                new FutureCompletion<>(answer, futureCompleter));
        connection.submit(call.withoutRetries());
        try {
            answer.join();
        } catch (CompletionException e) {
            boolean harmless = e.getCause() instanceof ErrorReplyException || e.getCause() instanceof TimedOutException;
            if (!harmless) {
                throw new ConnectException(
                        ConnectException.Reason.HANDSHAKE,
                        "cannot use the connection to " + options.uri() + ": " + Connector.describe(e),
                        Objects.requireNonNullElse(e.getCause(), e));
            }
        }
        connection.endWarmUp();
    }
}
