// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.command;

/**
 * Options for the removal of the oldest entries of a stream.
 *
 * @param threshold length or ID, depending on {@code limit}, in decimal digits
 * @param exact whether the server trims to exactly this limit; otherwise the server may keep a few more entries, which
 *     costs the server far less work
 */
public record TrimOptions(Limit limit, String threshold, boolean exact) {

    /** Meaning of the threshold. */
    public enum Limit {
        /** Maximum number of entries to keep. */
        MAXLEN,
        /** ID of the oldest entry to keep. */
        MINID
    }

    public TrimOptions {
        if (!threshold.matches(limit == Limit.MAXLEN ? "\\d{1,19}" : "\\d{1,20}(-\\d{1,20})?")) {
            throw new IllegalArgumentException("threshold must be "
                    + (limit == Limit.MAXLEN ? "a number, 0 or more" : "an ID such as 1526919030474-55") + ", not "
                    + threshold);
        }
    }

    /** Keeps about {@code entries} entries, 0 or more. */
    public static TrimOptions toLength(long entries) {
        return new TrimOptions(Limit.MAXLEN, Long.toString(entries), false);
    }

    /** Removes approximately all entries with an ID below {@code id}. */
    public static TrimOptions from(String id) {
        return new TrimOptions(Limit.MINID, id, false);
    }

    /** Returns a copy that trims exactly. */
    public TrimOptions exactly() {
        return new TrimOptions(limit, threshold, true);
    }

    Arguments addTo(Arguments arguments) {
        return arguments.add(limit.name()).add(exact ? "=" : "~").add(threshold);
    }
}
