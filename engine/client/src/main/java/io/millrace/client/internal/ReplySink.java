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

    /**
     * All replies of one read were delivered, on the reader: the time to wake whoever waits.
     *
     * @return whether nobody is in a hurry, so that the reader may let further replies gather before it reads again
     */
    boolean batchEnd();

    /**
     * The connection has ended: nothing more is read or written.
     *
     * @param bytesTaken of what was submitted; a command with a byte beyond that was certainly not executed
     */
    void ended(String cause, long bytesTaken);
}
