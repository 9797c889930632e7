// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import org.jspecify.annotations.Nullable;

/**
 * The fused commands on a wire, in order: added by the thread that sends, taken by the thread that reads. The volatile
 * link to the next node is the hand-over. It is set before the bytes of the command are published, so it is visible
 * when the reply arrives.
 */
public final class FusedCommandQueue {

    private static final class Node {

        /** Number of its first command among all commands of the wire, from 0. */
        final long firstCommand;

        final @Nullable FusedCommand fused;

        /** Written by the thread that sends; cleared when the next node was taken. */
        volatile @Nullable Node next;

        Node(long firstCommand, @Nullable FusedCommand fusedCommand) {
            this.firstCommand = firstCommand;
            this.fused = fusedCommand;
        }
    }

    /** Sender: the newest node. */
    private Node last = new Node(-1, null);

    /** Reader: the node taken last. */
    private Node taken = last;

    /** Sender: adds {@code fused}, which stands for the commands from number {@code firstCommand} on. */
    public void add(long firstCommand, FusedCommand fusedCommand) {
        Node node = new Node(firstCommand, fusedCommand);
        last.next = node;
        last = node;
    }

    /** Reader: takes the fused command that the next reply answers; null if {@code command} was sent alone. */
    @Nullable
    public FusedCommand take(long command) {
        Node next = taken.next;
        if (next == null || next.firstCommand != command) {
            return null;
        }
        // Unlink: a chain of taken nodes would keep the newest one reachable from the old generation.
        taken.next = null;
        taken = next;
        return next.fused;
    }
}
