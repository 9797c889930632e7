// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** One form of keeping who was active. All spans are of the grain that is kept, but for those within an {@link Audience}. */
interface Store {

    /** The greatest id that can be kept. */
    long greatestId();

    /** Marks all these ids, and answers how many were not marked before. */
    long mark(Map<Source, long[]> ids);

    /** Whether {@code id} is marked in one of {@code sources}. */
    boolean contains(List<Source> sources, long id);

    /** How many are in each of {@code audiences}. */
    List<Long> count(List<Audience> audiences);

    /** Ascending. To be closed, or read to its end. */
    LongStream members(Audience audience);

    /** For each of {@code rows} how many of them are in each of {@code columns} that is not before it; zero for those before. */
    long[][] common(List<Audience> rows, List<Audience> columns);

    /** Unmarks all of {@code sources}; a mark that is made meanwhile is kept as a whole, or not at all. */
    void forget(List<Source> sources);

    /** The keys that there may be for {@code source}; those with bits are there. */
    List<String> keys(Source source);

    /** A place where marks come together until there are so many that they are sent. */
    Gathering gather();

    /** Marks that were not sent yet. Belongs to one thread. */
    interface Gathering {

        void add(Source source, long id);

        /** How much memory they take, about. */
        long bytes();

        /** Sends them all, and answers how many were not marked before. */
        long send();
    }

    /** All sources of {@code audiences}, each once. */
    static List<Source> sources(Collection<Audience> audiences, Grain grain) {
        return audiences.stream()
                .flatMap(audience -> Program.of(audience, grain).sources().stream())
                .distinct()
                .toList();
    }
}
