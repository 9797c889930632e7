// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.resp.Reply;

/**
 * Guides the submissions of a cluster: keeps them in order for each slot, and sends redirected ones to another node. A
 * client of one server has no route. All methods are fast, and none waits or runs user code.
 */
public interface Route {

    /**
     * Submitting thread: {@code submission} has permits of {@code connection}, and is about to be queued there. Returns false if
     * the submission must wait in a fence. The thread then releases these permits, acquires permits of {@link #fenceWindow}, and
     * calls {@link #waits}.
     */
    boolean enters(CallerSubmission submission, SharedConnection connection);

    /** The limit of the submissions that wait in fences. */
    FenceWindow fenceWindow();

    /** Submitting thread: adds {@code submission}, which holds permits of {@link #fenceWindow}, to the fence of its slot. */
    void waits(CallerSubmission submission);

    /**
     * Reader: whether {@code error}, the reply to {@code submission}, redirects it. Then the submission gets no outcome, and
     * {@link #redirected} follows.
     */
    boolean redirects(CallerSubmission submission, Reply.ErrorReply error);

    /** Reader: {@code submission} has received its last reply, which is no redirect. The node may have executed it. */
    void answered(CallerSubmission submission);

    /** Sender: whether commands with {@code slot} may be fused. */
    boolean fuses(int slot);

    /** Reader: {@code submission} has left its connection, and its permits are released. */
    void redirected(CallerSubmission submission);

    /** Writer: the connection of {@code submission} has ended for good, and the submission may be sent to another node. */
    void rerouted(CallerSubmission submission);

    /** Any thread: {@code submission} has left its connection with an outcome. */
    void left(CallerSubmission submission);
}
