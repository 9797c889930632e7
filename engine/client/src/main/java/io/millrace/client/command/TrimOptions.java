// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

/**
 * Options for the removal of the oldest entries of a stream.
 *
 * @param threshold with {@link Limit#MAXLEN}, the number of entries in decimal digits; with {@link Limit#MINID}, the ID
 *     of an entry
 * @param exact whether the server removes all entries beyond the threshold. If false, the server may keep some of these
 *     entries. This costs the server far less work
 */
public record TrimOptions(Limit limit, String threshold, boolean exact) {

    /** Meaning of the threshold. */
    public enum Limit {
        /** Maximum number of entries to keep. */
        MAXLEN,
        /** Lowest ID to keep. */
        MINID
    }

    public TrimOptions {
        if (!threshold.matches(limit == Limit.MAXLEN ? "\\d{1,19}" : "\\d{1,20}(-\\d{1,20})?")) {
            throw new IllegalArgumentException("threshold must be "
                    + (limit == Limit.MAXLEN ? "a number, 0 or more" : "an ID such as 1526919030474-55") + ", not "
                    + threshold);
        }
    }

    /**
     * Keeps the newest {@code entries} entries and possibly a few older entries.
     *
     * @param entries 0 or more
     */
    public static TrimOptions toLength(long entries) {
        return new TrimOptions(Limit.MAXLEN, Long.toString(entries), false);
    }

    /** Removes the entries with an ID below {@code id}. The server may keep a few of these entries. */
    public static TrimOptions from(String id) {
        return new TrimOptions(Limit.MINID, id, false);
    }

    /** Returns a copy with {@code exact} true. */
    public TrimOptions exactly() {
        return new TrimOptions(limit, threshold, true);
    }

    Arguments addTo(Arguments arguments) {
        return arguments.add(limit.name()).add(exact ? "=" : "~").add(threshold);
    }
}
