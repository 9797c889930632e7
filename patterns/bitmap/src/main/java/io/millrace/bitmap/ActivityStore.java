// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * Storage of active ids in one encoding. All spans have the activity's granularity, except spans in an {@link
 * SetExpression}.
 */
interface ActivityStore {

    /** Returns the largest supported id. */
    long maxId();

    /** Marks all ids. Returns the number of new marks. */
    long mark(Map<EventSpan, long[]> ids);

    /** Returns whether {@code id} is marked in at least one of {@code sources}. */
    boolean contains(List<EventSpan> sources, long id);

    /** Returns the number of ids in each of {@code audiences}. */
    List<Long> count(List<SetExpression> audiences);

    /** Returns the ids, ascending. The caller must close the stream or read it to its end. */
    LongStream members(SetExpression setExpression);

    /**
     * Returns, for each row, the number of its ids in each column from the diagonal on. Cells before the diagonal are
     * 0.
     */
    long[][] intersectionCounts(List<SetExpression> rows, List<SetExpression> columns);

    /** Deletes all marks of {@code sources}. A mark added at the same time is deleted or kept completely. */
    void clear(List<EventSpan> sources);

    /** Returns all keys that can exist for {@code eventSpan}, including every key with bits. */
    List<String> keys(EventSpan eventSpan);

    /** Returns a new buffer for marks. */
    LoadBuffer loadBuffer();

    /** A buffer of marks that are sent together. Not thread-safe. */
    interface LoadBuffer {

        void add(EventSpan eventSpan, long id);

        /** Returns the approximate memory use. */
        long bytes();

        /** Sends all marks. Returns the number of new marks. */
        long send();
    }

    /** Returns the distinct sources of {@code audiences}. */
    static List<EventSpan> sources(Collection<SetExpression> audiences, Granularity granularity) {
        return audiences.stream()
                .flatMap(setExpression -> BitopProgram.of(setExpression, granularity).sources().stream())
                .distinct()
                .toList();
    }
}
