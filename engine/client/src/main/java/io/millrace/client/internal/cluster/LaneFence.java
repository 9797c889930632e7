// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.cluster;

import io.millrace.client.internal.shared.CallerSubmission;
import io.millrace.client.internal.shared.SharedConnection;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The calls of one slot that wait, because the slot moves. Guarded by the lock of its {@link Lane}. */
final class LaneFence {

    /** The calls in their order. */
    final Deque<CallerSubmission> calls = new ArrayDeque<>();

    /** Redirected calls. They go before {@link #calls}, as soon as no call of the slot is on a connection. */
    private final Deque<CallerSubmission> redirected = new ArrayDeque<>();

    /**
     * The connection of all calls of the slot that are on connections; null if it is not known, or if redirected calls must go
     * first.
     */
    @Nullable
    SharedConnection last;

    /** The calls wait at least until this time. */
    private long notBefore;

    LaneFence(long now) {
        this.notBefore = now;
    }

    /** Adds a call that was redirected. The calls of this fence wait until {@code time}. */
    void redirected(CallerSubmission call, long time) {
        redirected.add(call);
        last = null;
        notBefore = time - notBefore > 0 ? time : notBefore;
    }

    /** No call of the slot is on a connection: the redirected calls go first. Leaves out those that {@code ended} accepts. */
    void putRedirectedFirst(Predicate<CallerSubmission> ended) {
        redirected.removeIf(ended);
        for (CallerSubmission call = redirected.pollLast(); call != null; call = redirected.pollLast()) {
            calls.addFirst(call);
        }
    }

    boolean mayOpen(long now) {
        return redirected.isEmpty() && now - notBefore >= 0;
    }

    boolean isEmpty() {
        return calls.isEmpty() && redirected.isEmpty();
    }

    void removeIf(Predicate<CallerSubmission> ended) {
        calls.removeIf(ended);
        redirected.removeIf(ended);
    }

    void forEach(Consumer<CallerSubmission> viewer) {
        redirected.forEach(viewer);
        calls.forEach(viewer);
    }
}
