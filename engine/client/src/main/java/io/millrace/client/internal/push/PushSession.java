// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.resp.Reply;
import java.io.IOException;
import java.util.List;

/** The requests and replies over one {@linkplain PushReader connection for pushes}. Used by its thread only. */
interface PushSession {

    /** The commands to send first. */
    List<PushRequest> requests();

    /** The commands to send now because of a change. Called before each read while every request is confirmed. */
    default List<PushRequest> changes() {
        return List.of();
    }

    /**
     * Receives a reply to a request or to {@code PING}, or a push.
     *
     * @throws IOException if the connection cannot be used; the message says why
     */
    void handle(Reply reply) throws IOException;

    /** Whether the server has confirmed every request. */
    boolean isConfirmed();

    /**
     * Called after each reply and after {@link #changes} while every request is confirmed. The connection already counts
     * as open.
     */
    default void confirmed() {}
}
