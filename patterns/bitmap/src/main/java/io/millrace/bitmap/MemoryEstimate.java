// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Setting;
import java.util.Arrays;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/**
 * An estimate of the server memory and of the written bytes of one span of an event, and the recommended encoding. The
 * estimate assumes that the active ids are spread evenly over all ids, which is the worst case. Random ids, such as hashes,
 * are spread over all values of a {@code long}: {@code ids} is then {@link Long#MAX_VALUE}. With {@code CHUNKED}, such an id
 * takes about 8 KB.
 *
 * <p>The recommendation compares two kinds of encodings. The server combines bitmaps, and a mark changes only one bit. So
 * a bitmap encoding is recommended ({@code BITMAP}, or {@code CHUNKED} if a single bitmap would be longer or an id is too
 * large) unless {@code COMPRESSED} or {@code SET} takes less than a quarter of its memory. {@code COMPRESSED} is then
 * recommended if it takes less memory than {@code SET} and a single mark exchanges at most 4,096 bytes on average. {@link
 * #forLoads} ignores the cost of single marks. {@code SET} is recommended only for up to 10,000,000 active ids, because a
 * query of several spans loads the whole sets.
 *
 * <p>The estimate does not include two costs. The allocator rounds sizes up: a full chunk of 16 KB takes 20 KB. A string
 * that grows by single marks has spare space: Redis doubles the space of a string below 1 MB. So a chunk that was filled
 * by single marks takes up to 41 KB, 27 KB on average. If batches fill the chunk,
 * with 50 marks per chunk, the average is 36 KB.
 *
 * @param encoding the recommended encoding
 * @param bytes the estimated memory of this encoding
 * @param bytesPerMark the estimated average number of bytes that the server and the clients exchange for one single mark
 *     in this encoding
 * @param reason the reason in words, with the estimates of all encodings
 */
public record MemoryEstimate(Encoding encoding, long bytes, long bytesPerMark, String reason) {

    /**
     * Largest average of the bytes per single mark of a recommended encoding. The server reads or writes so many bytes in
     * about the time that it needs for a short command.
     */
    static final long MAX_BYTES_PER_MARK = 4_096;

    /** Largest number of members of a recommended Redis set: a query of several spans loads 700 MB of replies. */
    static final long MAX_SET_MEMBERS = 10_000_000;

    /** A query of several spans that loads more ids than this is mentioned in the reason. It takes about a second. */
    private static final long MANY_IDS = 1_000_000;

    /** The assumed number of processes that mark: a small service. */
    private static final int PROCESSES = 4;

    /** The memory of a key: its entry, name and object. */
    private static final int KEY_BYTES = 120;

    /** The memory of a chunk number in the set of chunk numbers. */
    private static final int NUMBER_BYTES = 40;

    /** The server stores up to this number of numbers as an array: the default of {@code set-max-intset-entries}. */
    private static final int MAX_ARRAY_IDS = 512;

    /** The memory of the entry of a member in the hash table of a set, without the member. */
    private static final int ENTRY_BYTES = 24;

    /** The length of a command that runs a script by its SHA-1 with two keys. */
    private static final int SCRIPT_BYTES = 300;

    private static final long CONTAINER = 1 << 16;
    private static final long MAX_STRING_BYTES = 512L << 20;

    /**
     * Returns the estimate for ids from 0 to {@code ids - 1} that are marked singly by 4 processes.
     *
     * @param ids the number of ids, 1 or more
     * @param active the number of active ids in one span, 0 to {@code ids}
     */
    public static MemoryEstimate of(long ids, long active) {
        return of(ids, active, PROCESSES);
    }

    /**
     * Returns the estimate for ids from 0 to {@code ids - 1} that are marked singly.
     *
     * @param ids the number of ids, 1 or more
     * @param active the number of active ids in one span, 0 to {@code ids}
     * @param processes the number of processes that mark these ids, 1 to 10,000
     */
    public static MemoryEstimate of(long ids, long active, int processes) {
        boolean isCompressedCheap = bytesPerMark(Encoding.COMPRESSED, ids, active, processes) <= MAX_BYTES_PER_MARK;
        return of(ids, active, processes, isCompressedCheap);
    }

    /**
     * Returns the estimate for ids that are only loaded, with {@code Activity.load}. For the parameters, see {@link
     * #of(long, long)}.
     */
    public static MemoryEstimate forLoads(long ids, long active) {
        return of(ids, active, 1, true);
    }

    private static MemoryEstimate of(long ids, long active, int processes, boolean isCompressedCheap) {
        ToLongFunction<Encoding> memory =
                encoding -> bytes(encoding, ids, active).orElse(Long.MAX_VALUE);
        Encoding bits = smaller(Encoding.BITMAP, Encoding.CHUNKED, memory);
        Encoding few = isCompressedCheap ? smaller(Encoding.SET, Encoding.COMPRESSED, memory) : Encoding.SET;
        boolean isSmall = memory.applyAsLong(few) < memory.applyAsLong(bits) / 4;
        boolean isTooLarge = few == Encoding.SET && active > MAX_SET_MEMBERS;
        Encoding encoding = isSmall && !isTooLarge ? few : bits;
        String reason = String.format(
                Locale.ROOT,
                "%s, because %,d of %,d ids are active in a span. Estimated bytes: %s."
                        + " Bytes per single mark of %,d processes: %s%s",
                encoding,
                active,
                ids,
                each(memory),
                processes,
                each(other -> bytesPerMark(other, ids, active, processes)),
                warning(encoding, active, isSmall && isTooLarge));
        return new MemoryEstimate(
                encoding, memory.applyAsLong(encoding), bytesPerMark(encoding, ids, active, processes), reason);
    }

    /** Returns the sentences about the cost of queries. */
    private static String warning(Encoding encoding, long active, boolean isTooLargeForSet) {
        if (isTooLargeForSet) {
            return String.format(
                    Locale.ROOT,
                    ". A Redis set would take less memory, but should have at most %,d members."
                            + " Map the ids to numbers that are given out in order",
                    MAX_SET_MEMBERS);
        }
        boolean isLoaded = encoding == Encoding.SET || encoding == Encoding.COMPRESSED;
        return isLoaded && active > MANY_IDS
                ? ". A query of several spans loads all ids of each span into the client"
                : "";
    }

    private static Encoding smaller(Encoding one, Encoding other, ToLongFunction<Encoding> memory) {
        return memory.applyAsLong(one) <= memory.applyAsLong(other) ? one : other;
    }

    private static String each(ToLongFunction<Encoding> number) {
        return Arrays.stream(Encoding.values())
                .map(encoding -> encoding.name().toLowerCase(Locale.ROOT) + "=" + shown(number.applyAsLong(encoding)))
                .collect(Collectors.joining(", "));
    }

    /**
     * Returns the estimated memory of one span in {@code encoding}. The result is empty if {@code encoding} cannot
     * store the ids.
     */
    public static OptionalLong bytes(Encoding encoding, long ids, long active) {
        check(ids, active);
        return switch (encoding) {
            case BITMAP -> ids > 1L << 32 ? OptionalLong.empty() : OptionalLong.of((ids + 7) / 8 + KEY_BYTES);
            case CHUNKED -> OptionalLong.of(chunked(ids, active));
            case COMPRESSED -> {
                long bytes = compressed(ids, active);
                yield bytes > MAX_STRING_BYTES ? OptionalLong.empty() : OptionalLong.of(bytes);
            }
            case SET -> OptionalLong.of(set(ids, active));
        };
    }

    /**
     * Returns the estimated average number of bytes that the server and the clients exchange for one single mark. For
     * {@code COMPRESSED}, after every 400 single marks one process reads and writes the whole set, and every other process
     * reads the changed set.
     *
     * @param processes the number of processes that mark, 1 to 10,000
     */
    public static long bytesPerMark(Encoding encoding, long ids, long active, int processes) {
        check(ids, active);
        Setting.checkArgument("processes", processes, 1, 10_000);
        return switch (encoding) {
            case BITMAP, SET, CHUNKED -> SCRIPT_BYTES;
            case COMPRESSED ->
                SCRIPT_BYTES + (long) ((processes + 1.0) * compressed(ids, active) / CompressedWriter.MAX_RECENT);
        };
    }

    private static void check(long ids, long active) {
        Setting.checkArgument("ids", ids, 1, Long.MAX_VALUE);
        Setting.checkArgument("active", active, 0, ids);
    }

    private static long chunked(long ids, long active) {
        double chunks = touched(ids, BlockSize.CHUNK.bits(), active);
        double each = Math.max(1, active / Math.max(1, chunks));
        // A string ends with its last set bit. With n random set bits the last set bit is on average at n / (n + 1) of
        // the range.
        double length = Math.min(ids, BlockSize.CHUNK.bits()) / 8.0 * each / (each + 1);
        return (long) (KEY_BYTES + chunks * (length + KEY_BYTES + NUMBER_BYTES));
    }

    private static long compressed(long ids, long active) {
        double containers = touched(ids, CONTAINER, active);
        double each = active / Math.max(1, containers);
        double maps = touched(ids, 1L << 32, active);
        return (long) (KEY_BYTES + 16 + maps * 12 + containers * (8 + Math.min(2 * each, CONTAINER / 8.0)));
    }

    private static long set(long ids, long active) {
        if (active <= MAX_ARRAY_IDS) {
            int width = ids <= 1L << 15 ? Short.BYTES : ids <= 1L << 31 ? Integer.BYTES : Long.BYTES;
            return KEY_BYTES + active * width;
        }
        // A member is a string in decimal digits, with two more bytes, in a multiple of eight bytes. Nearly all ids
        // have
        // as many digits as the largest id.
        int member = (Long.toString(ids - 1).length() + 2 + 7) & -8;
        double table = 2.0 * Long.highestOneBit(active - 1) * Long.BYTES;
        return (long) (KEY_BYTES + (double) active * (ENTRY_BYTES + member) + table);
    }

    /** Returns the expected number of ranges of {@code size} ids that contain an active id. */
    private static double touched(long ids, long size, long active) {
        double parts = Math.ceil((double) ids / size);
        return Math.min((double) active, -parts * Math.expm1(-active / parts));
    }

    private static String shown(long bytes) {
        return bytes == Long.MAX_VALUE ? "impossible" : String.format(Locale.ROOT, "%,d", bytes);
    }
}
