// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.internal.io.SegmentChain;
import org.jspecify.annotations.Nullable;

/**
 * Moves waiting submissions from the queue to a wire. Used by the holder of the sending role.
 *
 * <p>If encoding fails, such as by a lack of memory, a submission is neither in the queue nor on the wire. This object
 * keeps the submission until the writer takes it.
 */
final class WireAppender {

    private final SharedConnection connection;
    private final SendQueue waiting;

    /** The submission that was taken from the queue and has no slot yet. */
    private @Nullable Submission unappended;

    WireAppender(SharedConnection connection, SendQueue waiting) {
        this.connection = connection;
        this.waiting = waiting;
    }

    /**
     * Encodes waiting submissions, up to one segment of bytes. A renewed login comes first. After silence, a {@code PING}
     * comes first, and the submissions wait for its reply.
     */
    void fill(Wire wire) {
        long now = connection.now();
        Liveness liveness = wire.liveness();
        if (liveness.isSilent(now) && !waiting.isEmpty()) {
            wire.appendOwn(liveness.newPing(now));
        }
        if (wire.login().isNeeded()) {
            wire.appendOwn(wire.login().renew());
        }
        boolean heldBack = liveness.isPinging();
        while (!heldBack && wire.unsent() < SegmentChain.SEGMENT_BYTES) {
            Submission submission = waiting.poll();
            if (submission == null) {
                break;
            }
            unappended = submission;
            connection.timeouts().expireIfOverdue(submission, now);
            boolean appended = wire.append(submission);
            unappended = null;
            if (appended) {
                submission.encodedAt(now);
            } else {
                connection.leaves(submission);
            }
        }
        wire.publish();
    }

    /** Returns whether the sending role is needed: to send over {@code wire}, or to replace it. */
    boolean hasWork(Wire wire) {
        return (!waiting.isEmpty() && !wire.liveness().isPinging())
                || !wire.isOpen()
                || wire.login().isNeeded();
    }

    /** After a failure: returns the submission that is neither in the queue nor on the wire; null if there is none. */
    @Nullable
    Submission takeUnappended() {
        Submission submission = unappended;
        unappended = null;
        return submission;
    }
}
