// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Sets;
import io.millrace.client.command.Strings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.roaringbitmap.longlong.LongIterator;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/**
 * Stores compressed sets of ids. The client reads whole sets and computes the result. {@link CompressedWriter} adds
 * marks.
 */
final class CompressedStore implements ActivityStore {

    /** Number of sets fetched together to check one id. The limit bounds the memory of the replies. */
    private static final int SETS_PER_FETCH = 8;

    private final RedisClient client;
    private final Granularity granularity;
    private final CompressedSets sets;
    private final CompressedWriter writer;

    /** @param expiry returns the current expiry of the spans */
    CompressedStore(
            RedisClient client,
            String prefix,
            ActivityOptions options,
            Supplier<SpanExpiry> expiry,
            LongSupplier random) {
        this.client = client;
        this.granularity = options.granularity();
        this.sets = new CompressedSets(client, prefix, expiry, random);
        this.writer = new CompressedWriter(sets, random);
    }

    @Override
    public long maxId() {
        return Long.MAX_VALUE;
    }

    @Override
    public MarkCounts mark(EventSpan eventSpan, long id) {
        return writer.addFew(eventSpan, new long[] {id});
    }

    @Override
    public MarkCounts mark(Map<EventSpan, long[]> ids) {
        MarkCounts counts = MarkCounts.NONE;
        for (Map.Entry<EventSpan, long[]> marks : ids.entrySet()) {
            counts = counts.plus(
                    marks.getValue().length <= CompressedWriter.MAX_RECENT
                            ? writer.addFew(marks.getKey(), marks.getValue())
                            : writer.addMany(marks.getKey(), marks.getValue()));
        }
        return counts;
    }

    @Override
    public boolean contains(List<EventSpan> sources, long id) {
        for (int from = 0; from < sources.size(); from += SETS_PER_FETCH) {
            if (anyContains(sources.subList(from, Math.min(from + SETS_PER_FETCH, sources.size())), id)) {
                return true;
            }
        }
        return false;
    }

    private boolean anyContains(List<EventSpan> sources, long id) {
        Pipeline pipeline = client.pipeline();
        List<Result<Boolean>> recent = new ArrayList<>();
        List<Result<Optional<byte[]>>> values = new ArrayList<>();
        // A mark moves from the recent marks to the compressed set. So the recent marks are read first.
        for (EventSpan eventSpan : sources) {
            recent.add(pipeline.add(Sets.contains(sets.recentKey(eventSpan), Long.toString(id))));
            values.add(pipeline.add(Strings.get(sets.key(eventSpan).getBytes(StandardCharsets.UTF_8))));
        }
        pipeline.run();
        if (recent.stream().anyMatch(Result::value)) {
            return true;
        }
        // Only one decoded set is in memory at a time.
        for (int i = 0; i < values.size(); i++) {
            String key = sets.key(sources.get(i));
            if (CompressedValue.read(key, values.get(i).value()).set().contains(id)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void clear(List<EventSpan> sources) {
        client.call(Keys.unlink(
                sources.stream().flatMap(eventSpan -> keys(eventSpan).stream()).toArray(String[]::new)));
    }

    @Override
    public List<Long> count(List<SetExpression> expressions) {
        return evaluated(expressions).stream()
                .map(Roaring64NavigableMap::getLongCardinality)
                .toList();
    }

    @Override
    public LongStream members(SetExpression setExpression) {
        LongIterator ids = evaluated(List.of(setExpression)).getFirst().getLongIterator();
        int characteristics = Spliterator.ORDERED | Spliterator.DISTINCT | Spliterator.SORTED | Spliterator.NONNULL;
        return StreamSupport.longStream(
                Spliterators.spliteratorUnknownSize(
                        new PrimitiveIterator.OfLong() {
                            @Override
                            public boolean hasNext() {
                                return ids.hasNext();
                            }

                            @Override
                            public long nextLong() {
                                return ids.next();
                            }
                        },
                        characteristics),
                false);
    }

    @Override
    public long[][] intersectionCounts(List<SetExpression> rows, List<SetExpression> columns) {
        List<Roaring64NavigableMap> all =
                evaluated(Stream.concat(rows.stream(), columns.stream()).toList());
        CompressedAlgebra algebra = new CompressedAlgebra(Map.of());
        long[][] common = new long[rows.size()][columns.size()];
        for (int row = 0; row < rows.size(); row++) {
            for (int column = row; column < columns.size(); column++) {
                common[row][column] = algebra.intersection(List.of(all.get(row), all.get(rows.size() + column)))
                        .getLongCardinality();
            }
        }
        return common;
    }

    @Override
    public List<String> keys(EventSpan eventSpan) {
        return sets.keys(eventSpan);
    }

    @Override
    public LoadBuffer loadBuffer() {
        return new MarkBuffer(writer::addMany);
    }

    private List<Roaring64NavigableMap> evaluated(List<SetExpression> expressions) {
        Map<EventSpan, Roaring64NavigableMap> fetched = new HashMap<>();
        sets.read(ActivityStore.sources(expressions, granularity))
                .forEach((eventSpan, stored) -> fetched.put(eventSpan, stored.all()));
        CompressedAlgebra algebra = new CompressedAlgebra(fetched);
        return expressions.stream()
                .map(setExpression -> SetOperations.evaluate(setExpression, granularity, algebra))
                .toList();
    }
}
