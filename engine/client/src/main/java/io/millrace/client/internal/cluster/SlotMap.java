// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.KeySlot;
import io.millrace.client.RedisUri;
import io.millrace.client.internal.connect.AnnouncedAddresses;
import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The primary of each slot, as one node of the cluster knows it. Immutable. */
public final class SlotMap {

    private static final short NONE = -1;

    /** Elements of a range in the reply to {@code CLUSTER SLOTS}: first slot, last slot, primary, then replicas. */
    private static final int FIRST_SLOT = 0;

    private static final int LAST_SLOT = 1;
    private static final int PRIMARY = 2;

    /** The primaries without repetition, in the order of their first ranges. */
    private final List<RedisUri.Tcp> primaries;

    /** The index in {@link #primaries} of the owner of each slot; {@link #NONE} if the slot has no owner. */
    private final short[] owners;

    private SlotMap(List<RedisUri.Tcp> primaries, short[] owners) {
        this.primaries = List.copyOf(primaries);
        this.owners = owners;
    }

    /** A map in which no slot has an owner. */
    public static SlotMap empty() {
        short[] owners = new short[KeySlot.COUNT];
        Arrays.fill(owners, NONE);
        return new SlotMap(List.of(), owners);
    }

    /**
     * Reads a reply to {@code CLUSTER SLOTS}. A node whose address the asked node does not know has no slots. Ranges and
     * nodes that cannot be read are ignored.
     *
     * @param asked address of the node that has replied; a node without a host is on this host
     * @param announced reads the addresses that the node names
     */
    public static SlotMap of(Reply reply, RedisUri.Tcp asked, AnnouncedAddresses announced) {
        List<RedisUri.Tcp> primaries = new ArrayList<>();
        short[] owners = new short[KeySlot.COUNT];
        Arrays.fill(owners, NONE);
        for (Reply range : items(reply)) {
            List<Reply> fields = items(range);
            RedisUri.Tcp primary =
                    fields.size() > PRIMARY ? address(items(fields.get(PRIMARY)), asked, announced) : null;
            if (primary != null
                    && fields.get(FIRST_SLOT) instanceof Reply.IntegerReply first
                    && fields.get(LAST_SLOT) instanceof Reply.IntegerReply last
                    && isRange(first.value(), last.value())) {
                short owner = indexOf(primary, primaries);
                Arrays.fill(owners, (int) first.value(), (int) last.value() + 1, owner);
            }
        }
        return new SlotMap(primaries, owners);
    }

    private static boolean isRange(long first, long last) {
        return first >= 0 && first <= last && last < KeySlot.COUNT;
    }

    private static short indexOf(RedisUri.Tcp primary, List<RedisUri.Tcp> primaries) {
        int index = primaries.indexOf(primary);
        if (index < 0) {
            index = primaries.size();
            primaries.add(primary);
        }
        return (short) index;
    }

    private static RedisUri.@Nullable Tcp address(List<Reply> node, RedisUri.Tcp asked, AnnouncedAddresses announced) {
        if (node.size() < 2 || !(node.get(1) instanceof Reply.IntegerReply port)) {
            return null;
        }
        String host = node.getFirst() instanceof Reply.BulkString text ? text.text() : "";
        return announced.read(host, port.value(), asked);
    }

    private static List<Reply> items(Reply reply) {
        return reply instanceof Reply.ArrayReply array ? array.items() : List.of();
    }

    /** Returns a map in which each slot of {@code changes} has another owner. */
    public SlotMap with(Map<Integer, RedisUri.Tcp> changes) {
        if (changes.isEmpty()) {
            return this;
        }
        List<RedisUri.Tcp> all = new ArrayList<>(primaries);
        short[] changed = owners.clone();
        changes.forEach((slot, owner) -> changed[slot] = indexOf(owner, all));
        return new SlotMap(all, changed);
    }

    /** The owner of {@code slot}; null if the slot has none. */
    public RedisUri.@Nullable Tcp ownerOf(int slot) {
        short owner = owners[slot];
        return owner == NONE ? null : primaries.get(owner);
    }

    /** The primaries that have slots, or had slots when this map was made. */
    public List<RedisUri.Tcp> primaries() {
        return primaries;
    }

    /** Number of slots without an owner. */
    public int unowned() {
        int unowned = 0;
        for (short owner : owners) {
            unowned += owner == NONE ? 1 : 0;
        }
        return unowned;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof SlotMap that && primaries.equals(that.primaries) && Arrays.equals(owners, that.owners);
    }

    @Override
    public int hashCode() {
        return 31 * primaries.hashCode() + Arrays.hashCode(owners);
    }

    @Override
    public String toString() {
        return "SlotMap[primaries=" + primaries + ", unowned=" + unowned() + "]";
    }
}
