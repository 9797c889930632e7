// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.fusion;

import org.jspecify.annotations.Nullable;

/**
 * The fused commands on a wire, in order. The thread that sends adds them, and the thread that reads takes them. Each
 * node has a volatile link to the next node. The thread that sends sets the link before it publishes the bytes of the
 * command. So the reading thread sees the link when the reply arrives.
 */
public final class FusedCommandQueue {

    private static final class Node {

        /**
         * Number of the first command that the fused command stands for. All commands of the wire are numbered from 0.
         */
        final long firstCommand;

        final @Nullable FusedCommand fused;

        /** Written by the thread that sends; cleared by the thread that reads when it takes the next node. */
        volatile @Nullable Node next;

        Node(long firstCommand, @Nullable FusedCommand fusedCommand) {
            this.firstCommand = firstCommand;
            this.fused = fusedCommand;
        }
    }

    /** Sender: the newest node. */
    private Node last = new Node(-1, null);

    /** Reader: the node that was taken last. */
    private Node taken = last;

    /** Sender: adds {@code fusedCommand}, which stands for the commands from number {@code firstCommand} on. */
    public void add(long firstCommand, FusedCommand fusedCommand) {
        Node node = new Node(firstCommand, fusedCommand);
        last.next = node;
        last = node;
    }

    /** Reader: takes the fused command that the next reply belongs to; null if {@code command} was not fused. */
    @Nullable
    public FusedCommand take(long command) {
        Node next = taken.next;
        if (next == null || next.firstCommand != command) {
            return null;
        }
        // Unlink the taken node. Otherwise a taken node in the old generation of the heap would keep all later nodes
        // from being collected.
        taken.next = null;
        taken = next;
        return next.fused;
    }
}
