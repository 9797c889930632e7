// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.resp.Reply;

/** Takes what a connection reads. All calls come from the connection's own threads, never two at once. */
interface ReplySink {

    /**
     * The next reply, on the reader; must not block, nor run code of the user.
     *
     * @return false if no command is waiting for a reply, which is the end of the connection
     */
    boolean reply(Reply reply);

    /** A message of RESP3 that answers no command, on the reader; must not block, nor run code of the user. */
    default void push(Reply.Push push) {}

    /**
     * All replies of one read were delivered, on the reader: the time to wake whoever waits.
     *
     * @return whether nobody is in a hurry, so that the reader may let further replies gather before it reads again
     */
    boolean batchEnd();

    /** The connection has ended, for {@code cause}: its threads do nothing more. On the last of them. */
    void ended(String cause);
}
