// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.resp.Reply;
import java.util.Locale;

/** The role of a server in replication. */
public enum ServerRole {
    /** The server accepts writes. */
    PRIMARY,
    /** The server usually refuses writes with {@code READONLY}. */
    REPLICA,
    /** The client has not asked for the role, or the user must not ask. */
    UNKNOWN;

    /** Converts the name of a role, as {@code HELLO} and {@code ROLE} return it. Proxies may return any text. */
    static ServerRole of(String name) {
        return switch (name.toLowerCase(Locale.ROOT)) {
            case "master" -> PRIMARY;
            case "replica", "slave" -> REPLICA;
            default -> UNKNOWN;
        };
    }

    /** Converts the reply to {@code ROLE}: an array that begins with the name of the role. */
    static ServerRole ofRoleReply(Reply reply) {
        return reply instanceof Reply.ArrayReply array
                        && !array.items().isEmpty()
                        && array.items().getFirst() instanceof Reply.BulkString name
                ? of(name.text())
                : UNKNOWN;
    }
}
