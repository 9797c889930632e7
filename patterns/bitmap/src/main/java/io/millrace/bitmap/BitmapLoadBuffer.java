// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.RedisClient;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Collects marks in blocks. {@link #send} frees the memory of one block after the other. */
final class BitmapLoadBuffer implements ActivityStore.LoadBuffer {

    private final RedisClient client;
    private final BitmapKeys keys;
    private final SparseChunks sparse;
    private final Map<EventSpan, Map<Long, BlockBuffer>> gathered = new LinkedHashMap<>();
    private long bytes;

    // The event span and block of the last mark. The next mark often has the same event span and block.
    private @Nullable EventSpan eventSpan;
    private Map<Long, BlockBuffer> blocks = Map.of();
    private long block = -1;
    private BlockBuffer marks;

    BitmapLoadBuffer(RedisClient client, BitmapKeys keys, SparseChunks sparse) {
        this.client = client;
        this.keys = keys;
        this.sparse = sparse;
        this.marks = new BlockBuffer(keys.size());
    }

    @Override
    public void add(EventSpan to, long id) {
        if (!to.equals(eventSpan)) {
            eventSpan = to;
            blocks = gathered.computeIfAbsent(to, added -> new HashMap<>());
            block = -1;
        }
        long number = keys.size().block(id);
        if (number != block) {
            block = number;
            marks = blocks.computeIfAbsent(number, this::newBlock);
        }
        long before = marks.bytes();
        if (marks.add(keys.size().offset(id))) {
            bytes += marks.bytes() - before;
        }
    }

    @Override
    public long bytes() {
        return bytes;
    }

    @Override
    public MarkCounts send() {
        eventSpan = null;
        blocks = Map.of();
        marks = new BlockBuffer(keys.size());
        bytes = 0;
        try (BlockWriter adder = new BlockWriter(client, keys)) {
            Iterator<Map.Entry<EventSpan, Map<Long, BlockBuffer>>> all =
                    gathered.entrySet().iterator();
            while (all.hasNext()) {
                Map.Entry<EventSpan, Map<Long, BlockBuffer>> next = all.next();
                TreeMap<Long, BlockBuffer> remaining = new TreeMap<>(next.getValue());
                next.getValue().clear();
                while (!remaining.isEmpty()) {
                    Map.Entry<Long, BlockBuffer> last = remaining.pollLastEntry();
                    sparse.added(next.getKey(), last.getKey(), last.getValue().marks());
                    adder.add(next.getKey(), last.getKey(), last.getValue());
                }
                all.remove();
            }
            return adder.finish();
        }
    }

    private BlockBuffer newBlock(long number) {
        BlockBuffer added = new BlockBuffer(keys.size());
        bytes += added.bytes();
        return added;
    }
}
