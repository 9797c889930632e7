// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.stream.LongStream;

/**
 * Collects ids in arrays, because the memory of an array is known. In contrast, a single id in a compressed set can take
 * two hundred bytes.
 */
final class MarkBuffer implements ActivityStore.LoadBuffer {

    /** Memory of one id in bytes: twice its size, because the arrays grow by doubling. */
    private static final int MARK_BYTES = 2 * Long.BYTES;

    private static final int EMPTY_BYTES = 512;

    private final BiFunction<EventSpan, long[], MarkCounts> sender;
    private final Map<EventSpan, LongStream.Builder> gathered = new LinkedHashMap<>();
    private long marks;

    /** @param sender stores the ids of one source */
    MarkBuffer(BiFunction<EventSpan, long[], MarkCounts> sender) {
        this.sender = sender;
    }

    @Override
    public void add(EventSpan eventSpan, long id) {
        gathered.computeIfAbsent(eventSpan, added -> LongStream.builder()).add(id);
        marks++;
    }

    @Override
    public long bytes() {
        return marks * MARK_BYTES + (long) gathered.size() * EMPTY_BYTES;
    }

    @Override
    public MarkCounts send() {
        MarkCounts counts = MarkCounts.NONE;
        for (Map.Entry<EventSpan, LongStream.Builder> ids : gathered.entrySet()) {
            long[] all = ids.getValue().build().toArray();
            counts = counts.plus(sender.apply(ids.getKey(), all));
        }
        gathered.clear();
        marks = 0;
        return counts;
    }
}
