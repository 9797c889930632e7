// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

import io.millrace.client.internal.range.Ranges;

/**
 * A range of members of a sorted set, by rank, by score, or by the bytes of the members. The members are sorted by ascending score unless the range
 * is {@linkplain #reversed reversed}.
 */
public final class SortedRange {

    /** Meaning of the ends of the range. */
    private enum Order {
        RANK,
        SCORE,
        MEMBER
    }

    private final Object first;
    private final Object last;
    private final Order order;
    private final boolean reversed;
    private final long offset;
    private final long count;

    private SortedRange(Object first, Object last, Order order, boolean reversed, long offset, long count) {
        this.first = first;
        this.last = last;
        this.order = order;
        this.reversed = reversed;
        this.offset = offset;
        this.count = count;
    }

    /** Returns the range of ranks {@code first} to {@code last}, both included, counted from 0. -1 is the last rank. */
    public static SortedRange ofRanks(long first, long last) {
        return new SortedRange(first, last, Order.RANK, false, 0, 0);
    }

    /** Returns the range of members whose scores are in {@code scores}. */
    public static SortedRange ofScores(ScoreRange scores) {
        return new SortedRange(scores.lowerEnd(), scores.upperEnd(), Order.SCORE, false, 0, 0);
    }

    /**
     * Returns the range of members that are in {@code members}. All members of the sorted set must have the same score.
     */
    public static SortedRange ofMembers(MemberRange members) {
        return new SortedRange(members.lowerEnd(), members.upperEnd(), Order.MEMBER, false, 0, 0);
    }

    /** Returns this range, unless it is a range of members: the server returns no scores for such a range. */
    SortedRange requireScores() {
        if (order == Order.MEMBER) {
            throw new IllegalArgumentException(
                    "a range of members has no scores, because all its scores are equal: use range()");
        }
        return this;
    }

    /** Returns a copy that sorts the members in descending order. Rank 0 is then the member with the highest score. */
    public SortedRange reversed() {
        return new SortedRange(first, last, order, !reversed, offset, count);
    }

    /**
     * Returns a copy that skips the first {@code newOffset} members of the range and contains at most {@code newCount}
     * of the next members. Only for a range of scores or members. For a range of ranks, the caller chooses other ranks instead.
     *
     * @param newOffset 0 to 2,147,483,647
     * @param newCount 1 to 2,147,483,647
     * @throws IllegalArgumentException if this is a range of ranks
     */
    public SortedRange limit(long newOffset, long newCount) {
        if (order == Order.RANK) {
            throw new IllegalArgumentException(
                    "limit() is for ranges of scores or members. For a range of ranks, change the ranks");
        }
        Ranges.check("offset", newOffset, 0L, (long) Integer.MAX_VALUE);
        return new SortedRange(first, last, order, reversed, newOffset, Arguments.count("count", newCount));
    }

    Arguments addTo(Arguments arguments) {
        // With REV, the server expects the higher end of the range first.
        boolean swapped = order != Order.RANK && reversed;
        arguments.add(swapped ? last : first).add(swapped ? first : last);
        switch (order) {
            case RANK -> {}
            case SCORE -> arguments.add("BYSCORE");
            case MEMBER -> arguments.add("BYLEX");
        }
        if (reversed) {
            arguments.add("REV");
        }
        return count == 0 ? arguments : arguments.add("LIMIT").add(offset).add(count);
    }
}
