// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Fusion;
import io.millrace.resp.Reply;
import java.util.Arrays;

/**
 * One command on the wire that stands for several.
 *
 * @param commands how many, 2 to {@value Run#MOST_COMMANDS}
 * @param kind what they are
 * @param split how its reply is divided among them
 */
record Fused(int commands, Fusion kind, Split split) {

    /** What servers write in front of arguments that they repeat, which here are those of several callers. */
    private static final String REPEATED = ", with args beginning with";

    /** Whether {@code whole} can be the answer. If not, it is not known any more which reply belongs to whom. */
    boolean isAnsweredBy(Reply whole) {
        return whole instanceof Reply.ErrorReply || split.fits(whole, commands);
    }

    /** Fills {@code parts} with the reply of each, of which an error is the same for all. */
    void divide(Reply whole, Reply[] parts) {
        if (whole instanceof Reply.ErrorReply error) {
            Arrays.fill(parts, 0, commands, new Reply.ErrorReply(words(error), true));
        } else {
            split.divide(whole, parts, commands);
        }
    }

    /** The server's words, without anybody's arguments. */
    static String words(Reply.ErrorReply error) {
        int end = error.message().indexOf(REPEATED);
        return end < 0 ? error.message() : error.message().substring(0, end);
    }
}
