// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.Outcome;
import io.millrace.client.internal.slot.HashSlot;
import io.millrace.resp.Reply;
import java.util.concurrent.TimeUnit;

/** Decides which error replies are redirects, and where the redirected commands go. Used by the owner of the writer. */
final class BulkRedirects {

    /** Redis Cluster needs one redirect after a move of a slot, and two during it. More than a few are a loop. */
    private static final int MOST_REDIRECTS = 16;

    /** Number of redirects that a command follows without a wait. */
    private static final int FREE_REDIRECTS = 4;

    /** Wait after one more redirect. It doubles with each further redirect. */
    private static final long REDIRECT_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** Wait after the first {@code TRYAGAIN}. It doubles with each further answer. */
    private static final long TRY_AGAIN_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private final CommandRecords records;
    private final BulkNodes nodes;
    private final SlotFences fences;
    private final RefusedMembers<Integer> refusedMembers;

    BulkRedirects(CommandRecords records, BulkNodes nodes, SlotFences fences, RefusedMembers<Integer> refusedMembers) {
        this.records = records;
        this.nodes = nodes;
        this.fences = fences;
        this.refusedMembers = refusedMembers;
    }

    /** A connection has reported the final outcome of a command. */
    void ended(int record, Outcome outcome) {
        // A refused command stays in the fence of its slot.
        if (refusedMembers.any() && fences.has(records.slot(record)) && mayBeExecuted(outcome)) {
            refusedMembers.executed(record);
        }
    }

    private static boolean mayBeExecuted(Outcome outcome) {
        return switch (outcome) {
            case Outcome.Ok ignored -> true;
            case Outcome.Failed ignored -> true;
            case Outcome.TimedOut ignored -> true;
            case Outcome.Refused ignored -> false;
            case Outcome.Lost lost -> lost.maybeExecuted();
        };
    }

    /** Returns whether the command must be sent again. Then its record and its fence know where and when. */
    boolean follow(BulkNodes.BulkNode node, int record, Reply.ErrorReply error) {
        int slot = records.slot(record);
        if (slot == HashSlot.COUNT) {
            return false;
        }
        boolean tryAgain = error.code().equals("TRYAGAIN");
        Redirect redirect = tryAgain ? null : nodes.redirect(error, node);
        if (!tryAgain && (redirect == null || redirect.slot() != slot)) {
            return false;
        }
        CommandRecords.Hop hop = records.answered(record, error);
        if (error.fused() && (redirect == null || redirect.asks())) {
            // The node may have the key of this command. So the command is sent to the node alone.
            refusedMembers.add(record);
            hop.target = null;
            return true;
        }
        if (redirect == null) {
            fences.delay(slot, TRY_AGAIN_DELAY_NANOS, hop.tries++);
            return true;
        }
        hop.target = new BulkNodes.Target(redirect.address(), redirect.asks());
        hop.redirects++;
        if (!redirect.asks()) {
            nodes.moved(slot, redirect.address());
        }
        if (hop.redirects > FREE_REDIRECTS) {
            fences.delay(slot, REDIRECT_DELAY_NANOS, hop.redirects - FREE_REDIRECTS);
        }
        return hop.redirects <= MOST_REDIRECTS;
    }
}
