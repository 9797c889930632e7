// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.Setting;
import io.millrace.client.command.Bitmaps;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Strings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToLongFunction;
import java.util.stream.LongStream;

/**
 * A stored population. Thread-safe. Methods that read from the server block the caller. For each command, the caller
 * waits for at most the command timeout.
 */
public final class Population {

    private final RedisClient client;
    private final PopulationLayout layout;
    private final long ones;

    Population(RedisClient client, PopulationLayout layout, long ones) {
        this.client = client;
        this.layout = layout;
        this.ones = ones;
    }

    /**
     * Reads a population from its header, a hash that describes the population. Checks all values, because another
     * program may have written the header.
     */
    static Population read(RedisClient client, String name, Map<String, String> head) {
        try {
            long bits = Setting.checkArgument("bits", number(head, "bits"), 1, Populations.MAX_BITS);
            long ones = Setting.checkArgument("ones", number(head, "ones"), 0, bits);
            return new Population(client, new PopulationLayout(name, bits), ones);
        } catch (IllegalArgumentException e) {
            throw new BitmapException(
                    "the hash that describes a population has invalid values: key=" + PopulationLayout.head(name)
                            + ". Store the population again.",
                    e);
        }
    }

    private static long number(Map<String, String> head, String field) {
        return Long.parseLong(head.getOrDefault(field, ""));
    }

    public String name() {
        return layout.name();
    }

    /** Returns the number of all bits, set bits and unset bits. */
    public long bits() {
        return layout.bits();
    }

    /** Returns the number of set bits at the time of storing, as counted by the client. */
    public long ones() {
        return ones;
    }

    /** Returns the key of the string that contains the bits. */
    public String key() {
        return layout.key();
    }

    /** Returns the number of set bits, as counted by the server. */
    public long count() {
        return client.call(Bitmaps.count(key()));
    }

    /**
     * Returns the number of set bits from {@code from} (inclusive) to {@code to} (exclusive). The server counts whole
     * bytes. The client counts the bits of a partial byte at either end.
     *
     * @param from 0 to {@code to}
     * @param to at most {@link #bits}
     */
    public long count(long from, long to) {
        check(from, to);
        if (from == to) {
            return 0;
        }
        Pipeline pipeline = client.pipeline();
        List<Result<byte[]>> edges = new ArrayList<>();
        List<ToLongFunction<byte[]>> counts = new ArrayList<>();
        byte[] key = layout.keyInBytes();
        long firstWhole = (from + 7) >>> 3;
        long endWhole = to >>> 3;
        if ((from & 7) != 0) {
            long at = from >>> 3;
            edges.add(pipeline.add(Strings.getRange(key, at, at)));
            int end = (int) Math.min(8, to - (at << 3));
            counts.add(edge -> bits(edge, (int) (from & 7), end));
        }
        if ((to & 7) != 0 && endWhole >= firstWhole) {
            edges.add(pipeline.add(Strings.getRange(key, endWhole, endWhole)));
            counts.add(edge -> bits(edge, 0, (int) (to & 7)));
        }
        List<Result<Long>> whole =
                firstWhole < endWhole ? List.of(pipeline.add(Bitmaps.count(key, firstWhole, endWhole - 1))) : List.of();
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

    /** Returns whether the bit at {@code offset} is set. */
    public boolean contains(long offset) {
        Setting.checkArgument("offset", offset, 0, bits() - 1);
        return client.call(Bitmaps.get(key(), offset));
    }

    /** Returns the offsets of the set bits, ascending. The stream fetches block by block while it is read. */
    public LongStream positions() {
        return positions(0, bits());
    }

    /**
     * Returns the offsets of the set bits from {@code from} (inclusive) to {@code to} (exclusive), like {@link
     * #positions()}.
     */
    public LongStream positions(long from, long to) {
        check(from, to);
        LongStream blocks = from == to
                ? LongStream.empty()
                : LongStream.rangeClosed(from >>> Blocks.SHIFT, (to - 1) >>> Blocks.SHIFT);
        return SetBitIterator.of(blocks, BlockSize.BITMAP, this::fetch, from, to - 1, () -> {});
    }

    /** Reads all bits and returns whether they equal the bits of {@code source}. */
    public boolean matches(BitSource source) {
        for (long block = 0; block < layout.blocks(); block++) {
            long[] words = Futures.await(fetch(block));
            long first = block * Blocks.WORDS;
            for (int i = 0; i < words.length; i++) {
                if (words[i] != layout.word(source, first + i)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Returns the server memory of the bits in bytes. */
    public long memoryBytes() {
        return client.call(Keys.memoryUsage(key())).orElse(0L);
    }

    @Override
    public String toString() {
        return "Population[name=" + name() + ", bits=" + bits() + ", ones=" + ones + ", key=" + key() + "]";
    }

    private void check(long from, long to) {
        Setting.checkArgument("to", to, 0, bits());
        Setting.checkArgument("from", from, 0, to);
    }

    private CompletableFuture<long[]> fetch(long block) {
        long offset = layout.offsetOf(block);
        int length = layout.bytesOf(block);
        return client.send(Strings.getRange(layout.keyInBytes(), offset, offset + length - 1))
                .thenApply(bytes -> {
                    if (bytes.length != length) {
                        throw new BitmapException("a population is incomplete: name=" + name() + ", key=" + key()
                                + ", offset=" + offset + ", bytes=" + bytes.length + " of " + length
                                + ". Store the population again.");
                    }
                    return Words.of(bytes, (length + 7) >>> 3);
                });
    }
}
