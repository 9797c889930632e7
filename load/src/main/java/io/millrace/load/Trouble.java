// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import io.millrace.client.Outcome;
import io.millrace.client.Setting.Unit;
import io.millrace.resp.Reply.ErrorReply;
import java.time.Duration;

/**
 * The reason why a connection of a load accepts no rows at present: a temporary error of the server, or the loss of the
 * connection.
 *
 * @param what what happened, as a sentence
 * @param advice what the user can do if the state does not end, as a sentence
 * @param longestWait longest wait for the end of this state, from the first refused or lost row to the last attempt
 */
record Trouble(String what, String advice, Duration longestWait) {

    static Trouble refused(ServerError kind, ErrorReply error, Duration patience) {
        return new Trouble(
                ServerError.NO_ROWS + ServerError.sentence(error.message()), kind.advice(), kind.longestWait(patience));
    }

    static Trouble lost(Outcome.Lost lost, Duration patience) {
        return new Trouble(
                lostText(lost), "Check that the server runs, and load the rows again that were not written.", patience);
    }

    static String lostText(Outcome.Lost lost) {
        return "the connection to Redis was lost: " + ServerError.sentence(lost.cause());
    }

    /**
     * The reason why the load stops.
     *
     * @param waited time since the first refused or lost row
     * @param lastFailure why the last attempt to connect failed; empty if the attempt succeeded
     */
    String message(Duration waited, String lastFailure) {
        String waiting = waited.isZero() ? "" : " The loader has waited " + Unit.TIME.text(waited) + ".";
        String failure = lastFailure.isEmpty() ? "" : " Last attempt: " + ServerError.sentence(lastFailure);
        return what + waiting + failure + " " + advice;
    }
}
