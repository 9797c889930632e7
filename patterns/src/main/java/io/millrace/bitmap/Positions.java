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

/** The positions of the bits that are set, ascending, block by block; two blocks are on their way while one is looked at. */
final class Positions implements PrimitiveIterator.OfLong {

    private static final int AHEAD = 2;

    private final PrimitiveIterator.OfLong blocks;
    private final LongFunction<CompletableFuture<long[]>> fetch;
    private final long from;
    private final long last;
    private final Runnable atEnd;
    private final Deque<Coming> coming = new ArrayDeque<>();
    private long[] words = {};
    private long base;
    private int index;
    private long word;

    private record Coming(long block, CompletableFuture<long[]> words) {}

    private Positions(
            PrimitiveIterator.OfLong blocks,
            LongFunction<CompletableFuture<long[]>> fetch,
            long from,
            long last,
            Runnable atEnd) {
        this.blocks = blocks;
        this.fetch = fetch;
        this.from = from;
        this.last = last;
        this.atEnd = atEnd;
    }

    /**
     * Those from {@code from} to {@code last}, both included, in {@code blocks}, ascending numbers. {@code atEnd} runs when there are no
     * more, when one could not be read, and when the stream is closed.
     */
    static LongStream of(
            LongStream blocks, LongFunction<CompletableFuture<long[]>> fetch, long from, long last, Runnable atEnd) {
        int nature = Spliterator.ORDERED | Spliterator.DISTINCT | Spliterator.SORTED | Spliterator.NONNULL;
        return StreamSupport.longStream(
                        () -> Spliterators.spliteratorUnknownSize(
                                new Positions(blocks.iterator(), fetch, from, last, atEnd), nature),
                        nature,
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
            Optional<Coming> next = nextComing();
            if (next.isEmpty()) {
                index = words.length;
                return false;
            }
            base = next.get().block() << Blocks.SHIFT;
            words = awaited(next.get());
            index = 0;
        } while (words.length == 0);
        return true;
    }

    private Optional<Coming> nextComing() {
        try {
            while (coming.size() <= AHEAD && blocks.hasNext()) {
                long block = blocks.nextLong();
                coming.add(new Coming(block, fetch.apply(block)));
            }
        } catch (RuntimeException e) {
            atEnd.run();
            throw e;
        }
        if (coming.isEmpty()) {
            atEnd.run();
        }
        return Optional.ofNullable(coming.poll());
    }

    private long[] awaited(Coming next) {
        try {
            return Awaited.value(next.words());
        } catch (RuntimeException e) {
            atEnd.run();
            throw e;
        }
    }

    /** What of {@code bits}, which begin at {@code first}, is asked for. */
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
            kept &= Words.from((int) (from - first));
        }
        if (end > last) {
            kept &= Words.first((int) (last - first) + 1);
        }
        return kept;
    }
}
