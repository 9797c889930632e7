// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

/**
 * In which pieces of blocks many bitmaps are fetched to be compared, and by how many threads, so that those that are in memory at a
 * time stay within a limit.
 *
 * @param words of a piece, a power of two
 */
record Pieces(int words, int threads) {

    /** For all threads together; that is whole blocks of a year for some threads. */
    static final long MOST_BYTES = 256L << 20;

    /** As large as the command for it, about; smaller ones would take longer. */
    private static final int LEAST_WORDS = 128;

    /** A piece is there as it came, and as words. */
    private static final int BYTES_OF_A_WORD = 2 * Long.BYTES;

    static Pieces of(int bitmaps, int threads) {
        long affordable = MOST_BYTES / BYTES_OF_A_WORD / bitmaps;
        int crew = Math.clamp(affordable / LEAST_WORDS, 1, threads);
        int words = Math.clamp(affordable / crew, LEAST_WORDS, Blocks.WORDS);
        return new Pieces(Integer.highestOneBit(words), crew);
    }

    int ofBlock() {
        return Blocks.WORDS / words;
    }
}
