// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ClientOptions;
import io.millrace.client.ConnectException;
import io.millrace.client.ConnectException.Reason;
import io.millrace.client.RedisUri;
import io.millrace.resp.MalformedReplyException;
import io.millrace.resp.Reply;
import io.millrace.resp.RequestEncoder;
import io.millrace.resp.RespReader;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Makes a fresh connection ready in one round trip: {@code HELLO 3 AUTH … SETNAME …}, {@code SELECT}, {@code CLIENT SETINFO}
 * go out in one write. A server that knows no {@code HELLO}, or no RESP3, gets the same in words of RESP2.
 */
final class Handshake {

    private final Transport transport;
    private final ClientOptions options;
    private final RedisUri uri;
    private final long deadline;
    private final RespReader replies = new RespReader();
    private final byte[] buffer = new byte[4_096];

    Handshake(Transport transport, ClientOptions options, long deadline) {
        this.transport = transport;
        this.options = options;
        this.uri = options.uri();
        this.deadline = deadline;
    }

    void perform() {
        try {
            if (!inResp3()) {
                inResp2();
            }
            if (!replies.atBoundary()) {
                throw failure(Reason.HANDSHAKE, "it answers more than it was asked", null);
            }
        } catch (SocketTimeoutException e) {
            throw failure(
                    Reason.HANDSHAKE,
                    "no answer to HELLO within " + options.connectTimeout().toMillis() + " ms",
                    e);
        } catch (MalformedReplyException e) {
            throw failure(Reason.HANDSHAKE, Connector.describe(e) + "; a port that speaks TLS wants rediss://", e);
        } catch (IOException e) {
            throw failure(Reason.HANDSHAKE, Connector.describe(e) + "; a port that speaks TLS wants rediss://", e);
        }
    }

    /** Returns false if the server does not speak RESP3. */
    private boolean inResp3() throws IOException {
        List<String> hello = new ArrayList<>(List.of("HELLO", "3"));
        uri.password()
                .ifPresent(password -> hello.addAll(List.of("AUTH", uri.user().orElse("default"), password)));
        hello.addAll(List.of("SETNAME", options.name()));
        List<Reply> answers = exchange(withSetUp(hello));
        if (answers.getFirst() instanceof Reply.ErrorReply error) {
            if (isTooOld(error)) {
                return false;
            }
            throw refused(error);
        }
        checkSelected(answers.get(1));
        return true;
    }

    private void inResp2() throws IOException {
        if (uri.password().isPresent()) {
            List<String> auth = new ArrayList<>(List.of("AUTH"));
            uri.user().ifPresent(auth::add);
            auth.add(uri.password().get());
            if (exchange(List.of(auth)).getFirst() instanceof Reply.ErrorReply error) {
                throw refused(error);
            }
        }
        List<Reply> answers = exchange(withSetUp(List.of("CLIENT", "SETNAME", options.name())));
        if (answers.getFirst() instanceof Reply.ErrorReply error && error.code().equals("NOAUTH")) {
            throw refused(error);
        }
        checkSelected(answers.get(1));
    }

    /** {@code first}, then what every connection needs. Servers before 7.2 do not know SETINFO: its answer is ignored. */
    private List<List<String>> withSetUp(List<String> first) {
        return List.of(
                first,
                List.of("SELECT", Integer.toString(uri.database())),
                List.of("CLIENT", "SETINFO", "LIB-NAME", "millrace"));
    }

    private List<Reply> exchange(List<List<String>> commands) throws IOException {
        byte[] request = encoded(commands);
        for (int sent = 0; sent < request.length; ) {
            sent += transport.write(request, sent, request.length - sent);
        }
        List<Reply> answers = new ArrayList<>();
        while (answers.size() < commands.size()) {
            if (replies.next()) {
                if (!(replies.reply() instanceof Reply.Push)) {
                    answers.add(replies.reply());
                }
            } else {
                int count = transport.readWithin(buffer, Connector.millisUntil(deadline));
                if (count < 0) {
                    throw new IOException("it closed the connection");
                }
                replies.feed(buffer, 0, count);
            }
        }
        return answers;
    }

    private static byte[] encoded(List<List<String>> commands) {
        byte[][] room = {new byte[0]};
        RequestEncoder encoder = new RequestEncoder(bytes -> room[0] = new byte[Math.max(bytes, 1 << 16)]);
        for (List<String> command : commands) {
            encoder.begin(RequestEncoder.encodeName(command.getFirst()), 1);
            for (String argument : command.subList(1, command.size())) {
                encoder.arg(argument);
            }
            encoder.end();
        }
        return java.util.Arrays.copyOf(room[0], encoder.finished());
    }

    private static boolean isTooOld(Reply.ErrorReply error) {
        String message = error.message().toLowerCase(Locale.ROOT);
        return error.code().equals("NOPROTO") || message.contains("unknown command");
    }

    private void checkSelected(Reply reply) {
        if (reply instanceof Reply.ErrorReply error) {
            throw error.code().equals("NOAUTH")
                    ? refused(error)
                    : failure(Reason.HANDSHAKE, "SELECT " + uri.database() + ": " + error.message(), null);
        }
    }

    private ConnectException refused(Reply.ErrorReply error) {
        return switch (error.code()) {
            case "NOAUTH" ->
                new ConnectException(
                        Reason.AUTHENTICATION,
                        "cannot log in to " + uri + ": the server asks for a password (NOAUTH). Give one.",
                        null);
            case "WRONGPASS" ->
                new ConnectException(
                        Reason.AUTHENTICATION,
                        "cannot log in to " + uri + " as user " + uri.user().orElse("default")
                                + ": the server does not accept this user and password (WRONGPASS).",
                        null);
            case "ERR" ->
                // Before ACLs, and for AUTH on a server that has no password.
                uri.password().isPresent() && error.message().contains("AUTH")
                        ? new ConnectException(
                                Reason.AUTHENTICATION, "cannot log in to " + uri + ": " + error.message(), null)
                        : failure(Reason.HANDSHAKE, error.message(), null);
            default -> failure(Reason.HANDSHAKE, error.message(), null);
        };
    }

    private ConnectException failure(Reason reason, String why, @Nullable Throwable cause) {
        return new ConnectException(reason, "cannot talk to " + uri + ": " + why + ".", cause);
    }
}
