// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/** Which members of a sorted set, and in which order: by ascending score unless reversed. */
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

    /** By rank from {@code first} to {@code last}, both included, counted from 0; -1 is the last. */
    public static SortedRange ofRanks(long first, long last) {
        return new SortedRange(first, last, false, false, 0, 0);
    }

    /** Those whose scores are in {@code scores}. */
    public static SortedRange ofScores(ScoreRange scores) {
        return new SortedRange(scores.lowerEnd(), scores.upperEnd(), true, false, 0, 0);
    }

    /** This range by descending score; ranks then count from the highest. */
    public SortedRange reversed() {
        return new SortedRange(first, last, byScore, !reversed, offset, count);
    }

    /**
     * Of this range only {@code newCount} members, 1 to 2,147,483,647, after leaving out the first {@code newOffset}, 0 to
     * 2,147,483,647.
     *
     * @throws IllegalArgumentException if it is a range of ranks, which say the same themselves
     */
    public SortedRange limit(long newOffset, long newCount) {
        if (!byScore) {
            throw new IllegalArgumentException("a range of ranks has its limits already: give other ranks");
        }
        Ranges.check("offset", newOffset, 0L, (long) Integer.MAX_VALUE);
        return new SortedRange(first, last, true, reversed, newOffset, Arguments.count("count", newCount));
    }

    Arguments addTo(Arguments arguments) {
        // Reversed, the server wants the higher score first.
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
