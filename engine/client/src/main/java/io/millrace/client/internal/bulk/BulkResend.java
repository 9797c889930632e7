// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.bulk;

import io.millrace.client.command.CommandSpec;
import io.millrace.client.internal.stats.StatsCounter;
import java.util.function.LongConsumer;

/**
 * What the owner of several bulk connections, one for each node of a cluster, needs in addition: commands that another
 * node has redirected, and waits that end early. Used by the owner.
 *
 * <p>A command that is sent again keeps its deadline, and is not fused. It takes its permits before it is encoded, because
 * an {@code ASKING} and its command must be adjacent.
 */
public final class BulkResend {

    private final BulkConnection connection;
    private final BulkOutput output;
    private final BulkWindow window;
    private final BulkDeadlines deadlines;
    private final BulkProgress progress;
    private final BulkOutcomes outcomes;
    private final BulkCollector collector;
    private final BulkMarks marks;
    private final StatsCounter stats;
    private final Runnable pauseIfRefused;
    private final LongConsumer submitted;
    private final Runnable afterSubmission;

    /**
     * Creates the second way into {@code connection}.
     *
     * @param pauseIfRefused waits while the server refuses all commands
     * @param submitted counts the command with this tag, which is encoded
     * @param afterSubmission sends the bytes and reports outcomes, if either is due
     */
    BulkResend(
            BulkConnection connection,
            BulkOutput output,
            BulkWindow window,
            BulkDeadlines deadlines,
            BulkProgress progress,
            BulkOutcomes outcomes,
            BulkCollector collector,
            BulkMarks marks,
            StatsCounter stats,
            Runnable pauseIfRefused,
            LongConsumer submitted,
            Runnable afterSubmission) {
        this.connection = connection;
        this.output = output;
        this.window = window;
        this.deadlines = deadlines;
        this.progress = progress;
        this.outcomes = outcomes;
        this.collector = collector;
        this.marks = marks;
        this.stats = stats;
        this.pauseIfRefused = pauseIfRefused;
        this.submitted = submitted;
        this.afterSubmission = afterSubmission;
    }

    /**
     * Submits a command that another node has redirected to this node, or that has waited for a redirected command. Waits
     * for permits until {@code deadline}.
     *
     * @param bytes the encoded command: {@code length} bytes from {@code offset}
     * @param asks whether an {@code ASKING} goes before the command
     */
    public void submit(
            CommandSpec<?> command, byte[] bytes, int offset, int length, boolean asks, long deadline, long tag) {
        outcomes.checkNotInListener();
        pauseIfRefused.run();
        if (!acquire(length, asks ? 1 : 0, deadline)) {
            collector.reportNotSent(tag, command);
            return;
        }
        output.closeBatch();
        output.startWaiting(deadline);
        if (asks) {
            output.asking();
        }
        int unused = output.encoded(command, bytes, offset, length);
        submitted.accept(tag);
        output.submitAfterWait();
        afterSubmission.run();
    }

    private boolean acquire(int length, int askings, long deadline) {
        if (window.hasPermitsFor(length, askings)) {
            return true;
        }
        long start = deadlines.now();
        try {
            connection.flush();
            collector.collect();
            return window.await(length, askings, deadline, collector);
        } finally {
            window.recordWait(start);
        }
    }

    /** Reports the outcomes that are there. Does not wait. Also sends a mark that is due. */
    public void collect() {
        outcomes.checkNotInListener();
        if (marks.isDue(deadlines.now()) && connection.isOpen()) {
            connection.flush();
        }
        collector.collect();
    }

    /** Whether commands are behind the last mark, and a mark is due, or a mark has no outcome yet. */
    public boolean hasMarks() {
        return awaitsMarks() || marks.isDue(deadlines.now());
    }

    /** Whether a mark has no outcome yet, or must be sent soon. */
    public boolean awaitsMarks() {
        return marks.areAwaited() && (connection.isOpen() || marks.isUnanswered());
    }

    /** Sends all submitted commands. Waits until their replies have arrived, for {@code nanos} at most. */
    public void await(long nanos) {
        outcomes.checkNotInListener();
        connection.flush();
        collector.awaitAndCollect(progress.written(), deadlines.now() + nanos);
    }

    /** The stats no longer count a command, because its owner submits it again. Its outcome was a redirect. */
    public void countRedirected() {
        stats.countRedirected();
    }

    /** Any thread: number of commands that the server has redirected. */
    public long redirected() {
        return stats.redirected();
    }
}
