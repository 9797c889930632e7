// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.push;

import io.millrace.resp.Reply;
import java.io.IOException;
import java.util.List;

/** The requests and replies over one {@linkplain PushReader connection for pushes}. Used by its thread only. */
interface PushSession {

    /** The commands to send first, each with its name and arguments. */
    List<List<String>> requests();

    /**
     * Receives a reply to a request or to {@code PING}, or a push.
     *
     * @throws IOException if the connection cannot be used; the message says why
     */
    void handle(Reply reply) throws IOException;

    /** Whether the server has confirmed every request. */
    boolean isConfirmed();
}
