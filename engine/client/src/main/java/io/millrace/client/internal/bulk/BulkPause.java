// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.bulk;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The pause of a bulk connection whose server refuses all commands for a time, because it loads its data, runs a slow
 * script, or has lost its primary. Without the pause, the server would refuse all further commands too, as fast as the
 * owner submits them. Used by the owner.
 *
 * <p>DESIGN. A bulk connection does not keep the bytes of sent commands, so it cannot send refused commands again: they
 * end with the error of the server, and the listener decides. These are the commands that were in flight when the owner
 * learned of the refusal, and the command that waited for a permit. The commands that follow wait until a {@code PING} is not refused any more, at most for the timeout of a command.
 */
final class BulkPause {

    /** Delay before the first {@code PING}. The delay doubles with each refusal. */
    private static final long MIN_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Longest delay. With this delay, the owner continues at most a quarter of a second late. */
    private static final long MAX_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    private final BulkOutput output;
    private final BulkOutcomes outcomes;
    private final BulkReplies replies;
    private final BulkProgress progress;
    private final BulkDeadlines deadlines;

    BulkPause(
            BulkOutput output,
            BulkOutcomes outcomes,
            BulkReplies replies,
            BulkProgress progress,
            BulkDeadlines deadlines) {
        this.output = output;
        this.outcomes = outcomes;
        this.replies = replies;
        this.progress = progress;
        this.deadlines = deadlines;
    }

    /**
     * Waits until the server accepts commands again, until the timeout of a command has passed, until the connection has
     * ended, or until the thread is interrupted.
     *
     * @param finish sends all written commands, and reports their outcomes
     */
    void await(Runnable finish) {
        long end = deadlines.after(deadlines.now());
        finish.run();
        long delay = MIN_DELAY_NANOS;
        while (outcomes.isRefused() && canAsk() && !deadlines.hasPassed(end)) {
            LockSupport.parkNanos(this, Math.min(delay, deadlines.until(end)));
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
            delay = Math.min(2 * delay, MAX_DELAY_NANOS);
            outcomes.forgetRefusal();
            output.ping();
            finish.run();
        }
        outcomes.forgetRefusal();
    }

    /** A {@code PING} needs a free slot of the ring. A command that has timed out keeps its slot until its reply. */
    private boolean canAsk() {
        return replies.ending() == null && replies.replied() == progress.written();
    }
}
