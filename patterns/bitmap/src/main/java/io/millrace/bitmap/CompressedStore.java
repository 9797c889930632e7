// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Result;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.Strings;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.roaringbitmap.longlong.LongIterator;
import org.roaringbitmap.longlong.Roaring64NavigableMap;

/**
 * Stores compressed sets of ids, one per key. The client reads whole sets and computes the result. To mark ids, the
 * client reads a set, changes the set and writes the set back. If another client has replaced the set in between, the
 * client tries again.
 */
final class CompressedStore implements ActivityStore {

    /** Maximum number of attempts to replace a set. */
    private static final int MAX_ATTEMPTS = 1_000;

    /**
     * Maximum backoff after the first attempt. The maximum grows linearly to ten times this value after the tenth
     * attempt.
     */
    private static final long BACKOFF_NANOS = 1_000_000;

    /** Number of sets fetched together to check one id: enough for the days of a month. */
    private static final int SETS_PER_FETCH = 32;

    private final RedisClient client;
    private final String prefix;
    private final Granularity granularity;
    private final LongSupplier stamps;

    CompressedStore(RedisClient client, String prefix, Granularity granularity, LongSupplier stamps) {
        this.client = client;
        this.prefix = prefix;
        this.granularity = granularity;
        this.stamps = stamps;
    }

    @Override
    public long maxId() {
        return Long.MAX_VALUE;
    }

    @Override
    public long mark(Map<EventSpan, long[]> ids) {
        long added = 0;
        for (Map.Entry<EventSpan, long[]> marks : ids.entrySet()) {
            added += add(marks.getKey(), marks.getValue());
        }
        return added;
    }

    @Override
    public boolean contains(List<EventSpan> sources, long id) {
        for (int from = 0; from < sources.size(); from += SETS_PER_FETCH) {
            List<EventSpan> batch = sources.subList(from, Math.min(from + SETS_PER_FETCH, sources.size()));
            // Only one decoded set is in memory at a time.
            for (Map.Entry<EventSpan, Result<Optional<byte[]>>> reply :
                    replies(batch).entrySet()) {
                if (set(reply.getKey(), reply.getValue()).contains(id)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public void clear(List<EventSpan> sources) {
        client.call(Keys.unlink(
                sources.stream().map(eventSpan -> eventSpan.key(prefix)).toArray(String[]::new)));
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
        return List.of(eventSpan.key(prefix));
    }

    @Override
    public LoadBuffer loadBuffer() {
        return new CompressedLoadBuffer();
    }

    private List<Roaring64NavigableMap> evaluated(List<SetExpression> expressions) {
        CompressedAlgebra algebra = fetch(ActivityStore.sources(expressions, granularity));
        return expressions.stream()
                .map(setExpression -> SetOperations.evaluate(setExpression, granularity, algebra))
                .toList();
    }

    private CompressedAlgebra fetch(List<EventSpan> sources) {
        Map<EventSpan, Roaring64NavigableMap> sets = new HashMap<>();
        replies(sources).forEach((eventSpan, reply) -> sets.put(eventSpan, set(eventSpan, reply)));
        return new CompressedAlgebra(sets);
    }

    private Map<EventSpan, Result<Optional<byte[]>>> replies(List<EventSpan> sources) {
        Pipeline pipeline = client.pipeline();
        Map<EventSpan, Result<Optional<byte[]>>> replies = new LinkedHashMap<>();
        sources.forEach(eventSpan -> replies.put(eventSpan, pipeline.add(Strings.get(bytesOf(eventSpan)))));
        pipeline.run();
        return replies;
    }

    private Roaring64NavigableMap set(EventSpan eventSpan, Result<Optional<byte[]>> reply) {
        return CompressedValue.read(eventSpan.key(prefix), reply.value()).set();
    }

    /** Returns the number of new ids. */
    private long add(EventSpan eventSpan, long[] ids) {
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            CompressedValue known =
                    CompressedValue.read(eventSpan.key(prefix), client.call(Strings.get(bytesOf(eventSpan))));
            long before = known.set().getLongCardinality();
            known.set().add(ids);
            long added = known.set().getLongCardinality() - before;
            if (added == 0 || replace(eventSpan, known)) {
                return added;
            }
            // Pauses for a random time, so that clients that change the same set do not collide again.
            LockSupport.parkNanos(Math.floorMod(stamps.getAsLong(), BACKOFF_NANOS * Math.min(attempt + 1, 10)));
        }
        throw new BitmapException("marks were not added to a compressed set, because another client replaced the set"
                + " during each attempt: key=" + eventSpan.key(prefix)
                + ", attempts=" + MAX_ATTEMPTS + ". Mark in larger batches, or use the encoding BITMAP or CHUNKED.");
    }

    private boolean replace(EventSpan eventSpan, CompressedValue value) {
        return client.call(Scripts.run(
                        BitScripts.REPLACE,
                        List.of(eventSpan.key(prefix)),
                        List.of(value.stamp(), value.encode(stamps.getAsLong())))
                .as(Replies::flag));
    }

    private byte[] bytesOf(EventSpan eventSpan) {
        return eventSpan.key(prefix).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Collects ids in arrays, because the memory of an array is known. In contrast, a single id in a compressed set can
     * take two hundred bytes. The buffer converts an array to a compressed set only when the buffer sends the set.
     */
    private final class CompressedLoadBuffer implements LoadBuffer {

        /** Memory of one id in bytes: twice its size, because the arrays grow by doubling. */
        private static final int MARK_BYTES = 2 * Long.BYTES;

        private static final int EMPTY_BYTES = 512;

        private final Map<EventSpan, LongStream.Builder> gathered = new LinkedHashMap<>();
        private long marks;

        @Override
        public void add(EventSpan eventSpan, long id) {
            gathered.computeIfAbsent(eventSpan, added -> LongStream.builder()).add(id);
            marks++;
        }

        @Override
        public long bytes() {
            return marks * MARK_BYTES + (long) gathered.size() * EMPTY_BYTES;
        }

        @Override
        public long send() {
            long added = 0;
            for (Map.Entry<EventSpan, LongStream.Builder> ids : gathered.entrySet()) {
                added += CompressedStore.this.add(
                        ids.getKey(), ids.getValue().build().toArray());
            }
            gathered.clear();
            marks = 0;
            return added;
        }
    }

    private record CompressedAlgebra(Map<EventSpan, Roaring64NavigableMap> sets)
            implements SetOperations<Roaring64NavigableMap> {

        @Override
        public Roaring64NavigableMap active(EventSpan eventSpan) {
            Roaring64NavigableMap set = sets.get(eventSpan);
            if (set == null) {
                throw new IllegalStateException(
                        "a set expression needs a compressed set that was not fetched: eventSpan=" + eventSpan);
            }
            return set;
        }

        @Override
        public Roaring64NavigableMap union(List<Roaring64NavigableMap> parts) {
            Roaring64NavigableMap all = CompressedValue.emptySet();
            parts.forEach(all::or);
            return all;
        }

        @Override
        public Roaring64NavigableMap intersection(List<Roaring64NavigableMap> parts) {
            Roaring64NavigableMap all = union(List.of(parts.getFirst()));
            parts.subList(1, parts.size()).forEach(all::and);
            return all;
        }

        @Override
        public Roaring64NavigableMap difference(Roaring64NavigableMap base, Roaring64NavigableMap excluded) {
            Roaring64NavigableMap left = union(List.of(base));
            left.andNot(excluded);
            return left;
        }
    }
}
