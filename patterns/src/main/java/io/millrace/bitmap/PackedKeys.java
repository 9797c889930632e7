// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Keys;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.Sets;
import io.millrace.client.Strings;
import io.millrace.client.Transaction;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.LongStream;

/**
 * Which keys the bits of a source are in.
 *
 * <pre>
 *   one bitmap    {name}:event:2026-11-22            all ids, to 2^32
 *   chunked       {name}:event:2026-11-22:7          ids from 7 * 2^20 on
 *                 {name}:event:2026-11-22:chunks     a set: 7, and what other chunks there are
 * </pre>
 *
 * <p>A chunk and its number come in one step, and go in one, so a mark is never out of sight; a chunk that is not there is empty.
 */
record PackedKeys(RedisClient client, String prefix, boolean chunked) {

    String key(Source source, long chunk) {
        return chunked ? source.key(prefix) + ":" + chunk : source.key(prefix);
    }

    String numbers(Source source) {
        return source.key(prefix) + ":chunks";
    }

    /** The bit of {@code id} in its key. */
    long offset(long id) {
        return chunked ? id & (Blocks.BITS - 1) : id;
    }

    long chunk(long id) {
        return chunked ? id >>> Blocks.SHIFT : 0;
    }

    /** The numbers of all chunks of {@code sources}, ascending; a bitmap is all one chunk. */
    long[] chunks(List<Source> sources) {
        if (!chunked) {
            return new long[] {0};
        }
        Pipeline pipeline = client.pipeline();
        List<Result<Set<String>>> members = sources.stream()
                .map(source -> pipeline.add(Sets.members(numbers(source))))
                .toList();
        pipeline.run();
        Set<Long> chunks = new TreeSet<>();
        for (int i = 0; i < sources.size(); i++) {
            for (String number : members.get(i).value()) {
                chunks.add(number(sources.get(i), number));
            }
        }
        return chunks.stream().mapToLong(Long::longValue).toArray();
    }

    private long number(Source source, String member) {
        try {
            return Ranges.check("chunk", Long.parseLong(member), 0, Long.MAX_VALUE >>> Blocks.SHIFT);
        } catch (IllegalArgumentException e) {
            throw new BitmapException(
                    "a set of chunks has a member that is none: key=" + numbers(source)
                            + ". Somebody else writes to this key; take out what is no number of a chunk.",
                    e);
        }
    }

    /** Deletes these chunks together with their numbers, so that a chunk that is marked in meanwhile is either gone or counted. */
    void forget(Source source, long[] chunks) {
        Transaction transaction = client.transaction();
        String[] names =
                Arrays.stream(chunks).mapToObj(chunk -> key(source, chunk)).toArray(String[]::new);
        transaction.add(Keys.unlink(names));
        if (chunked) {
            String[] members = Arrays.stream(chunks).mapToObj(Long::toString).toArray(String[]::new);
            transaction.add(Sets.remove(numbers(source), members));
        }
        transaction.run();
        transaction.results().forEach(Result::value);
    }

    /** The numbers of all blocks of {@code sources}, ascending: a chunk is one, and so is each such part of a bitmap. */
    LongStream blocks(List<Source> sources) {
        if (chunked) {
            return LongStream.of(chunks(sources));
        }
        Pipeline pipeline = client.pipeline();
        List<Result<Long>> lengths = sources.stream()
                .map(source -> pipeline.add(Strings.length(key(source, 0))))
                .toList();
        pipeline.run();
        long longest = lengths.stream().mapToLong(Result::value).max().orElse(0);
        return LongStream.range(0, Blocks.covering(longest));
    }

    /** The key in which {@code block} of {@code source} is. */
    String keyOfBlock(Source source, long block) {
        return key(source, chunked ? block : 0);
    }

    /** Where in it that begins, in bytes. */
    long offsetOfBlock(long block) {
        return chunked ? 0 : block * Blocks.BYTES;
    }
}
