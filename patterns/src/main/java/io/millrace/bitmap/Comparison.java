// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.List;
import java.util.Map;

/**
 * Counts, of one block, how many of each row are in each column that is not before it.
 *
 * @param rows of the table, as many as there are columns
 */
record Comparison(List<Audience> rows, List<Audience> columns, Grain grain) {

    /** Of each bitmap 16 KiB at a time, so that those of a month stay in the cache of a core while all pairs are counted. */
    private static final int TILE = 2_048;

    /** {@code block}, or a piece of it, has as many words of every source. */
    long[][] of(Map<Source, long[]> block) {
        List<long[]> active = evaluated(columns, block);
        int words = active.getFirst().length;
        List<long[]> cohorts = rows.equals(columns) ? active : evaluated(rows, block);
        long[][] common = new long[rows.size()][columns.size()];
        for (int from = 0; from < words; from += TILE) {
            for (int row = 0; row < rows.size(); row++) {
                for (int column = row; column < columns.size(); column++) {
                    common[row][column] +=
                            Words.common(cohorts.get(row), active.get(column), from, Math.min(from + TILE, words));
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

    private List<long[]> evaluated(List<Audience> audiences, Map<Source, long[]> block) {
        WordAlgebra algebra = new WordAlgebra(block);
        return audiences.stream()
                .map(audience -> Algebra.fold(audience, grain, algebra))
                .toList();
    }

    private record WordAlgebra(Map<Source, long[]> block) implements Algebra<long[]> {

        @Override
        public long[] active(Source source) {
            long[] words = block.get(source);
            if (words == null) {
                throw new IllegalStateException("not fetched: " + source);
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
        public long[] difference(long[] those, long[] taken) {
            long[] left = those.clone();
            for (int i = 0; i < left.length; i++) {
                left[i] &= ~taken[i];
            }
            return left;
        }
    }
}
