// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.internal.range.Ranges;

/**
 * A range of members of a sorted set, by rank or by score. The members are sorted by ascending score unless the range
 * is {@linkplain #reversed reversed}.
 */
public final class SortedRange {

    private final Object first;
    private final Object last;
    private final boolean byScore;
    private final boolean reversed;
    private final long offset;
    private final long count;

    private SortedRange(Object first, Object last, boolean byScore, boolean reversed, long offset, long count) {
        this.first = first;
        this.last = last;
        this.byScore = byScore;
        this.reversed = reversed;
        this.offset = offset;
        this.count = count;
    }

    /** Returns the range of ranks {@code first} to {@code last}, both included, counted from 0. -1 is the last rank. */
    public static SortedRange ofRanks(long first, long last) {
        return new SortedRange(first, last, false, false, 0, 0);
    }

    /** Returns the range of members whose scores are in {@code scores}. */
    public static SortedRange ofScores(ScoreRange scores) {
        return new SortedRange(scores.lowerEnd(), scores.upperEnd(), true, false, 0, 0);
    }

    /** Returns a copy that sorts the members by descending score. Rank 0 is then the member with the highest score. */
    public SortedRange reversed() {
        return new SortedRange(first, last, byScore, !reversed, offset, count);
    }

    /**
     * Returns a copy that skips the first {@code newOffset} members of the range and contains at most {@code newCount}
     * of the next members. Only for a range of scores. For a range of ranks, the caller chooses other ranks instead.
     *
     * @param newOffset 0 to 2,147,483,647
     * @param newCount 1 to 2,147,483,647
     * @throws IllegalArgumentException if this is a range of ranks
     */
    public SortedRange limit(long newOffset, long newCount) {
        if (!byScore) {
            throw new IllegalArgumentException(
                    "limit() is for ranges of scores. For a range of ranks, change the ranks");
        }
        Ranges.check("offset", newOffset, 0L, (long) Integer.MAX_VALUE);
        return new SortedRange(first, last, true, reversed, newOffset, Arguments.count("count", newCount));
    }

    Arguments addTo(Arguments arguments) {
        // With REV, the server expects the higher end of the range first.
        boolean swapped = byScore && reversed;
        arguments.add(swapped ? last : first).add(swapped ? first : last);
        if (byScore) {
            arguments.add("BYSCORE");
        }
        if (reversed) {
            arguments.add("REV");
        }
        return count == 0 ? arguments : arguments.add("LIMIT").add(offset).add(count);
    }
}
