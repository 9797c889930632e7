// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Replies;
import io.millrace.resp.Reply;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Reads many entries with few commands. In a cluster, each command has the keys of one hash slot. Thread-safe. */
final class ManyReads<V> {

    private static final CommandSpec<List<Reply>> MGET =
            CommandSpec.of("MGET", Replies::items).idempotently();

    /** Maximum number of keys of one {@code MGET}. While the server executes an {@code MGET}, other commands wait. */
    static final int KEYS_PER_MGET = 1_000;

    private final EntryStore<V> entryStore;
    private final EntryFormat<V> format;
    private final byte[] encodedPrefix;
    private final boolean hasSlots;

    ManyReads(EntryStore<V> entryStore, EntryFormat<V> format, byte[] encodedPrefix) {
        this.entryStore = entryStore;
        this.format = format;
        this.encodedPrefix = encodedPrefix;
        this.hasSlots = SlotGroups.areNeeded(entryStore.client());
    }

    /**
     * The keys of a read.
     *
     * @param begin index of the first key
     * @param end index after the last key
     * @param within time limit of each command
     * @param counts whether the circuit learns the outcome
     */
    record Part(List<String> keys, int begin, int end, Duration within, boolean counts) {}

    /** Reads the keys of {@code part}, and adds the replies to {@code read}, in the order of the keys. */
    void read(Part part, KeyReplies read) {
        RedisClient client = entryStore.client();
        if (!hasSlots && part.end() - part.begin() <= KEYS_PER_MGET) { // a call costs less than a pipeline
            Command<List<Reply>> command = mget(part, range(part.begin(), part.end()), read.checks());
            read.replies().addAll(part.counts() ? entryStore.call(command) : client.call(command));
            return;
        }
        Pipeline pipeline = client.pipeline();
        List<int[]> groups = hasSlots ? bySlot(part) : ranges(part);
        List<Result<List<Reply>>> results = groups.stream()
                .map(group -> pipeline.add(mget(part, group, read.checks())))
                .toList();
        List<Result<?>> unused = part.counts() ? entryStore.run(pipeline) : pipeline.run();
        Reply[] replies = new Reply[part.end() - part.begin()];
        for (int i = 0; i < groups.size(); i++) {
            List<Reply> values = results.get(i).value();
            int[] group = groups.get(i);
            for (int j = 0; j < group.length; j++) {
                replies[group[j] - part.begin()] = values.get(j);
            }
        }
        read.replies().addAll(Arrays.asList(replies));
    }

    private static List<int[]> ranges(Part part) {
        List<int[]> ranges = new ArrayList<>();
        for (int from = part.begin(); from < part.end(); from += KEYS_PER_MGET) {
            ranges.add(range(from, Math.min(part.end(), from + KEYS_PER_MGET)));
        }
        return ranges;
    }

    private static int[] range(int from, int to) {
        return IntStream.range(from, to).toArray();
    }

    private List<int[]> bySlot(Part part) {
        return SlotGroups.of(
                part.begin(), part.end(), i -> entryStore.redisKey(part.keys().get(i)), KEYS_PER_MGET);
    }

    private Command<List<Reply>> mget(Part part, int[] group, long[] checks) {
        Object[] names = new Object[group.length];
        for (int i = 0; i < names.length; i++) {
            names[i] = format.encodedKey(encodedPrefix, part.keys().get(group[i]), checks, group[i]);
        }
        return Command.of(MGET, names).within(part.within());
    }
}
