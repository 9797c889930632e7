// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.RedisUri;
import java.util.stream.Collectors;

/** The text of an endpoint in messages and events. */
public final class EndpointText {

    private EndpointText() {}

    /**
     * Returns {@code host:port}, the path of the Unix socket, {@code name@host:port,host:port} for
     * Sentinels, or {@code host:port,host:port} for a cluster: no user, no password.
     */
    public static String of(RedisUri uri) {
        return switch (uri.endpoint()) {
            case RedisUri.Tcp tcp -> of(tcp);
            case RedisUri.Unix unix -> unix.path().toString();
            case RedisUri.Sentinels sentinels ->
                sentinels.addresses().stream()
                        .map(EndpointText::of)
                        .collect(Collectors.joining(",", sentinels.primary() + "@", ""));
            case RedisUri.Cluster cluster ->
                cluster.nodes().stream().map(EndpointText::of).collect(Collectors.joining(","));
        };
    }

    /** Returns {@code host:port}. */
    public static String of(RedisUri.Tcp tcp) {
        return (tcp.host().indexOf(':') >= 0 ? "[" + tcp.host() + "]" : tcp.host()) + ":" + tcp.port();
    }
}
