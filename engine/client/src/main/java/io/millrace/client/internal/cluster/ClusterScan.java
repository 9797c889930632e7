// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.client.command.ScanPage;
import io.millrace.client.exception.UnexpectedReplyException;
import io.millrace.client.internal.connect.EndpointText;
import io.millrace.resp.Reply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One page of a scan of all primaries, one primary after the other. The cursor of the caller is the cursor of a primary and
 * the address of this primary: {@code 1024@10.0.0.7:6379}. The scan visits the primaries in the order of their addresses.
 *
 * @param node the primary of this page
 * @param cursor cursor for this primary
 * @param next the primary after {@code node}; null if there is none
 */
record ClusterScan(RedisUri.Tcp node, String cursor, RedisUri.@Nullable Tcp next) {

    static boolean isScan(Command<?> command) {
        return command.spec().name().toUpperCase(Locale.ROOT).equals("SCAN");
    }

    /**
     * Reads a cursor. If the primary of the cursor has left the cluster, the scan continues with the first page of the next
     * primary.
     *
     * @param cursor the cursor of the caller
     * @param primaries the primaries of the cluster, one or more
     * @throws IllegalArgumentException if {@code cursor} is no cursor of a cluster
     */
    static ClusterScan of(String cursor, List<RedisUri.Tcp> primaries) {
        List<RedisUri.Tcp> order = new ArrayList<>(primaries);
        order.sort(Comparator.comparing(EndpointText::of));
        if (cursor.equals(ScanPage.START)) {
            return new ClusterScan(order.getFirst(), cursor, after(order.getFirst(), order));
        }
        int at = cursor.indexOf('@');
        if (at < 0) {
            throw new IllegalArgumentException("the cursor of a scan over a cluster must be " + ScanPage.START
                    + ", or the cursor of the page before: cursor=" + cursor);
        }
        String address = cursor.substring(at + 1);
        for (RedisUri.Tcp node : order) {
            int order1 = EndpointText.of(node).compareTo(address);
            if (order1 >= 0) {
                return new ClusterScan(
                        node, order1 == 0 ? cursor.substring(0, at) : ScanPage.START, after(node, order));
            }
        }
        return new ClusterScan(order.getLast(), ScanPage.START, null);
    }

    private static RedisUri.@Nullable Tcp after(RedisUri.Tcp node, List<RedisUri.Tcp> order) {
        int index = order.indexOf(node) + 1;
        return index < order.size() ? order.get(index) : null;
    }

    /** The reply of the primary, with the cursor of the caller. */
    Reply page(Reply reply) {
        if (!(reply instanceof Reply.ArrayReply array)
                || array.items().isEmpty()
                || !(array.items().getFirst() instanceof Reply.BulkString end)) {
            throw new UnexpectedReplyException("a cursor and an array", reply);
        }
        List<Reply> items = new ArrayList<>(array.items());
        items.set(0, new Reply.BulkString(nextCursor(end.text()).getBytes(StandardCharsets.UTF_8)));
        return new Reply.ArrayReply(items);
    }

    private String nextCursor(String end) {
        if (!end.equals(ScanPage.START)) {
            return end + "@" + EndpointText.of(node);
        }
        return next == null ? ScanPage.START : ScanPage.START + "@" + EndpointText.of(next);
    }
}
