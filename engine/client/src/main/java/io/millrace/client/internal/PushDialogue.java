// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.resp.Reply;
import java.io.IOException;
import java.util.List;

/** What is said over one {@linkplain PushReader connection for pushes}, from its beginning to its end. Its thread's. */
interface PushDialogue {

    /** The commands to begin with, names and arguments. */
    List<List<String>> requests();

    /**
     * Takes whatever comes: an answer to a request or to {@code PING}, or a push.
     *
     * @throws IOException if the connection is of no use: it says why
     */
    void take(Reply reply) throws IOException;

    /** Whether the server has agreed to every request. */
    boolean isConfirmed();
}
