// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import org.jspecify.annotations.Nullable;

/**
 * The fused commands on a wire, in order: added by whoever sends, taken by whoever reads. The link to the next is what hands it
 * over; it is set before the bytes of that command are published, so it is there when its reply comes.
 */
final class FusedRuns {

    private static final class Node {

        /** The number of its first command among all of the wire, counted from 0. */
        final long firstCommand;

        final @Nullable Fused fused;

        /** Written by whoever sends, and cleared when the next was taken. */
        volatile @Nullable Node next;

        Node(long firstCommand, @Nullable Fused fused) {
            this.firstCommand = firstCommand;
            this.fused = fused;
        }
    }

    /** The sender's: the newest. */
    private Node last = new Node(-1, null);

    /** The reader's: the last that was taken. */
    private Node taken = last;

    /** Sender: the commands from {@code firstCommand} on went out as {@code fused}. */
    void add(long firstCommand, Fused fused) {
        Node node = new Node(firstCommand, fused);
        last.next = node;
        last = node;
    }

    /** Reader: takes what the next reply answers, if {@code command} went out together with others; null if it did not. */
    @Nullable
    Fused take(long command) {
        Node next = taken.next;
        if (next == null || next.firstCommand != command) {
            return null;
        }
        // A chain of nodes that were taken would keep the newest from being collected while it is young.
        taken.next = null;
        taken = next;
        return next.fused;
    }
}
