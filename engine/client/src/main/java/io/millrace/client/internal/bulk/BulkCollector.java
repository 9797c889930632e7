// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.bulk;

import io.millrace.client.Outcome;
import io.millrace.client.command.CommandSpec;

/**
 * Collects the outcomes that are decided on a bulk connection, and waits for replies. Used only by the owner of the
 * connection.
 */
final class BulkCollector {

    private static final int MAX_SUPPRESSED = 10;

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

    /** Reports commands to the listener, in the order of submission, up to the first command without an outcome. */
    void collect() {
        // Read this value before any slot. If the connection has ended by now, a slot that is read as pending
        // afterwards never receives a reply.
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

    /**
     * Collects if the last check of the outcomes was some milliseconds ago, because the owner submits commands slowly.
     * Otherwise such an owner would receive outcomes only after the next full batch.
     */
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
     * Collects all outcomes after the end of the connection, also if the listener throws exceptions. Then throws the first
     * exception. The next ten exceptions are suppressed in the first exception; further exceptions are dropped.
     */
    void collectRest() {
        RuntimeException first = null;
        boolean finished = false;
        while (!finished) {
            long reported = outcomes.reportedCommands();
            try {
                collect();
                finished = true;
            } catch (RuntimeException e) {
                finished = outcomes.reportedCommands() == reported;
                if (first == null) {
                    first = e;
                } else if (!first.equals(e) && first.getSuppressed().length < MAX_SUPPRESSED) {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    /**
     * Waits, and then collects. The wait ends when {@code count} replies have arrived in total, when the connection has
     * ended, or when {@code deadline} has passed. The wait may end earlier.
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

    /** Reports a command that was not sent, because it did not obtain permits. */
    void reportNotSent(long tag, CommandSpec<?> spec) {
        BulkOutcomes.ConnectionEnd ending = replies.ending();
        Outcome outcome = ending == null ? new Outcome.Refused() : new Outcome.Lost(false, ending.cause());
        outcomes.countNotSent(outcome);
        collect();
        outcomes.report(tag, spec, outcome);
    }
}
