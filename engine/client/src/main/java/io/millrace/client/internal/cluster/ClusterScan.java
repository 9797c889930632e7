// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.KeySlot;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.client.command.ScanPage;
import io.millrace.client.exception.UnexpectedReplyException;
import io.millrace.client.internal.connect.EndpointText;
import io.millrace.resp.Reply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One page of a scan of all primaries, one primary after the other, in the order of their lowest slots. The cursor of the caller
 * has three parts: the cursor of a primary, the lowest slot of this primary, and its address: {@code 1024@5461@10.0.0.7:6379}.
 *
 * <p>If another node has the slot now, as after a failover, the scan begins again with the keys of that node: its cursors are
 * others. If slots move to other primaries during a scan, the scan may miss keys.
 *
 * @param node the primary of this page
 * @param cursor cursor for this primary
 * @param slot lowest slot of the primary at the time of its first page
 * @param nextSlot lowest slot of the primary after this one; {@link #END} if there is none
 * @param next the primary after this one; null if there is none
 */
record ClusterScan(RedisUri.Tcp node, String cursor, int slot, int nextSlot, RedisUri.@Nullable Tcp next) {

    private static final int END = -1;

    private static final Pattern CURSOR = Pattern.compile("([0-9]+)@([0-9]{1,5})@(.+)");

    static boolean isScan(Command<?> command) {
        return command.spec().name().toUpperCase(Locale.ROOT).equals("SCAN");
    }

    /**
     * Reads a cursor.
     *
     * @param cursor the cursor of the caller
     * @param map the owners of the slots, at least one
     * @throws IllegalArgumentException if {@code cursor} is no cursor of a cluster
     */
    static ClusterScan of(String cursor, SlotMap map) {
        SortedMap<Integer, RedisUri.Tcp> order = byLowestSlot(map);
        if (cursor.equals(ScanPage.START)) {
            return page(order.values().iterator().next(), ScanPage.START, order.firstKey(), order);
        }
        Matcher parts = CURSOR.matcher(cursor);
        int slot = parts.matches() ? Integer.parseInt(parts.group(2)) : KeySlot.COUNT;
        if (slot >= KeySlot.COUNT) {
            throw new IllegalArgumentException("the cursor of a scan over a cluster must be " + ScanPage.START
                    + ", or the cursor of the page before: cursor=" + cursor);
        }
        RedisUri.Tcp owner = map.ownerOf(slot);
        if (owner == null) {
            throw new IllegalArgumentException("the scan cannot continue, because slot " + slot
                    + " has no node any more. Begin the scan again: cursor=" + cursor);
        }
        boolean same = EndpointText.of(owner).equals(parts.group(3));
        return page(owner, same ? parts.group(1) : ScanPage.START, slot, order);
    }

    private static SortedMap<Integer, RedisUri.Tcp> byLowestSlot(SlotMap map) {
        SortedMap<Integer, RedisUri.Tcp> order = new TreeMap<>();
        Set<RedisUri.Tcp> seen = new HashSet<>();
        for (int slot = 0; slot < KeySlot.COUNT; slot++) {
            RedisUri.Tcp owner = map.ownerOf(slot);
            if (owner != null && seen.add(owner)) {
                order.put(slot, owner);
            }
        }
        return order;
    }

    private static ClusterScan page(
            RedisUri.Tcp node, String cursor, int slot, SortedMap<Integer, RedisUri.Tcp> order) {
        for (Map.Entry<Integer, RedisUri.Tcp> later : order.tailMap(slot + 1).entrySet()) {
            if (!later.getValue().equals(node)) {
                return new ClusterScan(node, cursor, slot, later.getKey(), later.getValue());
            }
        }
        return new ClusterScan(node, cursor, slot, END, null);
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
            return text(end, slot, node);
        }
        return next == null ? ScanPage.START : text(ScanPage.START, nextSlot, next);
    }

    private static String text(String cursor, int slot, RedisUri.Tcp node) {
        return cursor + "@" + slot + "@" + EndpointText.of(node);
    }
}
