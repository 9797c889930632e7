// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.ClientOptions;
import io.millrace.client.ConnectException;
import io.millrace.client.ConnectException.Reason;
import io.millrace.client.Fusion;
import io.millrace.client.Protocol;
import io.millrace.client.RedisUri;
import io.millrace.resp.MalformedReplyException;
import io.millrace.resp.Reply;
import io.millrace.resp.RequestEncoder;
import io.millrace.resp.RespReader;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/**
 * Makes a fresh connection ready in one round trip: {@code HELLO 3 AUTH … SETNAME …}, {@code SELECT}, {@code CLIENT SETINFO}
 * go out in one write. A server that knows no {@code HELLO}, or no RESP3, gets the same in words of RESP2.
 */
final class Handshake {

    private static final System.Logger LOG = System.getLogger("io.millrace.client");

    /** What the server calls us. */
    static final String LIBRARY = "millrace";

    /** So much of a password gives away that it is there. */
    private static final int SECRET_PREFIX = 12;

    /** What servers write in front of arguments that they repeat, of which they may cut off any part. */
    private static final String REPEATED = "args beginning with";

    private final Transport transport;
    private final ClientOptions options;
    private final RedisUri uri;
    private final long began = System.nanoTime();
    private final long deadline;
    private final boolean introduces;
    private final RespReader replies = new RespReader();

    /** What the server said of itself, if it speaks RESP3. */
    private Reply introduction = Reply.Null.NULL;

    private final byte[] buffer = new byte[4_096];

    /**
     * A handshake over {@code transport}.
     *
     * @param introduces whether it tells the server the name of this library
     */
    Handshake(Transport transport, ClientOptions options, long deadline, boolean introduces) {
        this.introduces = introduces;
        this.transport = transport;
        this.options = options;
        this.uri = options.uri();
        this.deadline = deadline;
    }

    /**
     * Does it all.
     *
     * @param wanted what shall be fused
     * @return of these, what the server knows and this user may do
     */
    Set<Fusion> perform(Set<Fusion> wanted) {
        Set<Fusion> fusible = Fusion.NONE;
        try {
            if (options.protocol() == Protocol.RESP2 || !inResp3()) {
                inResp2();
            } else {
                fusible = fusible(wanted);
            }
            if (!replies.atBoundary()) {
                throw failure(Reason.HANDSHAKE, "it answers more than it was asked");
            }
            return fusible;
        } catch (SocketTimeoutException e) {
            long waited = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
            throw failure(Reason.HANDSHAKE, "no answer to HELLO after " + waited + " ms", e);
        } catch (SSLException e) {
            throw failure(Reason.TLS, Connector.describe(e) + ". Does it ask for a client certificate?", e);
        } catch (MalformedReplyException | IOException e) {
            String hint = uri.tls() ? "" : "; a port that speaks TLS wants rediss://";
            throw failure(Reason.HANDSHAKE, Connector.describe(e) + hint, e);
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
        checkSelected(answers);
        introduction = answers.getFirst();
        return true;
    }

    /**
     * Of what is wanted, what the server knows and, where a user has logged in who may have fewer rights than all, what this
     * user may do: asked for in a transaction that is given up. Not begun before it is known that it can be, or the examples
     * would be executed; nor left to itself if it cannot be given up.
     */
    private Set<Fusion> fusible(Set<Fusion> wanted) throws IOException {
        Set<Fusion> known = FusionSupport.of(introduction, wanted);
        if (known.isEmpty() || uri.password().isEmpty() || !mayGiveUp() || !isOk(ask("MULTI"))) {
            return uri.password().isEmpty() ? known : Fusion.NONE;
        }
        List<Fusion> kinds = List.copyOf(known);
        List<Reply> queued = exchange(FusionSupport.examples(kinds));
        if (!isOk(ask("DISCARD"))) {
            throw new IOException("it does not let a transaction be given up");
        }
        Set<Fusion> permitted = EnumSet.noneOf(Fusion.class);
        for (int i = 0; i < kinds.size(); i++) {
            if (FusionSupport.isPermitted(kinds.get(i), queued.get(i))) {
                permitted.add(kinds.get(i));
            }
        }
        return permitted;
    }

    /** Whether DISCARD is refused for no other reason than that there is nothing to give up. */
    private boolean mayGiveUp() throws IOException {
        return ask("DISCARD") instanceof Reply.ErrorReply error
                && error.message().contains("without MULTI");
    }

    private Reply ask(String command) throws IOException {
        return exchange(List.of(List.of(command))).getFirst();
    }

    private static boolean isOk(Reply reply) {
        return reply.equals(Reply.OK);
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
        checkSelected(answers);
    }

    /**
     * {@code first}, then what every connection needs. Database 0 is not selected: it is there anyway, and a user may not be
     * allowed to. Servers before 7.2 do not know SETINFO: its answer is ignored.
     */
    private List<List<String>> withSetUp(List<String> first) {
        List<List<String>> commands = new ArrayList<>();
        commands.add(first);
        if (uri.database() != 0) {
            commands.add(List.of("SELECT", Integer.toString(uri.database())));
        }
        if (introduces) {
            commands.add(List.of("CLIENT", "SETINFO", "LIB-NAME", LIBRARY));
        }
        return commands;
    }

    private List<Reply> exchange(List<List<String>> commands) throws IOException {
        try {
            send(encoded(commands));
        } catch (IOException e) {
            // It has hung up. What it said before that, read now, tells more.
            LOG.log(Level.DEBUG, "a handshake could not be sent", e);
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
                    // A server that is full, or protected, says so unasked and hangs up.
                    if (!answers.isEmpty() && answers.getFirst() instanceof Reply.ErrorReply error) {
                        throw refused(error);
                    }
                    throw new IOException("it closed the connection");
                }
                replies.feed(buffer, 0, count);
            }
        }
        return answers;
    }

    private void send(byte[] request) throws IOException {
        for (int sent = 0; sent < request.length; ) {
            int taken = transport.write(request, sent, request.length - sent);
            sent += taken;
            if (taken == 0) {
                transport.awaitWritable();
            }
        }
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

    private void checkSelected(List<Reply> answers) {
        if (uri.database() != 0 && answers.get(1) instanceof Reply.ErrorReply error) {
            throw failure(Reason.HANDSHAKE, "SELECT " + uri.database() + ": " + words(error));
        }
    }

    /** What the server says; a server that does not know AUTH repeats its arguments, the password among them. */
    private String words(Reply.ErrorReply error) {
        String message = error.message();
        if (uri.password().isEmpty()) {
            return message;
        }
        // An error has no line ends, so a server that repeats them writes blanks; and it cuts what is long.
        String secret = uri.password().get().replaceAll("[\\r\\n]", " ").strip();
        int begun = message.indexOf(secret.substring(0, Math.min(secret.length(), SECRET_PREFIX)));
        int repeated = message.indexOf(REPEATED);
        int end = begun < 0 || repeated < 0 ? Math.max(begun, repeated) : Math.min(begun, repeated);
        return end < 0 ? message : message.substring(0, end) + "…";
    }

    private ConnectException refused(Reply.ErrorReply error) {
        return switch (error.code()) {
            case "NOAUTH" ->
                new ConnectException(
                        Reason.AUTHENTICATION,
                        "cannot log in to " + uri + ": the server asks for a password (NOAUTH). Give one.");
            case "WRONGPASS" ->
                new ConnectException(
                        Reason.AUTHENTICATION,
                        "cannot log in to " + uri + " as user " + uri.user().orElse("default")
                                + ": the server does not accept this user and password (WRONGPASS).");
            case "ERR" ->
                // Before ACLs, and for AUTH on a server that has no password.
                uri.password().isPresent() && error.message().contains("AUTH")
                        ? new ConnectException(Reason.AUTHENTICATION, "cannot log in to " + uri + ": " + words(error))
                        : failure(Reason.HANDSHAKE, words(error));
            default -> failure(Reason.HANDSHAKE, words(error));
        };
    }

    private ConnectException failure(Reason reason, String why) {
        return new ConnectException(reason, useless(why));
    }

    private ConnectException failure(Reason reason, String why, Throwable cause) {
        return new ConnectException(reason, useless(why), cause);
    }

    private String useless(String why) {
        return "cannot talk to " + uri + ": " + why + ".";
    }
}
