// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.KeySlot;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/** Groups Redis keys by hash slot, because a command to a cluster has the keys of one slot. */
final class SlotGroups {

    private SlotGroups() {}

    /** Whether the commands of {@code client} need groups. */
    static boolean areNeeded(RedisClient client) {
        return client.options().uri().endpoint() instanceof RedisUri.Cluster;
    }

    /**
     * Returns groups of the numbers from {@code begin} to {@code end}, exclusive. The keys of a group have one slot.
     *
     * @param redisKey returns the Redis key of a number
     * @param most maximum size of a group
     */
    static List<int[]> of(int begin, int end, IntFunction<String> redisKey, int most) {
        List<List<Integer>> groups = new ArrayList<>();
        Map<Integer, List<Integer>> open = new HashMap<>();
        for (int i = begin; i < end; i++) {
            int slot = KeySlot.of(redisKey.apply(i));
            List<Integer> group = open.get(slot);
            if (group == null || group.size() == most) {
                group = new ArrayList<>();
                open.put(slot, group);
                groups.add(group);
            }
            group.add(i);
        }
        return groups.stream()
                .map(group -> group.stream().mapToInt(Integer::intValue).toArray())
                .toList();
    }
}
