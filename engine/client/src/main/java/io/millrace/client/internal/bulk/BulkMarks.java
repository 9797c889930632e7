// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.bulk;

import io.millrace.client.BulkListener;
import io.millrace.client.Outcome;
import io.millrace.client.ReplicationListener.ServerListener;
import io.millrace.resp.Reply;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides when a bulk connection sends a mark, and passes the outcomes of marks to the listener. Without a {@link
 * ServerListener}, no mark is ever due. Used by the owner of the connection.
 */
final class BulkMarks {

    /** Time between two marks. A failover puts the commands of about this time in doubt without a reason. */
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final @Nullable ServerListener listener;
    private final BulkProgress progress;

    /** Time of the last mark, and the number of commands that were submitted before this mark. */
    private long sentNanos;

    private long sentCommands;

    private int unanswered;

    /** Whether the server has said after the last mark that it is not the primary of a key. */
    private boolean isUrgent;

    BulkMarks(BulkListener listener, BulkProgress progress) {
        this.listener = listener instanceof ServerListener marked ? marked : null;
        this.progress = progress;
    }

    /** Whether marks are sent at all. */
    boolean areWanted() {
        return listener != null;
    }

    /** Returns whether a mark must be sent at the time {@code nanos}: there are commands behind the last mark. */
    boolean isDue(long nanos) {
        return listener != null
                && (isUrgent || nanos - sentNanos >= INTERVAL_NANOS)
                && progress.submittedByOwner() > sentCommands;
    }

    /** Whether a mark must be sent soon, or has no outcome yet. */
    boolean areAwaited() {
        return unanswered > 0 || (isUrgent && progress.submittedByOwner() > sentCommands);
    }

    boolean isUnanswered() {
        return unanswered > 0;
    }

    /** Records a mark. */
    void sent(long nanos) {
        sentNanos = nanos;
        sentCommands = progress.submittedByOwner();
        unanswered++;
        isUrgent = false;
    }

    /** Records the error reply to a command. */
    void refused(Reply.ErrorReply error) {
        isUrgent |= listener != null
                && (error.code().equals("MOVED") || error.code().equals("READONLY"));
    }

    /** Passes the outcome of a mark to the listener. */
    void ended(Outcome mark) {
        unanswered--;
        if (listener != null) {
            listener.marked(mark);
        }
    }

    /** Tells the listener that the connection is closed. */
    void closed(boolean lost) {
        if (listener != null) {
            listener.closed(lost);
        }
    }
}
