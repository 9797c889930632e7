// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Outcome;
import io.millrace.resp.Reply;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A portion of a pipeline: some commands, each with an outcome of its own, that are queued, sent and waited for together.
 *
 * <p>After a connection was lost only what has no outcome is sent again, so the n-th reply is not always that of the n-th
 * command: {@code onTheWire} says whose it is.
 */
final class Portion extends Submission {

    private static final int[] NOTHING = {};

    private final PendingResult<?>[] results;
    private final long bytes;
    private final AtomicInteger undecided;

    /** Who waits, if anybody; a pipeline may be handed from one thread to another. Written by whoever waits. */
    private volatile @Nullable Thread waiter;

    // Written by whoever sends; the ring hands them over to the reader.
    private int[] onTheWire = NOTHING;
    private int[] ends = NOTHING;
    private int onTheWireCount;

    // Owned by the reader and, when it has left, by the sender.
    private int answered;

    /** Not yet taken from {@link #undecided}, which is done once for all replies. */
    private int decidedByReplies;

    Portion(PendingResult<?>[] results, long bytes, long now, long deadlineNanos) {
        super(now, deadlineNanos);
        this.results = results;
        this.bytes = bytes;
        this.undecided = new AtomicInteger(results.length);
        for (PendingResult<?> result : results) {
            result.portion = this;
        }
    }

    PendingResult<?>[] results() {
        return results;
    }

    @Override
    boolean isBatch() {
        return true;
    }

    @Override
    int commands() {
        return results.length;
    }

    @Override
    long encodedBytes() {
        return bytes;
    }

    @Override
    int encode(CommandWriter writer) {
        onTheWire = new int[results.length];
        ends = new int[results.length];
        onTheWireCount = 0;
        answered = 0;
        int length = 0;
        for (int i = 0; i < results.length; i++) {
            if (!results[i].ended()) {
                length += writer.write(results[i].command());
                onTheWire[onTheWireCount] = i;
                ends[onTheWireCount++] = length;
            }
        }
        return length;
    }

    @Override
    boolean reply(Reply reply, Tally tally) {
        Outcome outcome = Outcomes.answered(reply);
        if (results[onTheWire[answered]].decide(outcome)) {
            decidedByReplies++;
            tally.count(outcome);
        } else {
            late();
        }
        boolean last = ++answered == onTheWireCount;
        if (last) {
            undecided.addAndGet(-decidedByReplies);
            decidedByReplies = 0;
        }
        return last;
    }

    @Override
    boolean end(Outcome outcome, Account account) {
        boolean decided = false;
        for (PendingResult<?> result : results) {
            decided |= decide(result, outcome, account);
        }
        // Also what replies have decided and the reader has not taken off yet; when it does this falls below 0.
        undecided.set(0);
        return decided;
    }

    @Override
    boolean lose(Loss loss, Account account) {
        undecided.addAndGet(-decidedByReplies);
        decidedByReplies = 0;
        // What ends[] counts from is where this portion begins.
        long begin = onTheWireCount == 0 ? 0 : endPosition - ends[onTheWireCount - 1];
        for (int i = answered; i < onTheWireCount; i++) {
            PendingResult<?> result = results[onTheWire[i]];
            Outcome lost = loss.of(begin + ends[i], result.command().spec().idempotent());
            if (lost != null) {
                decide(result, lost, account);
            }
        }
        return !ended();
    }

    private boolean decide(PendingResult<?> result, Outcome outcome, Account account) {
        if (!result.decide(outcome)) {
            return false;
        }
        account.ended(outcome);
        undecided.decrementAndGet();
        return true;
    }

    @Override
    boolean ended() {
        return undecided.get() <= 0;
    }

    @Override
    boolean answered() {
        return results[results.length - 1].answered();
    }

    @Override
    void announce() {
        if (ended()) {
            LockSupport.unpark(waiter);
        }
    }

    /** Waits until every command has its outcome; false if interrupted first. The timekeeper ends the wait. */
    boolean await() {
        waiter = Thread.currentThread();
        while (!ended()) {
            if (Thread.currentThread().isInterrupted()) {
                return false;
            }
            LockSupport.park(this);
        }
        return true;
    }
}
