// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.List;
import java.util.Map;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/** Combines compressed sets in the client. */
record CompressedAlgebra(Map<EventSpan, Roaring64NavigableMap> sets) implements SetOperations<Roaring64NavigableMap> {

    @Override
    public Roaring64NavigableMap active(EventSpan eventSpan) {
        Roaring64NavigableMap set = sets.get(eventSpan);
        if (set == null) {
            throw new IllegalStateException(
                    "a set expression needs a compressed set that was not fetched: eventSpan=" + eventSpan);
        }
        return set;
    }

    @Override
    public Roaring64NavigableMap union(List<Roaring64NavigableMap> parts) {
        Roaring64NavigableMap all = CompressedValue.emptySet();
        parts.forEach(all::or);
        return all;
    }

    @Override
    public Roaring64NavigableMap intersection(List<Roaring64NavigableMap> parts) {
        Roaring64NavigableMap all = union(List.of(parts.getFirst()));
        parts.subList(1, parts.size()).forEach(all::and);
        return all;
    }

    @Override
    public Roaring64NavigableMap difference(Roaring64NavigableMap base, Roaring64NavigableMap excluded) {
        Roaring64NavigableMap left = union(List.of(base));
        left.andNot(excluded);
        return left;
    }
}
