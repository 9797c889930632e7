// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Bitmaps;
import io.millrace.client.Keys;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.Strings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;

/** A population that is stored. For any number of threads. All methods that ask the server block, for the command timeout at most each time. */
public final class Population {

    private final RedisClient client;
    private final PopulationLayout layout;
    private final long ones;

    Population(RedisClient client, PopulationLayout layout, long ones) {
        this.client = client;
        this.layout = layout;
        this.ones = ones;
    }

    /** Reads a head. Somebody else may have written it, so it is not believed. */
    static Population read(RedisClient client, String name, Map<String, String> head) {
        try {
            long bits = Ranges.check("bits", number(head, "bits"), 1, Populations.MOST_BITS);
            long keyBytes = Ranges.check("keyBytes", number(head, "keyBytes"), Blocks.BYTES, 512L << 20);
            PopulationLayout layout = new PopulationLayout(name, bits, keyBytes - keyBytes % Blocks.BYTES);
            Ranges.check("bits / keyBytes", layout.keyCount(), 1, PopulationLayout.MOST_KEYS);
            return new Population(client, layout, Ranges.check("ones", number(head, "ones"), 0, bits));
        } catch (IllegalArgumentException e) {
            throw new BitmapException(
                    "the head of a population is unreadable: key=" + PopulationLayout.head(name) + ". Store it again.",
                    e);
        }
    }

    private static long number(Map<String, String> head, String field) {
        return Long.parseLong(head.getOrDefault(field, ""));
    }

    public String name() {
        return layout.name();
    }

    /** How many bits there are, set or not. */
    public long bits() {
        return layout.bits();
    }

    /** How many of them were set when it was stored, as counted in the client. */
    public long ones() {
        return ones;
    }

    /** The keys with the bits, in their order: strings, of which the last may be shorter. */
    public List<String> keys() {
        return layout.keys();
    }

    /** How many bits are set, as the server counts them. */
    public long count() {
        long count = 0;
        for (String key : keys()) {
            count += client.call(Bitmaps.count(key));
        }
        return count;
    }

    /**
     * How many bits are set from {@code from} up to but without {@code to}; the server counts whole bytes, and the client the bits of
     * those at the ends.
     *
     * @param from 0 to {@code to}
     * @param to at most {@link #bits}
     */
    public long count(long from, long to) {
        check(from, to);
        long count = 0;
        for (long key = from / layout.keyBits(); key * layout.keyBits() < to; key++) {
            long first = key * layout.keyBits();
            count += countIn(key, Math.max(0, from - first), Math.min(layout.keyBits(), to - first));
        }
        return count;
    }

    /** Whether the bit at {@code offset} is set. */
    public boolean contains(long offset) {
        Ranges.check("offset", offset, 0, bits() - 1);
        return client.call(Bitmaps.get(layout.key(offset / layout.keyBits()), offset % layout.keyBits()));
    }

    /** Where bits are set, ascending. Fetched block by block as the stream is read. */
    public LongStream positions() {
        return positions(0, bits());
    }

    /** The same from {@code from} up to but without {@code to}. */
    public LongStream positions(long from, long to) {
        check(from, to);
        LongStream blocks = from == to
                ? LongStream.empty()
                : LongStream.rangeClosed(from >>> Blocks.SHIFT, (to - 1) >>> Blocks.SHIFT);
        return Positions.of(blocks, this::fetch, from, to - 1, () -> {});
    }

    /** Reads all bits and says whether they are those of {@code source}. */
    public boolean matches(BitSource source) {
        for (long block = 0; block < layout.blocks(); block++) {
            long[] words = Awaited.value(fetch(block));
            long first = block * Blocks.WORDS;
            for (int i = 0; i < words.length; i++) {
                if (words[i] != layout.word(source, first + i)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** How many bytes of the server's memory the bits take. */
    public long memoryBytes() {
        long bytes = 0;
        for (String key : keys()) {
            bytes += client.call(Keys.memoryUsage(key)).orElse(0L);
        }
        return bytes;
    }

    @Override
    public String toString() {
        return "Population[name=" + name() + ", bits=" + bits() + ", ones=" + ones + ", keys=" + layout.keyCount()
                + "]";
    }

    private void check(long from, long to) {
        Ranges.check("to", to, 0, bits());
        Ranges.check("from", from, 0, to);
    }

    private long countIn(long key, long from, long to) {
        Pipeline pipeline = client.pipeline();
        List<Result<byte[]>> edges = new ArrayList<>();
        List<ToLongFunction<byte[]>> counts = new ArrayList<>();
        byte[] name = layout.keyInBytes(key);
        long firstWhole = (from + 7) >>> 3;
        long endWhole = to >>> 3;
        if ((from & 7) != 0) {
            long at = from >>> 3;
            edges.add(pipeline.add(Strings.getRange(name, at, at)));
            int end = (int) Math.min(8, to - (at << 3));
            counts.add(edge -> bits(edge, (int) (from & 7), end));
        }
        if ((to & 7) != 0 && endWhole >= firstWhole) {
            edges.add(pipeline.add(Strings.getRange(name, endWhole, endWhole)));
            counts.add(edge -> bits(edge, 0, (int) (to & 7)));
        }
        List<Result<Long>> whole = firstWhole < endWhole
                ? List.of(pipeline.add(Bitmaps.count(name, firstWhole, endWhole - 1)))
                : List.of();
        pipeline.run();
        long count = whole.isEmpty() ? 0 : whole.getFirst().value();
        for (int i = 0; i < edges.size(); i++) {
            count += counts.get(i).applyAsLong(edges.get(i).value());
        }
        return count;
    }

    private static long bits(byte[] edge, int from, int to) {
        return edge.length == 0 ? 0 : Integer.bitCount((edge[0] & (0xff >>> from)) >>> (8 - to));
    }

    private CompletableFuture<long[]> fetch(long block) {
        long offset = layout.offsetOf(block);
        int length = layout.bytesOf(block);
        return client.send(Strings.getRange(layout.keyInBytes(layout.keyOf(block)), offset, offset + length - 1))
                .thenApply(bytes -> {
                    if (bytes.length != length) {
                        throw new BitmapException("a population is no longer whole: name=" + name() + ", key="
                                + layout.key(layout.keyOf(block)) + ", offset=" + offset + ", bytes=" + bytes.length
                                + " of " + length + ". Store it again.");
                    }
                    return Words.of(bytes, (length + 7) >>> 3);
                });
    }
}
