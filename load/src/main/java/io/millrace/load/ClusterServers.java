// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.DedicatedConnection;
import io.millrace.client.KeySlot;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.client.exception.RedisException;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Asks each primary of a cluster. A command without a key otherwise goes to any one node. Thread-safe. */
final class ClusterServers {

    private static final Duration TIMEOUT = Duration.ofSeconds(1);

    /** Elements of a range in the reply to {@code CLUSTER SLOTS}: first slot, last slot, primary, then replicas. */
    private static final int PRIMARY = 2;

    private ClusterServers() {}

    /** Whether the URI of {@code client} names a cluster. */
    static boolean isCluster(RedisClient client) {
        return isCluster(client.options().uri());
    }

    static boolean isCluster(RedisUri uri) {
        return uri.endpoint() instanceof RedisUri.Cluster;
    }

    /** The number of servers that store the rows of {@code client}; 1 if the cluster does not reply within a second. */
    static int count(RedisClient client) {
        if (!isCluster(client)) {
            return 1;
        }
        try {
            return Math.max(1, firstSlots(client, TIMEOUT).size());
        } catch (RedisException e) {
            return 1;
        }
    }

    /**
     * Sends {@code command} to each primary. Blocks until all replies have arrived.
     *
     * @param limit longest wait for each reply
     * @throws RedisException if a primary does not reply in time, or replies with an error
     */
    static <T> List<T> callEach(RedisClient client, Command<T> command, Duration limit) {
        List<T> replies = new ArrayList<>();
        for (int slot : firstSlots(client, limit)) {
            try (DedicatedConnection connection = client.borrow(keyOf(slot))) {
                replies.add(connection.call(command.within(limit)));
            }
        }
        return replies;
    }

    /** A slot of each primary. */
    private static Collection<Integer> firstSlots(RedisClient client, Duration limit) {
        Map<Reply, Integer> slots = new LinkedHashMap<>();
        for (Reply range : items(client.call(Command.of("CLUSTER SLOTS").within(limit)))) {
            List<Reply> fields = items(range);
            if (fields.size() > PRIMARY && fields.getFirst() instanceof Reply.IntegerReply first) {
                slots.putIfAbsent(fields.get(PRIMARY), (int) first.value());
            }
        }
        return slots.values();
    }

    private static List<Reply> items(Reply reply) {
        return reply instanceof Reply.ArrayReply array ? array.items() : List.of();
    }

    /** A key with this slot. */
    private static String keyOf(int slot) {
        int number = 0;
        while (KeySlot.of(Integer.toString(number)) != slot) {
            number++;
        }
        return Integer.toString(number);
    }
}
