// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.bulk;

import io.millrace.client.Outcome;
import io.millrace.client.command.CommandSpec;

/** Collects decided outcomes of a bulk connection, and waits for replies. Used by the owner only. */
final class BulkCollector {

    private final BulkRing ring;
    private final BulkProgress progress;
    private final BulkOutput output;
    private final BulkReplies replies;
    private final BulkOutcomes outcomes;
    private final BulkDeadlines deadlines;

    BulkCollector(
            BulkRing ring,
            BulkProgress progress,
            BulkOutput output,
            BulkReplies replies,
            BulkOutcomes outcomes,
            BulkDeadlines deadlines) {
        this.ring = ring;
        this.progress = progress;
        this.output = output;
        this.replies = replies;
        this.outcomes = outcomes;
        this.deadlines = deadlines;
    }

    /** Reports every command to the listener, in order, up to the first that has no outcome yet. */
    void collect() {
        // Read before any slot: once this is set, a pending slot stays pending.
        BulkOutcomes.ConnectionEnd ending = replies.ending();
        deadlines.check();
        if (ending != null) {
            output.abandon();
        }
        outcomes.report(progress.written(), ending);
        if (ending != null) {
            outcomes.reportUnwritten(progress.submittedByOwner(), output.spec(), ending);
        }
    }

    /** Collects if the source is slow: its outcomes are reported now instead of after the next batch. */
    void collectIfDue() {
        if (deadlines.isCheckDue(output.lastWriteNanos())) {
            collect();
        }
    }

    /** Collects until every command on the wire is reported. An interrupt does not end the wait. */
    void collectAll() {
        boolean interrupted = false;
        for (collect(); outcomes.reported() < progress.written(); collect()) {
            await(progress.written(), ring.deadline(outcomes.reported()));
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Waits until {@code count} replies have arrived, the connection has ended, or {@code deadline}, and collects; may
     * return earlier.
     */
    void awaitAndCollect(long count, long deadline) {
        long oldest = outcomes.reported();
        long oldestDeadline = oldest < progress.written() ? ring.deadline(oldest) : deadline;
        await(count, BulkDeadlines.earlier(deadline, oldestDeadline));
        collect();
    }

    private void await(long count, long deadline) {
        long until = deadlines.endOfWait(deadline);
        if (replies.await(count, deadlines.until(until))) {
            deadlines.waited(until);
        }
    }

    /** Reports a command that got no permits. */
    void reportNotSent(long tag, CommandSpec<?> spec) {
        BulkOutcomes.ConnectionEnd ending = replies.ending();
        Outcome outcome = ending == null ? new Outcome.Refused() : new Outcome.Lost(false, ending.cause());
        outcomes.countNotSent(outcome);
        collect();
        outcomes.report(tag, spec, outcome);
    }
}
