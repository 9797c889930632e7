// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.RedisUri;
import org.jspecify.annotations.Nullable;

/**
 * The hash slot of a submission to a cluster, and its redirects so far.
 *
 * <p>The lock of the lane hands the fields from the reader, or from the writer of a connection that has ended for good, to the
 * thread that moves the submission. The ring hands the fields to the next reader.
 */
public final class Hops {

    private final Route route;
    private final int slot;

    private int redirects;

    /** The node of the next attempt; null for the owner of the slot. */
    private RedisUri.@Nullable Tcp address;

    /** Whether the next attempt needs {@code ASKING}. */
    private boolean asks;

    /** Whether the route keeps the submission. Written by the reader and by the thread that moves the submission. */
    private volatile boolean away;

    /**
     * The permits for the wait in a fence; null, and 0, while the submission holds none. Written by the submitting thread, before the
     * route keeps the submission; afterwards guarded by the lock of the lane.
     */
    private @Nullable FenceWindow fenceWindow;

    private long fenceCost;

    Hops(Route route, int slot) {
        this.route = route;
        this.slot = slot;
    }

    Route route() {
        return route;
    }

    /** The hash slot of the keys. */
    public int slot() {
        return slot;
    }

    /**
     * Reader: sends the submission again.
     *
     * @param node the node of the next attempt; null for the owner of the slot
     * @param most the highest number of redirects
     * @return false if the submission was redirected too often
     */
    public boolean redirect(RedisUri.@Nullable Tcp node, boolean withAsking, int most) {
        if (redirects == most) {
            return false;
        }
        redirects++;
        address = node;
        asks = withAsking;
        away = true;
        return true;
    }

    /** Writer of an ended connection: sends the submission to the owner of its slot. */
    public void toOwner() {
        address = null;
        asks = false;
        away = true;
    }

    /** The node of the next attempt; null for the owner of the slot. */
    public RedisUri.@Nullable Tcp address() {
        return address;
    }

    /** Whether the next attempt needs {@code ASKING}. */
    boolean asks() {
        return asks;
    }

    /** Number of redirects so far. */
    public int redirects() {
        return redirects;
    }

    /** Whether the submission was sent to several nodes. Then it is not fused: a fused command may need keys of two nodes. */
    boolean wasRedirected() {
        return redirects > 0;
    }

    /** Whether the submission is on no connection at present. */
    boolean isAway() {
        return away;
    }

    /** Submitting thread: the submission holds permits {@code cost} of {@code window}. */
    void waitsWith(FenceWindow window, long cost) {
        fenceWindow = window;
        fenceCost = cost;
    }

    /** The submission does not wait in a fence any more. */
    void releaseFencePermits() {
        FenceWindow window = fenceWindow;
        if (window != null) {
            window.release(fenceCost);
            fenceWindow = null;
            fenceCost = 0;
        }
    }

    /** The route keeps the submission, or has queued it at a connection. */
    public void setAway(boolean isKept) {
        away = isKept;
    }
}
