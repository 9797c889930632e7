// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ClientOptions;
import io.millrace.client.Command;
import io.millrace.client.CommandSpec;
import io.millrace.client.ConnectException;
import io.millrace.client.ErrorReplyException;
import io.millrace.client.Replies;
import io.millrace.resp.Reply;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** The first command over a connection, before anybody has it. */
final class WarmUp {

    private static final Command<Reply> INTRODUCTION =
            Command.of(CommandSpec.of("CLIENT SETINFO", Replies::raw), "LIB-NAME", Handshake.LIBRARY);

    private WarmUp() {}

    /**
     * Sends a first command the way all others will go, so that the first of the user's is not the one that loads classes and
     * wakes threads. It tells the server the name of this library; servers before 7.2 do not know it, which does not matter.
     * As part of the handshake it is not counted.
     *
     * @throws ConnectException if the server does not answer
     */
    static void run(SharedConnection connection, Engine engine) {
        ClientOptions options = engine.options();
        long now = connection.now();
        CompletableFuture<Reply> answer = new CompletableFuture<>();
        connection.submit(new PendingCall<>(
                INTRODUCTION,
                now,
                now + options.connectTimeout().toNanos(),
                new Completion<>(answer, engine.completions())));
        try {
            answer.join();
        } catch (CompletionException e) {
            if (!(e.getCause() instanceof ErrorReplyException)) {
                throw new ConnectException(
                        ConnectException.Reason.HANDSHAKE,
                        "cannot use the connection to " + options.uri() + ": " + Connector.describe(e),
                        Objects.requireNonNullElse(e.getCause(), e));
            }
        }
        connection.forgetHandshake();
    }
}
