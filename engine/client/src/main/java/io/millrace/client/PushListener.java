// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import io.millrace.resp.Reply;

/** Is told what a server sends unasked over a shared or dedicated connection, such as invalidations of tracked keys. */
@FunctionalInterface
public interface PushListener {

    /** Does nothing. */
    PushListener NONE = push -> {};

    /**
     * Called for one push after the other, on a virtual thread; may block. While it does, up to 1,024 pushes wait; those
     * beyond are dropped and counted in {@link ClientAccount#droppedPushes}.
     */
    void pushed(Reply.Push push);
}
