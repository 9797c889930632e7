// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.internal.connect.HandshakeResult;
import io.millrace.client.internal.connect.Login;
import io.millrace.resp.Reply;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Renews the login of one connection for pushes, and matches replies with {@code AUTH} and {@code PING}. Used by the
 * thread of the connection only, after the server has confirmed the first requests. While no other request is
 * unanswered, each reply that is not a push belongs to an {@code AUTH} or a {@code PING}, in the order in which they
 * were sent.
 *
 * <p>Over RESP2, a subscribed connection must not send {@code AUTH}. So nothing is renewed there.
 */
final class PushLogin {

    private final Login login;
    private final String connection;
    private final boolean resp3;
    private long version;

    /** The commands without a reply: the renewal of an {@code AUTH}, {@link #PING} for a {@code PING}. */
    private final Queue<Object> unanswered = new ArrayDeque<>();

    private static final Object PING = new Object();

    PushLogin(Login login, String connection, HandshakeResult handshakeResult) {
        this.login = login;
        this.connection = connection;
        this.resp3 = handshakeResult.resp3();
        this.version = handshakeResult.loginVersion();
    }

    /** Returns the {@code AUTH} to send now; null if the login was not renewed. */
    @Nullable
    PushRequest nextCommand() {
        if (!resp3 || version >= login.version()) {
            return null;
        }
        Login.Renewed renewed = login.latest();
        version = renewed.version();
        unanswered.add(renewed);
        String password = renewed.credentials().password().orElseThrow();
        return renewed.credentials()
                .user()
                .map(user -> PushRequest.of("AUTH", user, password))
                .orElseGet(() -> PushRequest.of("AUTH", password));
    }

    /** Records that a {@code PING} is sent. */
    void pinged() {
        unanswered.add(PING);
    }

    /** Whether every {@code AUTH} and {@code PING} is answered. */
    boolean isAnswered() {
        return unanswered.isEmpty();
    }

    /** Takes {@code reply} if it belongs to an {@code AUTH}. Returns false if it belongs to anything else. */
    boolean takes(Reply reply) {
        if (isMessage(reply) || !(unanswered.poll() instanceof Login.Renewed sent)) {
            return false;
        }
        login.answered(connection, sent, reply);
        return true;
    }

    /** Whether {@code reply} is a push. RESP2 sends pushes as arrays, and also the reply to a {@code PING}. */
    private static boolean isMessage(Reply reply) {
        return reply instanceof Reply.Push
                || (reply instanceof Reply.ArrayReply array
                        && !PushFields.text(array.items(), 0).equals("pong"));
    }
}
