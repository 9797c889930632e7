// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Bitmaps;
import io.millrace.client.Command;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Replies;
import io.millrace.client.Result;
import io.millrace.client.Scripts;
import io.millrace.client.Strings;
import io.millrace.resp.Reply;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * Bitmaps in Redis, whole or in chunks.
 *
 * <p>DESIGN. What ends in one number per question, or in one set, the server computes, in a script for each bitmap: so little is sent,
 * and what is in one bitmap is of one moment. A table is hundreds of intersections of the same few bitmaps; the server would copy each
 * of them hundreds of times and do nothing else meanwhile, so they are fetched once, in pieces, and compared in a cache of ours, by
 * several threads.
 */
final class PackedStore implements Store {

    /** Bitmaps that are looked at for what is sent together, so that the last of it has not timed out before the server comes to it. */
    private static final int AT_ONCE = 64;

    private final RedisClient client;
    private final PackedKeys keys;
    private final ActivityOptions options;
    private final Supplier<String> names;

    PackedStore(RedisClient client, String prefix, ActivityOptions options, Supplier<String> names) {
        this.client = client;
        this.keys = new PackedKeys(client, prefix, options.form() == Form.CHUNKED);
        this.options = options;
        this.names = names;
    }

    @Override
    public long greatestId() {
        return keys.chunked() ? Long.MAX_VALUE : (1L << 32) - 1;
    }

    @Override
    public long mark(Map<Source, long[]> ids) {
        BitSetter setter = new BitSetter(client, keys);
        ids.forEach(setter::add);
        return setter.send();
    }

    @Override
    public boolean contains(List<Source> sources, long id) {
        if (id > greatestId()) {
            return false;
        }
        Pipeline pipeline = client.pipeline();
        List<Result<Boolean>> marked = sources.stream()
                .map(source -> pipeline.add(Bitmaps.get(keys.key(source, keys.chunk(id)), keys.offset(id))))
                .toList();
        pipeline.run();
        return marked.stream().anyMatch(Result::value);
    }

    @Override
    public void forget(List<Source> sources) {
        for (Source source : sources) {
            long[] chunks = keys.chunks(List.of(source));
            if (chunks.length > 0) {
                keys.forget(source, chunks);
            }
        }
    }

    @Override
    public List<Long> count(List<Audience> audiences) {
        Pipeline pipeline = client.pipeline();
        List<List<Result<Long>>> counts = new ArrayList<>();
        int waiting = 0;
        for (Audience audience : audiences) {
            Program program = Program.of(audience, options.grain());
            List<Result<Long>> ofChunks = new ArrayList<>();
            for (long chunk : keys.chunks(program.sources())) {
                ofChunks.add(pipeline.add(count(program, chunk)));
                waiting += program.sources().size();
                if (waiting >= AT_ONCE) {
                    pipeline.run();
                    waiting = 0;
                }
            }
            counts.add(ofChunks);
        }
        pipeline.run();
        return counts.stream()
                .map(chunks -> chunks.stream().mapToLong(Result::value).sum())
                .toList();
    }

    private Command<Long> count(Program program, long chunk) {
        return program.isSource()
                ? Bitmaps.count(keys.key(program.sources().getFirst(), chunk))
                : combine(program, chunk, "count").as(Replies::integer);
    }

    @Override
    public LongStream members(Audience audience) {
        Program program = Program.of(audience, options.grain());
        if (program.isSource()) {
            Source source = program.sources().getFirst();
            return Positions.of(
                    keys.blocks(program.sources()), block -> fetch(source, block), 0, Long.MAX_VALUE, () -> {});
        }
        if (keys.chunked()) {
            return Positions.of(
                    keys.blocks(program.sources()),
                    chunk -> client.send(combine(program, chunk, "read").as(Replies::bytes))
                            .thenApply(bytes -> Words.of(bytes, (bytes.length + 7) >>> 3)),
                    0,
                    Long.MAX_VALUE,
                    () -> {});
        }
        Temporary result =
                Temporary.of(client, program, sourceKeys(program, 0), keys.prefix() + "temporary:" + names.get());
        return Positions.of(result.blocks(), result::fetch, 0, Long.MAX_VALUE, result::close);
    }

    @Override
    public long[][] common(List<Audience> rows, List<Audience> columns) {
        List<Source> sources =
                Store.sources(Stream.concat(rows.stream(), columns.stream()).toList(), options.grain());
        long[] blocks = keys.blocks(sources).toArray();
        Comparison comparison = new Comparison(rows, columns, options.grain());
        long[][] total = new long[rows.size()][columns.size()];
        Pieces pieces = Pieces.of(sources.size(), options.threads());
        new Crew(pieces.threads())
                .inOrder(
                        (long) blocks.length * pieces.ofBlock(),
                        number -> {
                            long block = blocks[(int) (number / pieces.ofBlock())];
                            int first = (int) (number % pieces.ofBlock()) * pieces.words();
                            return comparison.of(fetchAll(sources, block, first, pieces.words()));
                        },
                        part -> Comparison.add(total, part));
        return total;
    }

    @Override
    public List<String> keys(Source source) {
        List<String> all = new ArrayList<>();
        for (long chunk : keys.chunks(List.of(source))) {
            all.add(keys.key(source, chunk));
        }
        if (keys.chunked()) {
            all.add(keys.numbers(source));
        }
        return all;
    }

    @Override
    public Gathering gather() {
        return new PackedGathering(client, keys);
    }

    private List<String> sourceKeys(Program program, long chunk) {
        return program.sources().stream().map(source -> keys.key(source, chunk)).toList();
    }

    /** Nothing of it is seen outside of the script, so that the temporaries' names need not differ. */
    private Command<Reply> combine(Program program, long chunk, String mode) {
        return Scripts.eval(
                BitScripts.COMBINE,
                Temporary.keys(program, sourceKeys(program, chunk), keys.prefix() + "temporary"),
                Temporary.arguments(program, mode));
    }

    private CompletableFuture<long[]> fetch(Source source, long block) {
        return client.send(range(source, block, 0, Blocks.WORDS))
                .thenApply(bytes -> Words.of(bytes, (bytes.length + 7) >>> 3));
    }

    private Map<Source, long[]> fetchAll(List<Source> sources, long block, int first, int count) {
        Pipeline pipeline = client.pipeline();
        Map<Source, Result<byte[]>> replies = new LinkedHashMap<>();
        sources.forEach(source -> replies.put(source, pipeline.add(range(source, block, first, count))));
        pipeline.run();
        long[] none = new long[count];
        Map<Source, long[]> words = new HashMap<>();
        replies.forEach((source, reply) -> {
            byte[] bytes = reply.value();
            words.put(source, bytes.length == 0 ? none : Words.of(bytes, count));
        });
        return words;
    }

    private Command<byte[]> range(Source source, long block, int first, int count) {
        byte[] key = keys.keyOfBlock(source, block).getBytes(StandardCharsets.UTF_8);
        long offset = keys.offsetOfBlock(block) + (long) first * Long.BYTES;
        return Strings.getRange(key, offset, offset + (long) count * Long.BYTES - 1);
    }
}
