// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

/**
 * What is cut off the old end of a stream.
 *
 * @param threshold what it is, in decimal digits
 * @param exact whether exactly that; otherwise the server may leave a little more, which costs it far less
 */
public record Trimming(Limit limit, String threshold, boolean exact) {

    /** What the threshold is. */
    public enum Limit {
        /** How many entries stay. */
        MAXLEN,
        /** The ID of the oldest that stays. */
        MINID
    }

    public Trimming {
        if (!threshold.matches(limit == Limit.MAXLEN ? "\\d{1,19}" : "\\d{1,20}(-\\d{1,20})?")) {
            throw new IllegalArgumentException("threshold must be "
                    + (limit == Limit.MAXLEN ? "a number, 0 or more" : "an ID such as 1526919030474-55") + ", not "
                    + threshold);
        }
    }

    /** Leaves about {@code entries}, 0 or more. */
    public static Trimming toLength(long entries) {
        return new Trimming(Limit.MAXLEN, Long.toString(entries), false);
    }

    /** Leaves what is not older than {@code id}, about. */
    public static Trimming from(String id) {
        return new Trimming(Limit.MINID, id, false);
    }

    /** The same to the entry. */
    public Trimming exactly() {
        return new Trimming(limit, threshold, true);
    }

    Arguments addTo(Arguments arguments) {
        return arguments.add(limit.name()).add(exact ? "=" : "~").add(threshold);
    }
}
