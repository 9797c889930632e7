// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import java.util.stream.StreamSupport;

/** Iterates over the offsets of set bits, ascending, block by block. Prefetches two blocks. */
final class SetBitIterator implements PrimitiveIterator.OfLong {

    private static final int PREFETCH = 2;

    private final PrimitiveIterator.OfLong blocks;
    private final BlockSize blockSize;
    private final LongFunction<CompletableFuture<long[]>> fetch;
    private final long from;
    private final long last;
    private final Runnable atEnd;
    private final Deque<Fetched> prefetched = new ArrayDeque<>();
    private long[] words = {};
    private long base;
    private int index;
    private long word;

    private record Fetched(long block, CompletableFuture<long[]> words) {}

    private SetBitIterator(
            PrimitiveIterator.OfLong blocks,
            BlockSize blockSize,
            LongFunction<CompletableFuture<long[]>> fetch,
            long from,
            long last,
            Runnable atEnd) {
        this.blocks = blocks;
        this.blockSize = blockSize;
        this.fetch = fetch;
        this.from = from;
        this.last = last;
        this.atEnd = atEnd;
    }

    /**
     * Returns the offsets of the set bits from {@code from} to {@code last} (both inclusive). Fetches only {@code
     * blocks}, which must be ascending numbers of blocks of {@code blockSize}. {@code atEnd} runs at the end of the
     * stream, after a failed read, and when the stream is closed.
     */
    static LongStream of(
            LongStream blocks,
            BlockSize blockSize,
            LongFunction<CompletableFuture<long[]>> fetch,
            long from,
            long last,
            Runnable atEnd) {
        int characteristics = Spliterator.ORDERED | Spliterator.DISTINCT | Spliterator.SORTED | Spliterator.NONNULL;
        return StreamSupport.longStream(
                        () -> Spliterators.spliteratorUnknownSize(
                                new SetBitIterator(blocks.iterator(), blockSize, fetch, from, last, atEnd),
                                characteristics),
                        characteristics,
                        false)
                .onClose(atEnd);
    }

    @Override
    public boolean hasNext() {
        while (word == 0) {
            index++;
            if (index >= words.length && !nextBlock()) {
                return false;
            }
            word = within(base + ((long) index << 6), words[index]);
        }
        return true;
    }

    @Override
    public long nextLong() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        int first = Long.numberOfLeadingZeros(word);
        word &= ~(Long.MIN_VALUE >>> first);
        return base + ((long) index << 6) + first;
    }

    private boolean nextBlock() {
        do {
            Optional<Fetched> next = nextPrefetched();
            if (next.isEmpty()) {
                index = words.length;
                return false;
            }
            base = next.get().block() << blockSize.shift();
            words = awaited(next.get());
            index = 0;
        } while (words.length == 0);
        return true;
    }

    private Optional<Fetched> nextPrefetched() {
        try {
            while (prefetched.size() <= PREFETCH && blocks.hasNext()) {
                long block = blocks.nextLong();
                prefetched.add(new Fetched(block, fetch.apply(block)));
            }
        } catch (RuntimeException e) {
            atEnd.run();
            throw e;
        }
        if (prefetched.isEmpty()) {
            atEnd.run();
        }
        return Optional.ofNullable(prefetched.poll());
    }

    private long[] awaited(Fetched next) {
        try {
            return Futures.await(next.words());
        } catch (RuntimeException e) {
            atEnd.run();
            throw e;
        }
    }

    /**
     * Returns a copy of the word {@code bits} in which the bits outside of the requested range are 0. The word begins
     * at offset {@code first}.
     */
    private long within(long first, long bits) {
        long end = first + Long.SIZE - 1;
        if (first >= from && end <= last) {
            return bits;
        }
        if (end < from || first > last) {
            return 0;
        }
        long kept = bits;
        if (first < from) {
            kept &= Words.suffixMask((int) (from - first));
        }
        if (end > last) {
            kept &= Words.prefixMask((int) (last - first) + 1);
        }
        return kept;
    }
}
