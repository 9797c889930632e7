// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.io;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * An array of outgoing bytes that one thread fills while another sends it.
 *
 * <pre>
 *   0 ....... sent ........... published ......... length
 *   | sent   | finished commands | being encoded | free |
 * </pre>
 *
 * <p>Bytes before {@code published} never change. They are visible to a thread that reads {@code published} with
 * acquire.
 */
final class Segment {

    private static final VarHandle NEXT;

    static {
        try {
            NEXT = MethodHandles.lookup().findVarHandle(Segment.class, "next", Segment.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final byte[] bytes;

    /** Written by the sending thread only. */
    int sent;

    private final AtomicInteger published = new AtomicInteger();

    @SuppressWarnings("UnusedVariable") // accessed through NEXT
    private @Nullable Segment next;

    Segment(int size) {
        this.bytes = new byte[size];
    }

    void publish(int upTo) {
        published.setRelease(upTo);
    }

    int published() {
        return published.getAcquire();
    }

    /** Links the next segment. No more bytes are published in this segment. */
    void followedBy(Segment segment) {
        NEXT.setRelease(this, segment);
    }

    @Nullable
    Segment next() {
        return (Segment) NEXT.getAcquire(this);
    }

    /** Makes this segment ready to be filled again. No other thread may be using it. */
    void clear() {
        sent = 0;
        published.setRelease(0);
        NEXT.setRelease(this, null);
    }
}
