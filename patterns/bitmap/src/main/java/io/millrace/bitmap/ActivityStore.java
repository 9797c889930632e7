// SPDX-License-Identifier: Apache-2.0
package io.millrace.bitmap;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/**
 * Storage of active ids in one encoding. All spans have the activity's granularity, except spans in a {@link
 * SetExpression}.
 */
interface ActivityStore {

    /** Returns the largest supported id. */
    long maxId();

    /** Marks one id. */
    MarkCounts mark(EventSpan eventSpan, long id);

    /** Marks all ids. */
    MarkCounts mark(Map<EventSpan, long[]> ids);

    /** Returns whether {@code id} is marked in at least one of {@code sources}. */
    boolean contains(List<EventSpan> sources, long id);

    /** Returns the number of ids in each set expression of {@code expressions}. */
    List<Long> count(List<SetExpression> expressions);

    /** Returns the ids of {@code setExpression}, ascending. The caller must close the stream or read it to its end. */
    LongStream members(SetExpression setExpression);

    /**
     * Returns a table of counts. Each cell is the number of ids that are both in the set of its row and in the set of
     * its column. The cells before the diagonal are not computed and are 0.
     */
    long[][] intersectionCounts(List<SetExpression> rows, List<SetExpression> columns);

    /**
     * Deletes all marks of {@code sources}. A mark that another client adds at the same time is either deleted
     * completely or kept completely.
     */
    void clear(List<EventSpan> sources);

    /**
     * Returns the names of all keys that may exist for {@code eventSpan}. Every key that contains marks is included.
     */
    List<String> keys(EventSpan eventSpan);

    /** Returns a new buffer for marks. */
    LoadBuffer loadBuffer();

    /** A buffer of marks that are sent together. Not thread-safe. */
    interface LoadBuffer {

        void add(EventSpan eventSpan, long id);

        /** Returns the approximate memory use in bytes. */
        long bytes();

        /** Sends all marks. Equal marks are counted once. */
        MarkCounts send();
    }

    /** Returns the sources of all set expressions in {@code expressions}, without duplicates. */
    static List<EventSpan> sources(Collection<SetExpression> expressions, Granularity granularity) {
        return expressions.stream()
                .flatMap(setExpression -> BitopProgram.of(setExpression, granularity).sources().stream())
                .distinct()
                .toList();
    }
}
