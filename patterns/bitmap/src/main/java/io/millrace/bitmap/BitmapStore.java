// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.Bitmaps;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.ScriptCall;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.Strings;
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
 * <p>DESIGN. If the result is one number or one set, the server computes the result. One script computes the part of
 * the result for one bitmap or one chunk. The server then sends little data, and each part is consistent. If the result
 * is a table, the client computes the result. A table needs hundreds of intersections of the same few bitmaps. To
 * compute a table, the server would copy each bitmap hundreds of times, and would be blocked during this time. So the
 * client fetches the bitmaps once, in pieces. Several threads of the client compare the pieces, which stay in the
 * caches of the processor.
 */
final class BitmapStore implements ActivityStore {

    /**
     * Maximum number of bitmaps that one pipeline reads. With more bitmaps, the last command of the pipeline could time
     * out while it waits for the other commands.
     */
    private static final int BITMAPS_PER_RUN = 64;

    /** The same limit for chunks: 64 MB. */
    private static final int CHUNKS_PER_RUN = 4_096;

    private final RedisClient client;
    private final BitmapKeys keys;
    private final ActivityOptions options;
    private final Supplier<String> names;
    private final SparseChunks sparse;

    /** @param expiry returns the current expiry of the spans */
    BitmapStore(
            RedisClient client,
            String prefix,
            ActivityOptions options,
            Supplier<SpanExpiry> expiry,
            Supplier<String> names,
            SparseChunks sparse) {
        this.client = client;
        this.keys = new BitmapKeys(client, prefix, options.encoding() == Encoding.CHUNKED, expiry);
        this.options = options;
        this.names = names;
        this.sparse = sparse;
    }

    @Override
    public long maxId() {
        return keys.chunked() ? Long.MAX_VALUE : (1L << 32) - 1;
    }

    @Override
    public MarkCounts mark(EventSpan eventSpan, long id) {
        MarkCounts counts = BitSetter.setOne(client, keys, eventSpan, id);
        sparse.added(eventSpan, keys.chunk(id), counts.added());
        return counts;
    }

    @Override
    public MarkCounts mark(Map<EventSpan, long[]> ids) {
        BitSetter setter = new BitSetter(client, keys, sparse);
        ids.forEach(setter::add);
        return setter.send();
    }

    @Override
    public boolean contains(List<EventSpan> sources, long id) {
        if (id > maxId()) {
            return false;
        }
        Pipeline pipeline = client.pipeline();
        List<Result<Boolean>> marked = sources.stream()
                .map(eventSpan -> pipeline.add(Bitmaps.get(keys.key(eventSpan, keys.chunk(id)), keys.offset(id))))
                .toList();
        pipeline.run();
        return marked.stream().anyMatch(Result::value);
    }

    @Override
    public void clear(List<EventSpan> sources) {
        keys.chunks(sources).forEach((eventSpan, chunks) -> {
            if (chunks.length > 0) {
                keys.clear(eventSpan, chunks);
            }
        });
    }

    @Override
    public List<Long> count(List<SetExpression> expressions) {
        Map<EventSpan, long[]> chunks = keys.chunks(ActivityStore.sources(expressions, options.granularity()));
        int maxWaiting = keys.chunked() ? CHUNKS_PER_RUN : BITMAPS_PER_RUN;
        CountingPipeline pipeline = new CountingPipeline(client.pipeline());
        List<List<Result<Long>>> counts = new ArrayList<>();
        for (SetExpression setExpression : expressions) {
            BitopProgram bitopProgram = BitopProgram.of(setExpression, options.granularity());
            List<Result<Long>> ofChunks = new ArrayList<>();
            for (long chunk : BitmapKeys.union(chunks, bitopProgram.sources())) {
                ofChunks.add(count(pipeline, bitopProgram, chunk));
                if (pipeline.waiting >= maxWaiting) {
                    pipeline.run();
                }
            }
            counts.add(ofChunks);
        }
        pipeline.run();
        return counts.stream()
                .map(ofChunks -> ofChunks.stream().mapToLong(Result::value).sum())
                .toList();
    }

    private Result<Long> count(CountingPipeline pipeline, BitopProgram bitopProgram, long chunk) {
        return bitopProgram.isSource()
                ? pipeline.add(Bitmaps.count(keys.key(bitopProgram.sources().getFirst(), chunk)), 1)
                : pipeline.add(
                        combine(bitopProgram, chunk, "count").as(Replies::integer),
                        bitopProgram.sources().size());
    }

    /**
     * A pipeline of counts. The first script of each run is sent with its body. The server then has the script, so all
     * later scripts of the run are sent by their SHA-1: 40 bytes instead of two kilobytes. Not thread-safe.
     */
    private static final class CountingPipeline {

        private final Pipeline pipeline;
        private boolean hasScript;

        /** The number of bitmaps that the commands of the next run read. */
        private int waiting;

        CountingPipeline(Pipeline pipeline) {
            this.pipeline = pipeline;
        }

        Result<Long> add(Command<Long> command, int bitmaps) {
            waiting += bitmaps;
            return pipeline.add(command);
        }

        Result<Long> add(ScriptCall<Long> script, int bitmaps) {
            Result<Long> result = add(hasScript ? script.byHash() : script.withBody(), bitmaps);
            hasScript = true;
            return result;
        }

        void run() {
            pipeline.run();
            hasScript = false;
            waiting = 0;
        }
    }

    @Override
    public LongStream members(SetExpression setExpression) {
        BitopProgram bitopProgram = BitopProgram.of(setExpression, options.granularity());
        if (bitopProgram.isSource()) {
            EventSpan eventSpan = bitopProgram.sources().getFirst();
            return SetBitIterator.of(
                    keys.blocks(bitopProgram.sources()),
                    keys.size(),
                    block -> fetch(eventSpan, block),
                    0,
                    Long.MAX_VALUE,
                    () -> {});
        }
        if (keys.chunked()) {
            return SetBitIterator.of(
                    keys.blocks(bitopProgram.sources()),
                    keys.size(),
                    chunk -> client.send(combine(bitopProgram, chunk, "read").as(Replies::bytes))
                            .thenApply(bytes -> Words.of(bytes, (bytes.length + 7) >>> 3)),
                    0,
                    Long.MAX_VALUE,
                    () -> {});
        }
        TemporaryResult result = TemporaryResult.of(
                client, bitopProgram, sourceKeys(bitopProgram, 0), keys.prefix() + "temporary:" + names.get());
        return SetBitIterator.of(result.blocks(), BlockSize.BITMAP, result::fetch, 0, Long.MAX_VALUE, result::close);
    }

    @Override
    public long[][] intersectionCounts(List<SetExpression> rows, List<SetExpression> columns) {
        List<EventSpan> sources = ActivityStore.sources(
                Stream.concat(rows.stream(), columns.stream()).toList(), options.granularity());
        long[] blocks = keys.blocks(sources).toArray();
        IntersectionCounter intersectionCounter = new IntersectionCounter(rows, columns, options.granularity());
        long[][] total = new long[rows.size()][columns.size()];
        FetchPlan fetchPlan = FetchPlan.of(sources.size(), options.threads(), keys.size());
        new ParallelMaker(fetchPlan.threads())
                .inOrder(
                        (long) blocks.length * fetchPlan.perBlock(),
                        number -> {
                            long block = blocks[(int) (number / fetchPlan.perBlock())];
                            int first = (int) (number % fetchPlan.perBlock()) * fetchPlan.words();
                            return intersectionCounter.count(fetchAll(sources, block, first, fetchPlan.words()));
                        },
                        part -> IntersectionCounter.add(total, part));
        return total;
    }

    @Override
    public List<String> keys(EventSpan eventSpan) {
        List<EventSpan> source = List.of(eventSpan);
        List<String> all = new ArrayList<>();
        for (long chunk : BitmapKeys.union(keys.chunks(source), source)) {
            all.add(keys.key(eventSpan, chunk));
        }
        if (keys.chunked()) {
            all.add(keys.chunkNumbersKey(eventSpan));
        }
        return all;
    }

    @Override
    public LoadBuffer loadBuffer() {
        return new BitmapLoadBuffer(client, keys, sparse);
    }

    private List<String> sourceKeys(BitopProgram bitopProgram, long chunk) {
        return bitopProgram.sources().stream()
                .map(eventSpan -> keys.key(eventSpan, chunk))
                .toList();
    }

    /** The temporary keys exist only within the script, so their names need not be unique. */
    private ScriptCall<Reply> combine(BitopProgram bitopProgram, long chunk, String mode) {
        return Scripts.run(
                BitScripts.COMBINE,
                TemporaryResult.keys(bitopProgram, sourceKeys(bitopProgram, chunk), keys.prefix() + "temporary"),
                TemporaryResult.arguments(bitopProgram, mode));
    }

    private CompletableFuture<long[]> fetch(EventSpan eventSpan, long block) {
        return client.send(range(eventSpan, block, 0, keys.size().words()))
                .thenApply(bytes -> Words.of(bytes, (bytes.length + 7) >>> 3));
    }

    private Map<EventSpan, long[]> fetchAll(List<EventSpan> sources, long block, int first, int count) {
        Pipeline pipeline = client.pipeline();
        Map<EventSpan, Result<byte[]>> replies = new LinkedHashMap<>();
        sources.forEach(eventSpan -> replies.put(eventSpan, pipeline.add(range(eventSpan, block, first, count))));
        pipeline.run();
        long[] none = new long[count];
        Map<EventSpan, long[]> words = new HashMap<>();
        replies.forEach((eventSpan, reply) -> {
            byte[] bytes = reply.value();
            words.put(eventSpan, bytes.length == 0 ? none : Words.of(bytes, count));
        });
        return words;
    }

    private Command<byte[]> range(EventSpan eventSpan, long block, int first, int count) {
        byte[] key = keys.keyOfBlock(eventSpan, block).getBytes(StandardCharsets.UTF_8);
        long offset = keys.offsetOfBlock(block) + (long) first * Long.BYTES;
        return Strings.getRange(key, offset, offset + (long) count * Long.BYTES - 1);
    }
}
