// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Combines sets of ids in the client. A set is an ascending array without duplicates. */
record SortedIds(Map<EventSpan, long[]> sets) implements SetOperations<long[]> {

    @Override
    public long[] active(EventSpan eventSpan) {
        long[] set = sets.get(eventSpan);
        if (set == null) {
            throw new IllegalStateException(
                    "a set expression needs a set that was not fetched: eventSpan=" + eventSpan);
        }
        return set;
    }

    @Override
    public long[] union(List<long[]> parts) {
        long[] all = parts.stream().flatMapToLong(Arrays::stream).toArray();
        Arrays.sort(all); // merges the ascending parts
        int count = 0;
        for (int i = 0; i < all.length; i++) {
            if (count == 0 || all[i] != all[count - 1]) {
                all[count++] = all[i];
            }
        }
        return Arrays.copyOf(all, count);
    }

    @Override
    public long[] intersection(List<long[]> parts) {
        long[] all = parts.getFirst();
        for (long[] part : parts.subList(1, parts.size())) {
            all = merged(all, part, true);
        }
        return all;
    }

    @Override
    public long[] difference(long[] base, long[] excluded) {
        return merged(base, excluded, false);
    }

    /** Returns the number of ids in both sets. */
    static long countCommon(long[] one, long[] other) {
        long count = 0;
        int i = 0;
        int j = 0;
        while (i < one.length && j < other.length) {
            if (one[i] < other[j]) {
                i++;
            } else if (one[i] > other[j]) {
                j++;
            } else {
                count++;
                i++;
                j++;
            }
        }
        return count;
    }

    /** Returns the ids of {@code base} that are in {@code other}, or, if not {@code common}, the remaining ids. */
    private static long[] merged(long[] base, long[] other, boolean common) {
        long[] kept = new long[base.length];
        int count = 0;
        int j = 0;
        for (long id : base) {
            while (j < other.length && other[j] < id) {
                j++;
            }
            boolean found = j < other.length && other[j] == id;
            if (found == common) {
                kept[count++] = id;
            }
        }
        return Arrays.copyOf(kept, count);
    }
}
