// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.RedisUri;

/** The text of an endpoint in messages and events. */
public final class EndpointText {

    private EndpointText() {}

    /** Returns {@code host:port} or the path of the Unix socket: no user, no password. */
    public static String of(RedisUri uri) {
        return switch (uri.endpoint()) {
            case RedisUri.Tcp tcp ->
                (tcp.host().indexOf(':') >= 0 ? "[" + tcp.host() + "]" : tcp.host()) + ":" + tcp.port();
            case RedisUri.Unix unix -> unix.path().toString();
        };
    }
}
