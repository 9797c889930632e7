// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;

/**
 * Receives pushes, which a server sends without a request, over a shared or dedicated connection. An example is the
 * invalidation of tracked keys.
 */
@FunctionalInterface
public interface PushListener {

    /** Does nothing. */
    PushListener NONE = push -> {};

    /**
     * Called for one push at a time, on a virtual thread. May block: up to 1,024 pushes are buffered during a call.
     * Further pushes are dropped and counted in {@link ClientStats#droppedPushes}.
     */
    void pushed(Reply.Push push);
}
