// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

/**
 * The plan by which the client fetches and compares many bitmaps: the size of each piece, and the number of threads.
 * The size and the number are chosen to limit the memory.
 *
 * @param words the number of words per piece, a power of two
 * @param perBlock the number of pieces per block
 */
record FetchPlan(int words, int perBlock, int threads) {

    /**
     * Maximum memory of all threads together. For the days of a year, this is enough for two threads with pieces of a
     * whole block of a bitmap.
     */
    static final long MAX_BYTES = 256L << 20;

    /**
     * Minimum size of a piece. A piece of this size is about as large as the command that fetches it. Smaller pieces
     * take longer.
     */
    private static final int MIN_WORDS = 128;

    /** Memory of a word of a piece: the received bytes and the decoded word. */
    private static final int WORD_BYTES = 2 * Long.BYTES;

    static FetchPlan of(int bitmaps, int threads, BlockSize blockSize) {
        long affordable = MAX_BYTES / WORD_BYTES / bitmaps;
        int workers = Math.clamp(affordable / MIN_WORDS, 1, threads);
        int words = Integer.highestOneBit(Math.clamp(affordable / workers, MIN_WORDS, blockSize.words()));
        return new FetchPlan(words, blockSize.words() / words, workers);
    }
}
