// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.BulkOptions;
import io.millrace.client.Outcome;
import io.millrace.client.internal.slot.HashSlot;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The fences of a {@link ClusterBulkWriter}, and the number of commands of each slot that are on connections. Used by the
 * owner of the writer.
 *
 * <p>The slot {@link HashSlot#COUNT} stands for commands without a key.
 */
final class SlotFences {

    private static final int MOST_DOUBLINGS = 5;

    /** Sends or ends the commands that leave a fence. */
    interface Commands {

        /** Whether commands may be sent: no connection of the writer is lost, and the writer is not aborted. */
        boolean isOpen();

        /** Submits a command to {@code node}. May wait for permits, and then a connection may be lost. */
        void resend(int record, BulkNodes.BulkNode node, boolean asks);

        /** Ends a command that is on no connection. */
        void endUnsent(int record, Outcome outcome);

        /** The outcome of a command whose slot had no node until its deadline. */
        Outcome withoutNode(int slot);
    }

    private final CommandRecords records;
    private final BulkNodes nodes;
    private final LongSupplier clock;
    private final Commands commands;
    private final RefusedMembers<Integer> refusedMembers;
    private final @Nullable SlotFence[] fences = new SlotFence[HashSlot.COUNT + 1];
    private final List<SlotFence> active = new ArrayList<>();

    /** The memory for the commands that are added to fences. */
    private final RecordSegments.Chain chain = new RecordSegments.Chain();

    private final int[] onConnections = new int[HashSlot.COUNT + 1];
    private final BulkNodes.@Nullable BulkNode[] lastNodes = new BulkNodes.BulkNode[HashSlot.COUNT + 1];

    private int keptCommands;
    private long keptBytes;

    SlotFences(
            CommandRecords records,
            BulkNodes nodes,
            LongSupplier clock,
            RefusedMembers<Integer> refusedMembers,
            Commands commands) {
        this.records = records;
        this.nodes = nodes;
        this.clock = clock;
        this.refusedMembers = refusedMembers;
        this.commands = commands;
    }

    RecordSegments.Chain chain() {
        return chain;
    }

    boolean any() {
        return !active.isEmpty();
    }

    boolean has(int slot) {
        return !active.isEmpty() && fences[slot] != null;
    }

    /** Whether commands of {@code slot} are in its fence or on a connection. */
    boolean isBusy(int slot) {
        return has(slot) || onConnections[slot] > 0;
    }

    /** Whether the fences may keep one more command: together as many as one connection. */
    boolean haveRoom(BulkOptions options) {
        return keptCommands < options.inFlight() && keptBytes < options.inFlightBytes();
    }

    /** Whether a command of {@code slot} may be sent to {@code node}: the earlier commands are there, too, or are answered. */
    boolean admit(int slot, BulkNodes.BulkNode node) {
        return onConnections[slot] == 0 || node.equals(lastNodes[slot]) || slot == HashSlot.COUNT;
    }

    /** A command of {@code slot} is submitted to {@code node}. */
    void entered(int slot, BulkNodes.BulkNode node) {
        onConnections[slot]++;
        if (lastNodes[slot] != node) {
            lastNodes[slot] = node;
        }
        node.pending++;
    }

    /** A command of {@code slot} has an outcome at {@code node}. */
    void left(int slot, BulkNodes.BulkNode node) {
        onConnections[slot]--;
        node.pending--;
    }

    /** Adds a new command behind the earlier commands of its slot. */
    void add(int record) {
        records.append(fence(records.slot(record)).commands, record);
        keep(record);
    }

    /** Adds a command that was redirected. */
    void redirected(int record) {
        records.append(fence(records.slot(record)).redirected, record);
        keep(record);
    }

    private void keep(int record) {
        keptCommands++;
        keptBytes += records.length(record);
    }

    private void release(int record) {
        keptCommands--;
        keptBytes -= records.length(record);
    }

    private SlotFence fence(int slot) {
        SlotFence fence = fences[slot];
        if (fence == null) {
            fence = new SlotFence(slot, clock.getAsLong());
            fences[slot] = fence;
            active.add(fence);
        }
        return fence;
    }

    /** The commands of {@code slot} wait for {@code nanos}, doubled {@code doublings} times, before they are sent again. */
    void delay(int slot, long nanos, int doublings) {
        SlotFence fence = fence(slot);
        long until = clock.getAsLong() + (nanos << Math.min(doublings, MOST_DOUBLINGS));
        fence.notBefore = until - fence.notBefore > 0 ? until : fence.notBefore;
    }

    /** The node whose outcomes are needed most: a fence waits for them, or they are many. Null if there are none. */
    BulkNodes.@Nullable BulkNode mostAwaited() {
        BulkNodes.BulkNode best = null;
        boolean bestIsAwaited = false;
        for (BulkNodes.BulkNode node : nodes.all()) {
            boolean awaited = isAwaited(node);
            boolean better = best == null || (awaited == bestIsAwaited ? node.pending > best.pending : awaited);
            if (node.pending > 0 && better) {
                best = node;
                bestIsAwaited = awaited;
            }
        }
        return best;
    }

    private boolean isAwaited(BulkNodes.BulkNode node) {
        for (SlotFence fence : active) {
            if (onConnections[fence.slot] > 0 && node.equals(lastNodes[fence.slot])) {
                return true;
            }
        }
        return false;
    }

    /**
     * Sends the commands of each fence whose earlier commands are answered. Sends nothing more after a lost connection: a
     * lost command may have an earlier place in the order of its slot.
     *
     * @throws io.millrace.client.exception.ConnectException if a node cannot be reached
     */
    void advance() {
        // A submitted command may end other commands, which adds fences at the end of the list.
        for (int i = 0; i < active.size() && commands.isOpen(); i++) {
            advance(active.get(i));
        }
        removeEmpty();
    }

    private void advance(SlotFence fence) {
        long now = clock.getAsLong();
        if (onConnections[fence.slot] > 0) {
            return;
        }
        putRedirectedFirst(fence);
        endOverdue(fence, now);
        if (now - fence.notBefore < 0) {
            return;
        }
        // A command that is redirected again goes before the commands that are not sent yet.
        while (!fence.commands.isEmpty() && fence.redirected.isEmpty() && commands.isOpen()) {
            int record = fence.commands.head();
            CommandRecords.Hop hop = records.hop(record);
            BulkNodes.Target target = hop == null ? null : hop.target;
            BulkNodes.BulkNode node = target == null ? nodes.ownerOf(fence.slot) : nodes.at(target.address());
            if (node == null || !admit(fence.slot, node)) {
                return;
            }
            poll(fence);
            commands.resend(record, node, target != null && target.asks());
        }
    }

    /**
     * Moves the redirected commands before the others. First ends each refused command that would change the order: a later
     * command with the same key may have been executed.
     */
    private void putRedirectedFirst(SlotFence fence) {
        if (refusedMembers.any()) {
            CommandRecords.Queue all = records.takeAll(fence.redirected);
            while (!all.isEmpty()) {
                int record = records.poll(all);
                if (refusedMembers.removeOvertaken(record)) {
                    release(record);
                    commands.endUnsent(record, new Outcome.Failed(records.lastAnswer(record)));
                } else {
                    records.append(fence.redirected, record);
                }
            }
        }
        records.prepend(fence.redirected, fence.commands);
    }

    private void endOverdue(SlotFence fence, long now) {
        while (!fence.commands.isEmpty() && now - records.deadline(fence.commands.head()) >= 0) {
            int record = poll(fence);
            CommandRecords.Hop hop = records.hop(record);
            if (hop != null) {
                commands.endUnsent(record, new Outcome.Failed(hop.answer));
            } else if (!nodes.hasOpenOwner(fence.slot)) {
                commands.endUnsent(record, commands.withoutNode(fence.slot));
            } else {
                commands.endUnsent(record, new Outcome.TimedOut());
            }
        }
    }

    private int poll(SlotFence fence) {
        int record = records.poll(fence.commands);
        release(record);
        return record;
    }

    private void removeEmpty() {
        active.removeIf(fence -> {
            if (fence.isEmpty()) {
                fences[fence.slot] = null;
            }
            return fence.isEmpty();
        });
    }

    /** Ends the commands of each fence whose earlier commands are answered. */
    void loseAnswered(Outcome lost) {
        for (SlotFence fence : active) {
            if (onConnections[fence.slot] == 0) {
                putRedirectedFirst(fence);
                while (!fence.commands.isEmpty()) {
                    commands.endUnsent(poll(fence), lost);
                }
            }
        }
        removeEmpty();
    }
}
