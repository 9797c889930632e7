// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.connect;

import io.millrace.client.RedisUri;
import io.millrace.resp.Reply;
import org.jspecify.annotations.Nullable;

/**
 * Reads the replies and messages of a Sentinel.
 *
 * @param announced reads the addresses that the Sentinel names
 */
public record SentinelReplies(AnnouncedAddresses announced) {

    /** Reads the reply to {@code SENTINEL GET-MASTER-ADDR-BY-NAME}: host and port. Returns null for any other reply. */
    public RedisUri.@Nullable Tcp address(Reply reply) {
        return reply instanceof Reply.ArrayReply array
                        && array.items().size() == 2
                        && array.items().get(0) instanceof Reply.BulkString host
                        && array.items().get(1) instanceof Reply.BulkString port
                ? address(host.text(), port.text())
                : null;
    }

    /**
     * Reads a message of the channel {@code +switch-master}: name, old host, old port, new host, new port. Returns the new
     * address if the message is about {@code primary}, and null otherwise.
     */
    public RedisUri.@Nullable Tcp switched(String message, String primary) {
        String[] fields = message.split(" ", -1);
        return fields.length == 5 && fields[0].equals(primary) ? address(fields[3], fields[4]) : null;
    }

    private RedisUri.@Nullable Tcp address(String host, String port) {
        return port.matches("[0-9]{1,5}") ? announced.read(host, Integer.parseInt(port)) : null;
    }
}
