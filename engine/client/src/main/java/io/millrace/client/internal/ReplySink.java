// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.resp.Reply;

/** Takes what a connection reads. Never called by two threads at once: the reader, or a caller with the {@link ReadingRole}. */
interface ReplySink {

    /**
     * The next reply; must not block, nor run code of the user.
     *
     * @return false if no command is waiting for a reply, which is the end of the connection
     */
    boolean reply(Reply reply);

    /** A message of RESP3 that answers no command; must not block, nor run code of the user. */
    default void push(Reply.Push push) {}

    /**
     * All replies of one read were delivered: the time to wake whoever waits.
     *
     * @return whether nobody is in a hurry, so that the reader may let further replies gather before it reads again
     */
    boolean batchEnd();

    /** Whether somebody has asked for something that is not answered yet. Any thread. */
    default boolean expectsReplies() {
        return true;
    }

    /** Nobody reads for now: a lone caller is expected to, and should be watched. */
    default void leftToCaller() {}

    /** The connection has ended, for {@code cause}: its threads do nothing more. On the last of them to leave. */
    void ended(String cause);
}
