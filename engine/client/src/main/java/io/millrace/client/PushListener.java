// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;

/**
 * Receives the pushes of the server on shared and dedicated connections. A push is a message that the server sends
 * without a request, such as the invalidation of a tracked key.
 */
@FunctionalInterface
public interface PushListener {

    /** Does nothing. */
    PushListener NONE = push -> {};

    /**
     * Called for one push at a time, on a virtual thread. The method may block. During a call, up to 1,024 further
     * pushes are buffered. If the buffer is full, pushes are dropped and counted in {@link ClientStats#droppedPushes}.
     */
    void pushed(Reply.Push push);
}
