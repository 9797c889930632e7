// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.RedisUri;
import io.millrace.client.internal.shared.CallerSubmission;
import io.millrace.resp.Reply;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Decides which error replies redirect calls, where the calls go, and when. Used by the threads that read. */
final class CallRedirects {

    /** Redis Cluster needs one redirect after a move of a slot, and two during it. More than a few are a loop. */
    private static final int MOST_REDIRECTS = 16;

    /** Number of redirects that a call follows without a wait. */
    private static final int FREE_REDIRECTS = 4;

    /** Wait after one more redirect. It doubles with each further redirect. */
    private static final long REDIRECT_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final int MOST_DOUBLINGS = 5;

    private final LaneNodes nodes;
    private final RefusedMembers<CallerSubmission> refusedMembers;
    private final MovingSlots movingSlots;

    CallRedirects(LaneNodes nodes, RefusedMembers<CallerSubmission> refusedMembers, LongSupplier clock) {
        this.nodes = nodes;
        this.refusedMembers = refusedMembers;
        this.movingSlots = new MovingSlots(clock);
    }

    /** Any thread: whether the keys of the slot may be at two nodes. */
    boolean isMoving(int slot) {
        return movingSlots.contains(slot);
    }

    /** Returns whether the call must be sent again. Then its {@link CallerSubmission#hops} know where. */
    boolean follow(CallerSubmission call, Reply.ErrorReply error) {
        int slot = call.hops().slot();
        boolean tryAgain = error.code().equals("TRYAGAIN");
        RedisUri.Tcp asked = call.nodeAddress();
        Redirect redirect = tryAgain || asked == null ? null : nodes.redirect(error, asked);
        if (!tryAgain && (redirect == null || redirect.slot() != slot)) {
            return false;
        }
        if (redirect == null || redirect.asks()) {
            movingSlots.add(slot);
            if (error.fused()) {
                // The node may have the key of this call, so the call does not follow the redirect.
                refusedMembers.add(call);
                return call.hops().redirect(null, false, MOST_REDIRECTS);
            }
        }
        if (redirect == null || !call.hops().redirect(redirect.address(), redirect.asks(), MOST_REDIRECTS)) {
            return false;
        }
        if (!redirect.asks()) {
            nodes.moved(slot, redirect.address());
        }
        return true;
    }

    /** How long a redirected call waits before it is sent again. */
    static long delayNanos(CallerSubmission call) {
        int beyond = call.hops().redirects() - FREE_REDIRECTS;
        return beyond <= 0 ? 0 : REDIRECT_DELAY_NANOS << Math.min(beyond, MOST_DOUBLINGS);
    }
}
