// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The submissions on a {@link Wire} whose replies have not all arrived, in the order in which they were sent.
 *
 * <pre>
 *   ... | answered | owed | owed | owed | free ...
 *                    ^ answering, replied   ^ appended
 * </pre>
 *
 * <p>DESIGN. The ring has at least twice as many slots as the window has permits. So it cannot overflow, and a block of
 * {@link #deadlines} is not reused before all of its slots are answered.
 *
 * <p>The sender appends, and the reader answers. After the wire has ended and its reader has stopped, the sender also
 * takes the unanswered submissions.
 */
final class SubmissionRing {

    private static final int BLOCK = 64;

    private final AtomicReferenceArray<@Nullable Submission> slots;
    private final int mask;

    /**
     * The earliest deadline of each block of slots, so that the timekeeper can skip most slots. Written by the sender.
     */
    private final AtomicLongArray deadlines;

    /** Number of appended submissions. Written by the sender. */
    private final AtomicLong appended = new AtomicLong();

    /** Number of answered submissions. Written by the reader. */
    private final AtomicLong replied = new AtomicLong();

    /**
     * Number of answered submissions, including answered submissions that {@link #replied} does not count yet. Owned by
     * the reader.
     */
    private long answering;

    /** The submission in the slot {@link #answering}; null if that slot is empty or was not read. Owned by the reader. */
    private @Nullable Submission first;

    /** Creates a ring for a window of {@code inFlight} commands. */
    SubmissionRing(int inFlight) {
        int size = Math.max(2 * BLOCK, Integer.highestOneBit(4 * inFlight - 1));
        this.slots = new AtomicReferenceArray<>(size);
        this.deadlines = new AtomicLongArray(size / BLOCK);
        this.mask = size - 1;
    }

    // Called by any thread.

    /** Whether no reply is owed. */
    boolean isIdle() {
        return replied.get() == appended.get();
    }

    /** Number of submissions that are owed replies. */
    long owed() {
        return appended.get() - replied.get();
    }

    // Called by the sender.

    /** Gives the next slot to {@code submission}, which must be encoded already. */
    void append(Submission submission) {
        long sequence = appended.getPlain();
        int slot = (int) sequence & mask;
        int block = slot / BLOCK;
        boolean startsBlock = slot % BLOCK == 0;
        deadlines.set(
                block,
                startsBlock ? submission.deadlineNanos : earlier(deadlines.get(block), submission.deadlineNanos));
        slots.setRelease(slot, submission);
        appended.set(sequence + 1);
    }

    private static long earlier(long a, long b) {
        return a - b < 0 ? a : b;
    }

    // Called by the reader.

    /** Returns the submission that the next reply belongs to; null if no reply is owed. */
    @Nullable
    Submission first() {
        Submission oldest = first;
        if (oldest == null) {
            oldest = slots.getAcquire((int) answering & mask);
            first = oldest;
        }
        return oldest;
    }

    /** Removes the first submission. The submission must have received its last reply. */
    void removeFirst() {
        slots.setRelease((int) answering & mask, null);
        first = null;
        answering++;
    }

    /** Publishes the number of answered submissions. */
    void publishReplied() {
        replied.set(answering);
    }

    // Called by the sender, after the reader has stopped.

    /** Whether any submission was answered. */
    boolean hasReplies() {
        return answering > 0;
    }

    /**
     * Passes unanswered submissions to {@code taker}, oldest first. Removes each submission for which {@code taker}
     * returns true.
     */
    void takeUnanswered(Predicate<Submission> taker) {
        first = null;
        for (long sequence = answering; sequence < appended.get(); sequence++) {
            take((int) sequence & mask, taker);
        }
    }

    /** Removes the unanswered submissions and passes them to {@code taker}, newest first. */
    void takeUnansweredNewestFirst(Consumer<Submission> taker) {
        for (long sequence = appended.get() - 1; sequence >= answering; sequence--) {
            take((int) sequence & mask, submission -> {
                taker.accept(submission);
                return true;
            });
        }
    }

    private void take(int slot, Predicate<Submission> taker) {
        Submission submission = slots.get(slot);
        if (submission != null && taker.test(submission)) {
            slots.set(slot, null);
        }
    }

    // Called by the timekeeper.

    /** Returns the oldest unanswered submission; null if there is none, or if its reply is being delivered. */
    @Nullable
    Submission oldest() {
        long sequence = replied.get();
        return sequence == appended.get() ? null : slots.getAcquire((int) sequence & mask);
    }

    /** Returns the longest time limit of the unanswered submissions; 0 if there are none. */
    long longestTimeLimitNanos() {
        long longest = 0;
        long end = appended.get();
        for (long sequence = replied.get(); sequence < end; sequence++) {
            Submission submission = slots.getAcquire((int) sequence & mask);
            if (submission != null) {
                longest = Math.max(longest, submission.timeLimitNanos());
            }
        }
        return longest;
    }

    /** Visits the submissions that are overdue at {@code now}. */
    void forEachOverdue(long now, Consumer<Submission> visitor) {
        long end = appended.get();
        for (long sequence = replied.get(); sequence < end; ) {
            long nextBlock = (sequence / BLOCK + 1) * BLOCK;
            if (deadlines.get((int) (sequence & mask) / BLOCK) - now <= 0) {
                visitOverdue(sequence, Math.min(nextBlock, end), now, visitor);
            }
            sequence = nextBlock;
        }
    }

    private void visitOverdue(long from, long to, long now, Consumer<Submission> visitor) {
        for (long sequence = from; sequence < to; sequence++) {
            // The slot may already contain a later submission. The check below uses the deadline of that submission.
            Submission submission = slots.getAcquire((int) sequence & mask);
            if (submission != null && now - submission.deadlineNanos >= 0) {
                visitor.accept(submission);
            }
        }
    }
}
