// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.client.internal.connect.HandshakeResult;
import io.millrace.client.internal.connect.Login;
import io.millrace.resp.Reply;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Renews the login of one connection for pushes, and separates the replies to {@code AUTH} from the replies to {@code
 * PING}. Used by the thread of the connection only, after the server has confirmed all requests. From then on, each
 * reply that is not a push belongs to an {@code AUTH} or a {@code PING}, in the order in which they were sent.
 *
 * <p>Over RESP2, a subscribed connection must not send {@code AUTH}, and its replies to {@code PING} look like
 * messages. So nothing is renewed there.
 */
final class PushLogin {

    private final Login login;
    private final String connection;
    private final boolean supported;
    private long version;

    /** The commands without a reply: the renewal of an {@code AUTH}, {@link #PING} for a {@code PING}. */
    private final Queue<Object> unanswered = new ArrayDeque<>();

    private static final Object PING = new Object();

    PushLogin(Login login, String connection, HandshakeResult handshakeResult) {
        this.login = login;
        this.connection = connection;
        this.supported = handshakeResult.resp3();
        this.version = handshakeResult.loginVersion();
    }

    /** Returns the {@code AUTH} to send now, with its arguments; null if the login was not renewed. */
    @Nullable
    List<String> nextCommand() {
        if (!supported || version >= login.version()) {
            return null;
        }
        Login.Renewed renewed = login.latest();
        version = renewed.version();
        unanswered.add(renewed);
        List<String> auth = new ArrayList<>(List.of("AUTH"));
        renewed.credentials().user().ifPresent(auth::add);
        auth.add(renewed.credentials().password().orElseThrow());
        return auth;
    }

    /** Records that a {@code PING} is sent. */
    void pinged() {
        if (supported) {
            unanswered.add(PING);
        }
    }

    /** Takes {@code reply} if it belongs to an {@code AUTH}. Returns false if it belongs to anything else. */
    boolean takes(Reply reply) {
        if (!supported || reply instanceof Reply.Push || !(unanswered.poll() instanceof Login.Renewed sent)) {
            return false;
        }
        login.answered(connection, sent, reply);
        return true;
    }
}
