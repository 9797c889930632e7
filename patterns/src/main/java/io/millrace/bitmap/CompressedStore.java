// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import io.millrace.client.Keys;
import io.millrace.client.Pipeline;
import io.millrace.client.RedisClient;
import io.millrace.client.Replies;
import io.millrace.client.Result;
import io.millrace.client.Strings;
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
 * Compressed sets of ids, each the value of one key. The client reads them whole and computes. Marking reads a set, and replaces it if
 * nobody else has meanwhile: two that mark at once both succeed, one after the other.
 */
final class CompressedStore implements Store {

    /** With so many others that always come first, marks are sent too finely. */
    private static final int MOST_ATTEMPTS = 1_000;

    /** The longest pause after the first attempt; after the tenth, and from then on, it is ten times that. */
    private static final long PAUSE_NANOS = 1_000_000;

    /** Sets that are fetched at a time to look for one id; a month of days in one go. */
    private static final int LOOKED_INTO_AT_ONCE = 32;

    private final RedisClient client;
    private final String prefix;
    private final Grain grain;
    private final LongSupplier stamps;

    CompressedStore(RedisClient client, String prefix, Grain grain, LongSupplier stamps) {
        this.client = client;
        this.prefix = prefix;
        this.grain = grain;
        this.stamps = stamps;
    }

    @Override
    public long greatestId() {
        return Long.MAX_VALUE;
    }

    @Override
    public long mark(Map<Source, long[]> ids) {
        long added = 0;
        for (Map.Entry<Source, long[]> marks : ids.entrySet()) {
            added += add(marks.getKey(), marks.getValue());
        }
        return added;
    }

    @Override
    public boolean contains(List<Source> sources, long id) {
        for (int from = 0; from < sources.size(); from += LOOKED_INTO_AT_ONCE) {
            List<Source> some = sources.subList(from, Math.min(from + LOOKED_INTO_AT_ONCE, sources.size()));
            // A set that was looked into is let go of before the next is unpacked.
            for (Map.Entry<Source, Result<Optional<byte[]>>> reply :
                    replies(some).entrySet()) {
                if (set(reply.getKey(), reply.getValue()).contains(id)) {
                    return true;
                }
            }
        }
        return false;
    }

    @Override
    public void forget(List<Source> sources) {
        client.call(
                Keys.unlink(sources.stream().map(source -> source.key(prefix)).toArray(String[]::new)));
    }

    @Override
    public List<Long> count(List<Audience> audiences) {
        return evaluated(audiences).stream()
                .map(Roaring64NavigableMap::getLongCardinality)
                .toList();
    }

    @Override
    public LongStream members(Audience audience) {
        LongIterator ids = evaluated(List.of(audience)).getFirst().getLongIterator();
        int nature = Spliterator.ORDERED | Spliterator.DISTINCT | Spliterator.SORTED | Spliterator.NONNULL;
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
                        nature),
                false);
    }

    @Override
    public long[][] common(List<Audience> rows, List<Audience> columns) {
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
    public List<String> keys(Source source) {
        return List.of(source.key(prefix));
    }

    @Override
    public Gathering gather() {
        return new CompressedGathering();
    }

    private List<Roaring64NavigableMap> evaluated(List<Audience> audiences) {
        CompressedAlgebra algebra = fetch(Store.sources(audiences, grain));
        return audiences.stream()
                .map(audience -> Algebra.fold(audience, grain, algebra))
                .toList();
    }

    private CompressedAlgebra fetch(List<Source> sources) {
        Map<Source, Roaring64NavigableMap> sets = new HashMap<>();
        replies(sources).forEach((source, reply) -> sets.put(source, set(source, reply)));
        return new CompressedAlgebra(sets);
    }

    private Map<Source, Result<Optional<byte[]>>> replies(List<Source> sources) {
        Pipeline pipeline = client.pipeline();
        Map<Source, Result<Optional<byte[]>>> replies = new LinkedHashMap<>();
        sources.forEach(source -> replies.put(source, pipeline.add(Strings.get(bytesOf(source)))));
        pipeline.run();
        return replies;
    }

    private Roaring64NavigableMap set(Source source, Result<Optional<byte[]>> reply) {
        return CompressedValue.read(source.key(prefix), reply.value()).set();
    }

    /** Answers how many were not there before. */
    private long add(Source source, long[] ids) {
        for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
            CompressedValue known = CompressedValue.read(source.key(prefix), client.call(Strings.get(bytesOf(source))));
            long before = known.set().getLongCardinality();
            known.set().add(ids);
            long added = known.set().getLongCardinality() - before;
            if (added == 0 || replace(source, known)) {
                return added;
            }
            // By chance, so that those who hinder each other do not meet again.
            LockSupport.parkNanos(Math.floorMod(stamps.getAsLong(), PAUSE_NANOS * Math.min(attempt + 1, 10)));
        }
        throw new BitmapException("marks were not added, because others always came first: key=" + source.key(prefix)
                + ", attempts=" + MOST_ATTEMPTS + ". Mark in larger batches, or keep bitmaps.");
    }

    private boolean replace(Source source, CompressedValue value) {
        return Replies.flag(ServerScript.run(
                client,
                BitScripts.REPLACE,
                List.of(source.key(prefix)),
                List.of(value.stamp(), value.writtenWith(stamps.getAsLong()))));
    }

    private byte[] bytesOf(Source source) {
        return source.key(prefix).getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Ids as they come; what they take is known then, other than in a set, where a lone id may take two hundred bytes. Sets are made of
     * them one by one, when each is sent.
     */
    private final class CompressedGathering implements Gathering {

        /** Of an id, since the room of those that come grows twofold. */
        private static final int BYTES_OF_A_MARK = 2 * Long.BYTES;

        private static final int BYTES_OF_AN_EMPTY_ONE = 512;

        private final Map<Source, LongStream.Builder> gathered = new LinkedHashMap<>();
        private long marks;

        @Override
        public void add(Source source, long id) {
            gathered.computeIfAbsent(source, added -> LongStream.builder()).add(id);
            marks++;
        }

        @Override
        public long bytes() {
            return marks * BYTES_OF_A_MARK + (long) gathered.size() * BYTES_OF_AN_EMPTY_ONE;
        }

        @Override
        public long send() {
            long added = 0;
            for (Map.Entry<Source, LongStream.Builder> ids : gathered.entrySet()) {
                added += CompressedStore.this.add(
                        ids.getKey(), ids.getValue().build().toArray());
            }
            gathered.clear();
            marks = 0;
            return added;
        }
    }

    private record CompressedAlgebra(Map<Source, Roaring64NavigableMap> sets)
            implements Algebra<Roaring64NavigableMap> {

        @Override
        public Roaring64NavigableMap active(Source source) {
            Roaring64NavigableMap set = sets.get(source);
            if (set == null) {
                throw new IllegalStateException("not fetched: " + source);
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
        public Roaring64NavigableMap difference(Roaring64NavigableMap those, Roaring64NavigableMap taken) {
            Roaring64NavigableMap left = union(List.of(those));
            left.andNot(taken);
            return left;
        }
    }
}
