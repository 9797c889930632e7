// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.Credentials;
import io.millrace.client.RedisUri;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
import io.millrace.resp.Reply;

/** Converts error replies of a login to exceptions and messages without secrets. */
record LoginErrors(RedisUri uri, Credentials credentials) {

    /**
     * An error reply is searched for this number of characters from the start of the password. Servers may truncate the
     * rest.
     */
    private static final int SECRET_PREFIX = 12;

    /**
     * Text in some error replies. After this text, the server repeats the arguments of the failed command, and may
     * truncate them.
     */
    private static final String REPEATED = "args beginning with";

    /**
     * Returns the server's message without secrets: a server that does not know AUTH repeats its arguments, including
     * the password.
     */
    String withoutSecrets(Reply.ErrorReply error) {
        String message = error.message();
        if (credentials.password().isEmpty()) {
            return message;
        }
        // An error reply has no line breaks, so the server replaces the line breaks of the password by blanks. The
        // server also truncates long arguments.
        String secret = credentials.password().get().replaceAll("[\\r\\n]", " ").strip();
        int secretAt = message.indexOf(secret.substring(0, Math.min(secret.length(), SECRET_PREFIX)));
        int repeatedAt = message.indexOf(REPEATED);
        int end = secretAt < 0 || repeatedAt < 0 ? Math.max(secretAt, repeatedAt) : Math.min(secretAt, repeatedAt);
        return end < 0 ? message : message.substring(0, end) + "…";
    }

    /** Returns the exception for an error reply to a command of the handshake. */
    ConnectException refused(Reply.ErrorReply error) {
        return switch (error.code()) {
            case "NOAUTH" ->
                new ConnectException(
                        Reason.AUTHENTICATION,
                        "cannot log in to " + uri + ": the server asks for a password (NOAUTH). Give a password.");
            case "WRONGPASS" ->
                new ConnectException(
                        Reason.AUTHENTICATION,
                        "cannot log in to " + uri + " as user "
                                + credentials.user().orElse("default")
                                + ": the server does not accept this user and password (WRONGPASS).");
            case "ERR" ->
                // Two kinds of servers reply to AUTH with the code ERR if they refuse the login: servers without ACLs,
                // and servers that have no password.
                credentials.password().isPresent() && error.message().contains("AUTH")
                        ? new ConnectException(
                                Reason.AUTHENTICATION, "cannot log in to " + uri + ": " + withoutSecrets(error))
                        : handshakeFailure(withoutSecrets(error));
            default -> handshakeFailure(withoutSecrets(error));
        };
    }

    ConnectException handshakeFailure(String why) {
        return new ConnectException(Reason.HANDSHAKE, text(why));
    }

    ConnectException failure(Reason reason, String why, Throwable cause) {
        return new ConnectException(reason, text(why), cause);
    }

    private String text(String why) {
        return "cannot talk to " + uri + ": " + why + ".";
    }
}
