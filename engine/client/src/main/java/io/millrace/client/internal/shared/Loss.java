// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Outcome;
import org.jspecify.annotations.Nullable;

/**
 * The end of a {@link Wire}. Decides for each unanswered command of the wire whether the command is lost or may be sent
 * again. The sender asks once for each unanswered command, in the order of the wire.
 *
 * <p>DESIGN. A reply may end the connection of all callers: because it exceeds a limit of the server or of the client,
 * or because there is no memory for it. If the command of such a reply were sent again until its deadline, each attempt
 * would end the connection, and with it the writes of other callers. So there are two limits:
 *
 * <ul>
 *   <li>The client could not read the reply. Then the client knows the command, and does not send this command again. A
 *       command that was not sent has no reply: the unreadable bytes belong to no command.
 *   <li>The server ended the connection. Then the cause may be any unanswered command. So each idempotent command is
 *       sent again at most {@link #MAX_RESENDS} times. Only wires that took the whole command count. Failed attempts to
 *       connect do not count, so commands survive an outage of any length.
 * </ul>
 */
final class Loss {

    /** Two, so that a command survives the loss of one connection and of its replacement, as in a failover. */
    static final int MAX_RESENDS = 2;

    private final String cause;
    private final long bytesTaken;
    private final boolean reconnects;
    private final int unreadableFrom;
    private final int unreadableTo;

    /** Number of commands that the sender has asked about. */
    private int asked;

    /**
     * Creates a loss.
     *
     * @param cause why the wire ended
     * @param bytesTaken number of bytes that the operating system accepted; a command that ends after this position was
     *     not executed
     * @param reconnects whether there will be another wire
     * @param unreadableFrom index of the first command whose reply could not be read; the oldest unanswered command has
     *     the index 0
     * @param unreadableTo index after the last such command; equal to {@code unreadableFrom} if there is none
     */
    Loss(String cause, long bytesTaken, boolean reconnects, int unreadableFrom, int unreadableTo) {
        this.cause = cause;
        this.bytesTaken = bytesTaken;
        this.reconnects = reconnects;
        this.unreadableFrom = unreadableFrom;
        this.unreadableTo = unreadableTo;
    }

    String cause() {
        return cause;
    }

    /** Whether the operating system accepted all bytes of a command that ends at {@code position}. */
    boolean wasSent(long position) {
        return position <= bytesTaken;
    }

    /**
     * Returns the outcome of the next unanswered command; null if the command may be sent again.
     *
     * @param position position in the bytes of the wire at which the command ends
     * @param sentBefore number of earlier wires over which the command was sent
     */
    @Nullable
    Outcome outcomeOfNext(long position, boolean idempotent, int sentBefore) {
        int index = asked++;
        boolean sent = wasSent(position);
        boolean unreadable = sent && index >= unreadableFrom && index < unreadableTo;
        if (reconnects && !unreadable && (!sent || (idempotent && sentBefore < MAX_RESENDS))) {
            return null;
        }
        boolean limitReached = sent && sentBefore == MAX_RESENDS;
        return new Outcome.Lost(
                sent || sentBefore > 0, limitReached ? cause + " (sent " + (sentBefore + 1) + " times)" : cause);
    }
}
