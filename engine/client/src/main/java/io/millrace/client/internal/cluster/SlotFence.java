// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

/**
 * Keeps the commands of one slot in order while the slot moves. See {@link ClusterBulkWriter}. Used by one thread.
 */
final class SlotFence {

    final int slot;

    /** The commands in their order. */
    final CommandRecords.Queue commands = new CommandRecords.Queue();

    /** Redirected commands. They go before {@link #commands}, as soon as no command of the slot is on a connection. */
    final CommandRecords.Queue redirected = new CommandRecords.Queue();

    /** The commands wait at least until this time. */
    long notBefore;

    SlotFence(int slot, long now) {
        this.slot = slot;
        this.notBefore = now;
    }

    boolean isEmpty() {
        return commands.isEmpty() && redirected.isEmpty();
    }
}
