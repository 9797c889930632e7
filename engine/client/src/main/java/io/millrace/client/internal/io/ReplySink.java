// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.io;

import io.millrace.resp.Reply;

/**
 * Receives the replies of a connection. One thread at a time calls it: the reader, or a caller with the {@link
 * ReadingRole}.
 */
public interface ReplySink {

    /**
     * Receives the next reply; must not block or run user code.
     *
     * @return false if no command is waiting for a reply, which ends the connection
     */
    boolean reply(Reply reply);

    /**
     * Called if the next reply cannot be read: it is malformed, exceeds a limit, or needs more memory than is free. The
     * connection then ends. Must not allocate memory.
     *
     * @param element index of the element that cannot be read, if the reply is an aggregate; -1 if it is not
     */
    default void unreadable(int element) {}

    /** Receives a RESP3 push, which is not a reply to a command; must not block or run user code. */
    default void push(Reply.Push push) {}

    /**
     * Called after all replies of one read: wakes the waiting threads.
     *
     * @return whether no caller needs replies soon. The reader may then sleep before the next read, so that more
     *     replies gather
     */
    boolean batchEnd();

    /** Returns whether a reply is owed. Any thread. */
    default boolean expectsReplies() {
        return true;
    }

    /**
     * Called when the reading role was freed for the lone caller. The sink should wake the timekeeper, which checks
     * that the lone caller reads.
     */
    default void readingLeftToCaller() {}

    /** Called when the connection has ended for {@code cause}, by the last of its threads to stop. */
    void ended(String cause);
}
