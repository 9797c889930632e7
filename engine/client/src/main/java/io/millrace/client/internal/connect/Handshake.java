// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.ClientOptions;
import io.millrace.client.Credentials;
import io.millrace.client.Protocol;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Fusion;
import io.millrace.client.exception.ConnectException.Reason;
import io.millrace.client.internal.fusion.FusionDecision;
import io.millrace.client.internal.fusion.FusionSupport;
import io.millrace.client.internal.fusion.PermissionTest;
import io.millrace.resp.MalformedReplyException;
import io.millrace.resp.Reply;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/**
 * Makes a new connection ready in one round trip: {@code HELLO 3 AUTH … SETNAME …}, {@code SELECT}, {@code CLIENT
 * SETINFO} are sent in one write. For a server without {@code HELLO} or RESP3, the same settings are sent as RESP2
 * commands. If commands may be fused, one more round trip tests the permissions of the user.
 */
public final class Handshake {

    /** The library name that is sent to the server. */
    public static final String LIBRARY_NAME = "millrace";

    /** Name of the step in which the client tests the permissions for fused commands. */
    private static final String PERMISSION_TEST = "the permission test for fusion";

    private final Exchange exchange;
    private final ClientOptions options;
    private final RedisUri uri;
    private final Credentials credentials;
    private final LoginErrors errors;
    private final ConnectLimit limit;
    private final long startNanos;
    private final boolean sendsLibraryName;

    /** The reply to HELLO; a null reply if RESP3 is not used. */
    private Reply helloReply = Reply.Null.NULL;

    private ServerRole role = ServerRole.UNKNOWN;

    /** Name of the current step in messages. */
    private String step = "HELLO";

    /**
     * Creates a handshake over {@code transport}.
     *
     * @param credentials the credentials of the login
     * @param sendsLibraryName whether the handshake sends the name of this library
     */
    Handshake(
            Transport transport,
            ClientOptions options,
            Credentials credentials,
            ConnectLimit limit,
            boolean sendsLibraryName) {
        this.sendsLibraryName = sendsLibraryName;
        this.exchange = new Exchange(transport, limit);
        this.options = options;
        this.uri = options.uri();
        this.credentials = credentials;
        this.errors = new LoginErrors(uri, credentials);
        this.limit = limit;
        this.startNanos = limit.now();
    }

    /**
     * Performs the handshake.
     *
     * @param wanted kinds of commands to fuse
     * @param asksRole whether the role of the server is needed
     * @return the fusion kinds in {@code wanted} that the server supports and this user may run
     */
    FusionDecision perform(Set<Fusion> wanted, boolean asksRole) {
        FusionDecision fusible;
        try {
            if (options.protocol() == Protocol.RESP2 || !setUpResp3()) {
                setUpResp2();
                fusible = FusionSupport.overResp2(wanted);
            } else {
                fusible = fusible(wanted);
            }
            role = readRole(asksRole);
            if (!exchange.isAtBoundary()) {
                throw errors.handshakeFailure("the server sent more replies than the client sent commands");
            }
            return fusible;
        } catch (SocketTimeoutException e) {
            long waited = TimeUnit.NANOSECONDS.toMillis(limit.now() - startNanos);
            throw errors.failure(Reason.HANDSHAKE, "no answer to " + step + " after " + waited + " ms", e);
        } catch (SSLException e) {
            throw errors.failure(
                    Reason.TLS, Connector.describe(e) + ". Check whether the server requires a client certificate", e);
        } catch (MalformedReplyException | IOException e) {
            String hint = uri.tls() ? "" : "; if this port speaks TLS, use rediss://";
            if (step.equals(PERMISSION_TEST)) {
                hint = " during " + step + ". If a proxy does not support these commands, turn fusion off";
            }
            throw errors.failure(Reason.HANDSHAKE, Connector.describe(e) + hint, e);
        }
    }

    /** Returns false if the server does not speak RESP3. */
    private boolean setUpResp3() throws IOException {
        List<String> hello = new ArrayList<>(List.of("HELLO", "3"));
        credentials
                .password()
                .ifPresent(password ->
                        hello.addAll(List.of("AUTH", credentials.user().orElse("default"), password)));
        hello.addAll(List.of("SETNAME", options.name()));
        List<Reply> answers = exchange(withSetUp(hello));
        if (answers.getFirst() instanceof Reply.ErrorReply error) {
            if (isTooOld(error)) {
                return false;
            }
            throw errors.refused(error);
        }
        checkSelected(answers);
        helloReply = answers.getFirst();
        return true;
    }

    /**
     * Returns which kinds in {@code wanted} the server supports and this user may run. The permissions of any user may
     * be limited, including the permissions of a default user without a password. So they are tested, in one round
     * trip.
     */
    private FusionDecision fusible(Set<Fusion> wanted) throws IOException {
        PermissionTest test = new PermissionTest(FusionSupport.of(helloReply, wanted));
        List<List<String>> commands = test.commands();
        step = PERMISSION_TEST;
        List<Reply> replies = commands.isEmpty() ? List.of() : exchange(commands);
        if (test.leavesTransactionOpen(replies)
                && exchange(List.of(List.of("EXEC"))).getFirst() instanceof Reply.ErrorReply error
                && error.code().equals("NOPERM")) {
            throw errors.handshakeFailure(
                    "the user may run MULTI, but neither DISCARD nor EXEC. Permit DISCARD, or turn fusion off");
        }
        return test.decide(replies);
    }

    /** Returns the role of the server. Over RESP2, asks only if {@code asks}; the user may lack the permission. */
    private ServerRole readRole(boolean asks) throws IOException {
        if (isResp3()) {
            return FusionSupport.field(helloReply, "role").map(ServerRole::of).orElse(ServerRole.UNKNOWN);
        }
        step = "ROLE";
        return asks ? ServerRole.ofRoleReply(exchange(List.of(List.of("ROLE"))).getFirst()) : ServerRole.UNKNOWN;
    }

    /** After {@link #perform}: returns the role of the server. */
    ServerRole role() {
        return role;
    }

    private void setUpResp2() throws IOException {
        if (credentials.password().isPresent()) {
            List<String> auth = new ArrayList<>(List.of("AUTH"));
            credentials.user().ifPresent(auth::add);
            auth.add(credentials.password().get());
            if (exchange(List.of(auth)).getFirst() instanceof Reply.ErrorReply error) {
                throw errors.refused(error);
            }
        }
        List<Reply> answers = exchange(withSetUp(List.of("CLIENT", "SETNAME", options.name())));
        if (answers.getFirst() instanceof Reply.ErrorReply error && error.code().equals("NOAUTH")) {
            throw errors.refused(error);
        }
        checkSelected(answers);
    }

    /**
     * Returns {@code first}, followed by the commands that set up the connection. SELECT is not sent for database 0:
     * this database is the default, and the user may lack the permission for SELECT. Servers before 7.2 do not know
     * SETINFO, so its reply is ignored.
     */
    private List<List<String>> withSetUp(List<String> first) {
        List<List<String>> commands = new ArrayList<>();
        commands.add(first);
        if (uri.database() != 0) {
            commands.add(List.of("SELECT", Integer.toString(uri.database())));
        }
        if (sendsLibraryName) {
            commands.add(List.of("CLIENT", "SETINFO", "LIB-NAME", LIBRARY_NAME));
        }
        return commands;
    }

    private List<Reply> exchange(List<List<String>> commands) throws IOException {
        List<Reply> answers = exchange.repliesTo(commands);
        if (answers.size() == commands.size()) {
            return answers;
        }
        // A server that has too many clients, or is in protected mode, does not wait for a command: it sends an error
        // and
        // closes the connection.
        if (!step.equals(PERMISSION_TEST)
                && !answers.isEmpty()
                && answers.getFirst() instanceof Reply.ErrorReply error) {
            throw errors.refused(error);
        }
        throw new IOException("the server closed the connection");
    }

    /** After {@link #perform}: returns whether the server speaks RESP3. */
    boolean isResp3() {
        return !helloReply.equals(Reply.Null.NULL);
    }

    private static boolean isTooOld(Reply.ErrorReply error) {
        String message = error.message().toLowerCase(Locale.ROOT);
        return error.code().equals("NOPROTO") || message.contains("unknown command");
    }

    private void checkSelected(List<Reply> answers) {
        if (uri.database() != 0 && answers.get(1) instanceof Reply.ErrorReply error) {
            throw errors.handshakeFailure("SELECT " + uri.database() + ": " + errors.withoutSecrets(error));
        }
    }
}
