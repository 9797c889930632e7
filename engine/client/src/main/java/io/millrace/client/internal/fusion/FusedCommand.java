// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import io.millrace.client.command.Fusion;
import io.millrace.resp.Reply;
import java.util.Arrays;

/**
 * One command on the wire that stands for several submitted commands.
 *
 * @param commands number of submitted commands, 2 to {@value FusedBatch#MAX_COMMANDS}
 * @param kind kind of the submitted commands
 * @param split divides the reply among the submitted commands
 */
public record FusedCommand(int commands, Fusion kind, ReplySplitter split) {

    /**
     * Text in some error replies. After this text, the server repeats the arguments of the command; these arguments
     * belong to several callers.
     */
    private static final String REPEATED = ", with args beginning with";

    /**
     * Returns whether {@code whole} can be the reply to this command. If not, the replies on this connection no longer
     * match the commands.
     */
    boolean accepts(Reply whole) {
        return whole instanceof Reply.ErrorReply || split.fits(whole, commands);
    }

    /**
     * Fills {@code parts} with the reply to each submitted command. If {@code whole} is an error reply, all submitted
     * commands get the same error reply.
     */
    public void splitReply(Reply whole, Reply[] parts) {
        if (whole instanceof Reply.ErrorReply error) {
            Arrays.fill(parts, 0, commands, new Reply.ErrorReply(messageWithoutArguments(error), true));
        } else {
            split.split(whole, parts, commands);
        }
    }

    /** Returns how many submitted commands get an error reply from {@code whole}, which is not an error reply itself. */
    public int errors(Reply whole) {
        return split.errors(whole);
    }

    /**
     * Returns the index of the submitted command whose reply is element {@code element} of the reply to this command.
     * Returns -1 if the element does not belong to a single submitted command.
     */
    public int commandOfElement(int element) {
        return split.hasItemPerCommand() && element < commands ? element : -1;
    }

    /** Returns the server's message without the arguments of any caller. */
    static String messageWithoutArguments(Reply.ErrorReply error) {
        int end = error.message().indexOf(REPEATED);
        return end < 0 ? error.message() : error.message().substring(0, end);
    }
}
