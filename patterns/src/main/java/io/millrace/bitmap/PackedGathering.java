// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.RedisClient;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Marks that come together in blocks, which are let go of one by one when they are sent. */
final class PackedGathering implements Store.Gathering {

    private final RedisClient client;
    private final PackedKeys keys;
    private final Map<Source, Map<Long, BlockMarks>> gathered = new LinkedHashMap<>();
    private long bytes;

    // Where the last mark went: the next one often goes there too.
    private @Nullable Source source;
    private Map<Long, BlockMarks> blocks = Map.of();
    private long block = -1;
    private BlockMarks marks = new BlockMarks();

    PackedGathering(RedisClient client, PackedKeys keys) {
        this.client = client;
        this.keys = keys;
    }

    @Override
    public void add(Source to, long id) {
        if (!to.equals(source)) {
            source = to;
            blocks = gathered.computeIfAbsent(to, added -> new HashMap<>());
            block = -1;
        }
        long number = id >>> Blocks.SHIFT;
        if (number != block) {
            block = number;
            marks = blocks.computeIfAbsent(number, this::newBlock);
        }
        long before = marks.bytes();
        if (marks.add((int) (id & (Blocks.BITS - 1)))) {
            bytes += marks.bytes() - before;
        }
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public long send() {
        source = null;
        blocks = Map.of();
        marks = new BlockMarks();
        bytes = 0;
        try (BlockAdder adder = new BlockAdder(client, keys)) {
            Iterator<Map.Entry<Source, Map<Long, BlockMarks>>> all =
                    gathered.entrySet().iterator();
            while (all.hasNext()) {
                Map.Entry<Source, Map<Long, BlockMarks>> next = all.next();
                TreeMap<Long, BlockMarks> lastFirst = new TreeMap<>(next.getValue());
                next.getValue().clear();
                while (!lastFirst.isEmpty()) {
                    Map.Entry<Long, BlockMarks> last = lastFirst.pollLastEntry();
                    adder.add(next.getKey(), last.getKey(), last.getValue());
                }
                all.remove();
            }
            return adder.finish();
        }
    }

    private BlockMarks newBlock(long number) {
        BlockMarks added = new BlockMarks();
        bytes += added.bytes();
        return added;
    }
}
