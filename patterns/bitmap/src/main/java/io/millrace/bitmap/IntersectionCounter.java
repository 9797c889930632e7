// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.List;
import java.util.Map;

/**
 * Computes the table of common ids for one block. Each cell is the number of ids that are both in the set of its row
 * and in the set of its column. The cells before the diagonal are not computed.
 *
 * @param rows the sets of the rows; there are as many rows as columns
 */
record IntersectionCounter(List<SetExpression> rows, List<SetExpression> columns, Granularity granularity) {

    /**
     * Words per step: 16 KiB of each bitmap, so that the bitmaps of a month stay in a core's cache while all pairs are
     * counted.
     */
    private static final int TILE = 2_048;

    /** Returns the counts by row and column. {@code block} contains the same number of words for every source. */
    long[][] count(Map<EventSpan, long[]> block) {
        List<long[]> active = evaluated(columns, block);
        int words = active.getFirst().length;
        List<long[]> cohorts = rows.equals(columns) ? active : evaluated(rows, block);
        long[][] common = new long[rows.size()][columns.size()];
        for (int from = 0; from < words; from += TILE) {
            for (int row = 0; row < rows.size(); row++) {
                for (int column = row; column < columns.size(); column++) {
                    common[row][column] +=
                            Words.countCommon(cohorts.get(row), active.get(column), from, Math.min(from + TILE, words));
                }
            }
        }
        return common;
    }

    static void add(long[][] total, long[][] part) {
        for (int row = 0; row < total.length; row++) {
            for (int column = row; column < total[row].length; column++) {
                total[row][column] += part[row][column];
            }
        }
    }

    private List<long[]> evaluated(List<SetExpression> expressions, Map<EventSpan, long[]> block) {
        WordAlgebra algebra = new WordAlgebra(block);
        return expressions.stream()
                .map(setExpression -> SetOperations.evaluate(setExpression, granularity, algebra))
                .toList();
    }

    private record WordAlgebra(Map<EventSpan, long[]> block) implements SetOperations<long[]> {

        @Override
        public long[] active(EventSpan eventSpan) {
            long[] words = block.get(eventSpan);
            if (words == null) {
                throw new IllegalStateException(
                        "a set expression needs bits that were not fetched: eventSpan=" + eventSpan);
            }
            return words;
        }

        @Override
        public long[] union(List<long[]> parts) {
            long[] all = parts.getFirst().clone();
            for (long[] part : parts.subList(1, parts.size())) {
                for (int i = 0; i < all.length; i++) {
                    all[i] |= part[i];
                }
            }
            return all;
        }

        @Override
        public long[] intersection(List<long[]> parts) {
            long[] all = parts.getFirst().clone();
            for (long[] part : parts.subList(1, parts.size())) {
                for (int i = 0; i < all.length; i++) {
                    all[i] &= part[i];
                }
            }
            return all;
        }

        @Override
        public long[] difference(long[] base, long[] excluded) {
            long[] left = base.clone();
            for (int i = 0; i < left.length; i++) {
                left[i] &= ~excluded[i];
            }
            return left;
        }
    }
}
