// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Outcome;
import io.millrace.resp.Reply;
import org.jspecify.annotations.Nullable;

/** Converts replies to outcomes. */
public final class Outcomes {

    static final Outcome TIMED_OUT = new Outcome.TimedOut();
    public static final Outcome REFUSED = new Outcome.Refused();

    /** The outcome of all commands with the reply {@code OK}: one common object. */
    private static final Outcome OK = new Outcome.Ok(Reply.OK);

    private Outcomes() {}

    static Outcome answered(Reply reply) {
        if (Reply.OK.equals(reply)) {
            return OK;
        }
        return reply instanceof Reply.ErrorReply error ? new Outcome.Failed(error) : new Outcome.Ok(reply);
    }

    /** Returns whether a reply decided the outcome. */
    static boolean wasAnswered(@Nullable Outcome outcome) {
        return outcome instanceof Outcome.Ok || outcome instanceof Outcome.Failed;
    }
}
