// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.bulk;

import io.millrace.client.BulkOptions;
import io.millrace.client.internal.fusion.CommandFuser;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The window of a bulk connection: permits for commands and bytes in flight. A command takes its permits when it is
 * submitted. The command releases its permits when its reply has arrived and its outcome is reported.
 *
 * <p>Used by the owner. If no permit is free, the owner waits until a quarter of all permits is free. So the owner is
 * woken less often than if it waited for a single permit.
 */
final class BulkWindow {

    private final int capacity;
    private final long capacityBytes;
    private final int slots;
    private final BulkRing ring;
    private final BulkProgress progress;
    private final BulkReplies replies;
    private final BulkOutcomes outcomes;
    private final BulkDeadlines deadlines;

    // Written by the owner, read by any thread.
    private final AtomicLong waitNanos = new AtomicLong();
    private final AtomicLong peakInFlight = new AtomicLong();

    BulkWindow(
            BulkOptions options,
            BulkRing ring,
            BulkProgress progress,
            BulkReplies replies,
            BulkOutcomes outcomes,
            BulkDeadlines deadlines) {
        this.capacity = options.inFlight();
        this.capacityBytes = options.inFlightBytes();
        this.slots = slots(options.inFlight());
        this.ring = ring;
        this.progress = progress;
        this.replies = replies;
        this.outcomes = outcomes;
        this.deadlines = deadlines;
    }

    /** Number of slots of a ring for a window of {@code inFlight} commands: a power of two. */
    static int slots(int inFlight) {
        return Integer.highestOneBit(Math.max(1, inFlight - 1)) << 1;
    }

    // Called by any thread.

    /** Number of submitted commands without a reply. */
    long inFlight() {
        return progress.submitted() - replies.repliedCommands();
    }

    /** Highest number of commands in flight, measured after each flush. */
    long peakInFlight() {
        return peakInFlight.get();
    }

    /** Time that the owner has waited for permits. */
    long waitNanos() {
        return waitNanos.get();
    }

    // Called by the owner.

    /** Returns whether there are permits for one more command of {@code length} bytes. */
    boolean hasPermitsFor(int length) {
        return hasPermitsFor(length, 0);
    }

    /**
     * Returns whether there are permits for one more command of {@code length} bytes, and slots of the ring for the
     * command and for {@code askings} commands of the client itself.
     */
    boolean hasPermitsFor(int length, int askings) {
        long number = progress.submittedByOwner();
        long replied = replies.repliedCommands();
        long inRing = inRing(number, replied);
        return replies.ending() == null
                && inRing < capacity
                && (replied == number || bytesInFlight() + length <= capacityBytes)
                && (askings + progress.own() == 0 || hasSlotsFor(inRing + 1 + askings));
    }

    /** Returns whether the ring has a slot for one command of the client itself. */
    boolean hasSlot() {
        return replies.ending() == null
                && hasSlotsFor(inRing(progress.submittedByOwner(), replies.repliedCommands()) + 1);
    }

    private long inRing(long submitted, long replied) {
        return submitted - Math.min(replied, outcomes.reportedCommands());
    }

    private boolean hasSlotsFor(long commands) {
        return commands + progress.own(Math.min(replies.replied(), outcomes.reported())) <= slots;
    }

    /** Upper bound of the bytes in flight. An open batch is counted as if it had the maximum length of a batch. */
    private long bytesInFlight() {
        int open = progress.writtenCommands() < progress.submitted() ? CommandFuser.MAX_BYTES : 0;
        return progress.writtenPosition() + open - replies.repliedPosition();
    }

    /** Records the number of commands in flight. Called after each flush. */
    void recordInFlight(long submitted) {
        peakInFlight.lazySet(Math.max(peakInFlight.getPlain(), submitted - replies.repliedCommands()));
    }

    /**
     * Waits until {@link #hasPermitsFor(int, int)}. The caller must have flushed all earlier commands. Returns false if
     * no permits are free before {@code deadline}, the connection has ended, or the thread is interrupted.
     */
    boolean await(int length, int askings, long deadline, BulkCollector collector) {
        while (!hasPermitsFor(length, askings)) {
            if (replies.ending() != null
                    || deadlines.hasPassed(deadline)
                    || Thread.currentThread().isInterrupted()) {
                return false;
            }
            collector.awaitAndCollect(repliesForQuarter(length), deadline);
        }
        return true;
    }

    /** Records a wait for permits that started at {@code start}. */
    void recordWait(long start) {
        waitNanos.lazySet(waitNanos.getPlain() + deadlines.now() - start);
    }

    /**
     * Returns the total number of replies after which a quarter of the window is free: both a quarter of the commands
     * and a quarter of the bytes. The caller must have written all submitted commands.
     */
    private long repliesForQuarter(int length) {
        long all = progress.written();
        long from = Math.min(replies.replied(), all);
        long commands = progress.submittedByOwner() - capacity + Math.max(1, capacity / 4);
        long bytes = progress.writtenPosition() + length - capacityBytes + capacityBytes / 4;
        long byCommands = ring.firstWithCommands(commands, from, all) + 1;
        long byBytes = bytes <= 0 ? 0 : ring.firstEndingAt(bytes, from, all) + 1;
        return Math.min(all, Math.max(byCommands, byBytes));
    }
}
