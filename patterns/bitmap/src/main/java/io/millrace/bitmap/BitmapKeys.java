// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.Setting;
import io.millrace.client.Transaction;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Sets;
import io.millrace.client.command.Strings;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/**
 * The keys that contain the bits of a source.
 *
 * <pre>
 *   one bitmap    {name}:event:2026-11-22            all ids, below 2^32
 *   chunked       {name}:event:2026-11-22:7          the 2^17 ids from 7 * 2^17 on
 *                 {name}:event:2026-11-22:chunks     the set of chunk numbers: 7, ...
 * </pre>
 *
 * <p>The server adds a chunk and its number in one step, and deletes both in one step. So the set contains the number
 * of every chunk, and every mark can be found. A chunk without a key contains no ids. All keys of a source expire at the
 * same time.
 *
 * @param expiry returns the current expiry of the spans
 */
record BitmapKeys(RedisClient client, String prefix, boolean chunked, Supplier<SpanExpiry> expiry) {

    String key(EventSpan eventSpan, long chunk) {
        return chunked ? eventSpan.key(prefix) + ":" + chunk : eventSpan.key(prefix);
    }

    String chunkNumbersKey(EventSpan eventSpan) {
        return eventSpan.key(prefix) + ":chunks";
    }

    /** Returns when the keys of {@code eventSpan} expire, see {@link SpanExpiry#millis}. */
    long expiresAtMillis(EventSpan eventSpan) {
        return expiry.get().millis(eventSpan.span());
    }

    /** Returns whether a mark changes more than the bits of one key, so that the mark must be made by a script. */
    boolean needsScript() {
        return chunked || !expiry.get().isNever();
    }

    /** Returns the keys of {@link BitScripts#MARK}. */
    List<String> markedKeys(EventSpan eventSpan, long chunk) {
        String key = key(eventSpan, chunk);
        return chunked ? List.of(key, chunkNumbersKey(eventSpan)) : List.of(key);
    }

    BlockSize size() {
        return chunked ? BlockSize.CHUNK : BlockSize.BITMAP;
    }

    /** Returns the bit offset of {@code id} in its key. */
    long offset(long id) {
        return chunked ? BlockSize.CHUNK.offset(id) : id;
    }

    long chunk(long id) {
        return chunked ? BlockSize.CHUNK.block(id) : 0;
    }

    /** Returns the numbers of the chunks of each source. A bitmap without chunks counts as chunk 0. */
    Map<EventSpan, long[]> chunks(Collection<EventSpan> sources) {
        Map<EventSpan, long[]> chunks = new HashMap<>();
        if (!chunked) {
            sources.forEach(eventSpan -> chunks.put(eventSpan, new long[] {0}));
            return chunks;
        }
        Pipeline pipeline = client.pipeline();
        Map<EventSpan, Result<Set<String>>> members = new LinkedHashMap<>();
        sources.forEach(eventSpan -> members.put(eventSpan, pipeline.add(Sets.members(chunkNumbersKey(eventSpan)))));
        pipeline.run();
        members.forEach((eventSpan, numbers) -> chunks.put(
                eventSpan,
                numbers.value().stream()
                        .mapToLong(number -> number(eventSpan, number))
                        .toArray()));
        return chunks;
    }

    /** Returns the numbers of all chunks of {@code sources}, ascending, without duplicates. */
    static long[] union(Map<EventSpan, long[]> chunks, Collection<EventSpan> sources) {
        return sources.stream()
                .flatMapToLong(eventSpan -> LongStream.of(chunks.getOrDefault(eventSpan, new long[0])))
                .sorted()
                .distinct()
                .toArray();
    }

    private long number(EventSpan eventSpan, String member) {
        try {
            return Setting.checkArgument("chunk", Long.parseLong(member), 0, BlockSize.CHUNK.block(Long.MAX_VALUE));
        } catch (IllegalArgumentException e) {
            throw new BitmapException(
                    "a set of chunk numbers has an invalid member: key=" + chunkNumbersKey(eventSpan)
                            + ". Another client writes to this key. Remove the invalid member.",
                    e);
        }
    }

    /**
     * Deletes chunks and their numbers in one step. A mark that another client adds at the same time is either deleted
     * completely or kept completely.
     */
    void clear(EventSpan eventSpan, long[] chunks) {
        Transaction transaction = client.transaction();
        String[] names =
                Arrays.stream(chunks).mapToObj(chunk -> key(eventSpan, chunk)).toArray(String[]::new);
        transaction.add(Keys.unlink(names));
        if (chunked) {
            String[] members = Arrays.stream(chunks).mapToObj(Long::toString).toArray(String[]::new);
            transaction.add(Sets.remove(chunkNumbersKey(eventSpan), members));
        }
        transaction.run();
        transaction.results().forEach(Result::value);
    }

    /**
     * Returns the numbers of all blocks of {@code sources}, ascending. A chunk is one block. A bitmap without chunks
     * consists of blocks of the same size.
     */
    LongStream blocks(List<EventSpan> sources) {
        if (chunked) {
            return LongStream.of(union(chunks(sources), sources));
        }
        Pipeline pipeline = client.pipeline();
        List<Result<Long>> lengths = sources.stream()
                .map(eventSpan -> pipeline.add(Strings.length(key(eventSpan, 0))))
                .toList();
        pipeline.run();
        long longest = lengths.stream().mapToLong(Result::value).max().orElse(0);
        return LongStream.range(0, Blocks.count(longest));
    }

    /** Returns the key that contains {@code block} of {@code eventSpan}. */
    String keyOfBlock(EventSpan eventSpan, long block) {
        return key(eventSpan, chunked ? block : 0);
    }

    /** Returns the offset of the block in its key, in bytes. */
    long offsetOfBlock(long block) {
        return chunked ? 0 : block * Blocks.BYTES;
    }
}
