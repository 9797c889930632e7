// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.internal.fusion.FusedBatch;
import io.millrace.client.internal.fusion.FusedCommand;
import io.millrace.client.internal.fusion.FusedCommandQueue;
import io.millrace.client.internal.fusion.FusibleKinds;
import io.millrace.client.internal.io.ReadingRole;
import io.millrace.client.internal.stats.ReplyCounter;
import io.millrace.resp.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The replies of one {@link Wire}. Passes each reply to its submission. At the end of each read, releases permits, wakes
 * the waiting threads, and hands over the submissions that must be sent again. Used by the thread with the {@linkplain
 * ReadingRole reading role}.
 */
final class WireReplies {

    private final SharedConnection owner;
    private final SubmissionRing ring;
    private final FusedCommandQueue fusedCommands;
    private final FusibleKinds kinds;

    /** Ends the wire for the given cause. */
    private final Consumer<String> endWire;

    /** Whether the last replies were for several submissions. Written by the thread that reads, read by any thread. */
    private volatile boolean servedSeveral;

    private long taken;
    private final Reply[] parts = new Reply[FusedBatch.MAX_COMMANDS];
    private long costToRelease;
    private final ReplyCounter replyCounter = new ReplyCounter();

    /** The submissions that received their last reply in this read, and have their outcomes. */
    private final List<Submission> finished = new ArrayList<>();

    /** The submissions that received their last reply in this read, and must be sent again. */
    private final List<Submission> refused = new ArrayList<>();

    /** The submissions that received their last reply in this read, and go to another node. */
    private final List<CallerSubmission> redirected = new ArrayList<>();

    /** The submissions of this read that executors of the user complete. */
    private final ReadTasks tasks = new ReadTasks();

    WireReplies(
            SharedConnection owner,
            SubmissionRing ring,
            FusedCommandQueue fusedCommands,
            FusibleKinds kinds,
            Consumer<String> endWire) {
        this.owner = owner;
        this.ring = ring;
        this.fusedCommands = fusedCommands;
        this.kinds = kinds;
        this.endWire = endWire;
    }

    /** Any thread: whether the last replies were for several submissions. */
    boolean servedSeveral() {
        return servedSeveral;
    }

    /** Number of commands that have received their replies. Each command of a fused command counts. */
    long taken() {
        return taken;
    }

    /** Passes {@code reply} to its submission. Returns false if no reply is owed. */
    boolean deliver(Reply reply) {
        FusedCommand fusedCommand = fusedCommands.take(taken);
        return fusedCommand == null ? deliverOne(reply) : divide(fusedCommand, reply);
    }

    /** Splits the reply to a fused command, and passes each part to its command. */
    private boolean divide(FusedCommand fusedCommand, Reply whole) {
        if (!kinds.accept(fusedCommand, whole)) {
            endWire.accept("a fused command received an unexpected reply");
            return false;
        }
        fusedCommand.splitReply(whole, parts);
        boolean delivered = true;
        for (int i = 0; i < fusedCommand.commands(); i++) {
            delivered &= deliverOne(parts[i]);
            parts[i] = Reply.Null.NULL;
        }
        return delivered;
    }

    private boolean deliverOne(Reply reply) {
        taken++;
        Submission submission = ring.first();
        if (submission == null) {
            return false;
        }
        if (submission.reply(reply, replyCounter)) {
            ring.removeFirst();
            if (submission.isRefused()) {
                refused.add(submission);
            } else if (submission.isRedirected() && submission instanceof CallerSubmission call) {
                redirected.add(call);
                costToRelease += submission.cost;
                submission.cost = 0;
            } else {
                finished.add(submission);
                if (!submission.releasesPermitsLater()) {
                    costToRelease += submission.cost;
                }
            }
        }
        return true;
    }

    /**
     * Called after all replies of one read.
     *
     * @param readNanos time of the read
     * @param reading records the thread for which the replies were; null if callers do not read this wire
     */
    void publish(long readNanos, @Nullable ReadingRole reading) {
        replyCounter.addTo(owner.counters());
        ring.publishReplied();
        if (!refused.isEmpty()) {
            // Only now: the retry of a submission needs a slot, and its old slot is free from here on.
            refused.forEach(owner::retryLater);
            refused.clear();
        }
        long cost = costToRelease;
        costToRelease = 0;
        owner.release(cost);
        if (!redirected.isEmpty()) {
            // Only now: the connection of the next attempt may be this one, and its slots and permits are free from
            // here on.
            redirected.forEach(WireReplies::redirect);
            redirected.clear();
        }
        if (!finished.isEmpty()) {
            announceFinished(readNanos, reading);
        }
    }

    private static void redirect(CallerSubmission call) {
        call.hops().route().redirected(call);
    }

    private void announceFinished(long readNanos, @Nullable ReadingRole reading) {
        if (servedSeveral != finished.size() > 1) {
            servedSeveral = !servedSeveral;
        }
        Thread only = finished.getFirst().waiter();
        for (int i = 0; i < finished.size(); i++) {
            Submission submission = finished.get(i);
            submission.left();
            if (only != null && !only.equals(submission.waiter())) {
                only = null;
            }
            submission.announceRead(readNanos, tasks);
        }
        finished.clear();
        tasks.offer();
        if (reading != null) {
            reading.recordWaiter(only);
        }
    }
}
