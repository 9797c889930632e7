// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.ConnectionStats;
import io.millrace.client.Outcome;
import io.millrace.client.internal.time.Timekeeper;
import io.millrace.resp.Reply;
import java.util.Iterator;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;

/**
 * The submissions of a connection that the server has {@linkplain TemporaryRefusal temporarily refused}, and that wait
 * until they are sent again.
 *
 * <p>DESIGN. The reader adds a submission after it has received the last reply. Three threads may take the submission:
 * the timekeeper when its retry is due or its deadline has passed; the owner of its pipeline; and the writer when the
 * connection has ended. {@link Submission#takeFromRetry} decides which thread takes the submission, by a
 * compare-and-set. The taking thread sees the writes of the reader, because the reader adds the submission after these
 * writes. Only the taking thread may then change, end or send the submission. So a command that ends with the error of
 * the server is certainly not on the wire.
 *
 * <p>A waiting call or transaction keeps its permits, so the window limits the length of this queue. A waiting batch
 * holds no permits, because the owner of its pipeline may wait for permits for the next batch. The owner sends no
 * further batch before it has sent the waiting batches.
 */
final class RetryQueue {

    /**
     * Delay before the first retry. Short, because some refusals end within a millisecond, such as {@code TRYAGAIN}. The
     * delay doubles with each refusal.
     */
    private static final long MIN_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /** Longest delay. With this delay, a command finds the end of a refusal at most a quarter of a second late. */
    private static final long MAX_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /**
     * Minimum time between the last retry and the deadline: two ticks of the timekeeper. The timekeeper sends a due
     * retry at its next tick, and the reply needs time.
     */
    private static final long LAST_RETRY_NANOS = 2 * Timekeeper.TICK_NANOS;

    private final SharedConnection connection;
    private final RandomGenerator random;
    private final Consumer<Submission> sender;
    private final ConcurrentLinkedQueue<Submission> waiting = new ConcurrentLinkedQueue<>();

    /**
     * Creates an empty queue.
     *
     * @param sender receives each submission whose retry is due; must not block
     */
    RetryQueue(SharedConnection connection, RandomGenerator random, Consumer<Submission> sender) {
        this.connection = connection;
        this.random = random;
        this.sender = sender;
    }

    /**
     * Reader: returns whether a command of {@code submission} must be sent again after {@code refusal}, and plans the
     * time of the retry. A call or transaction is not sent again if the retry would be too close to the deadline. A batch is
     * ended at its deadline, so that its commands stay together.
     */
    boolean plan(Submission submission, String command, Reply.ErrorReply refusal) {
        submission.retryNanos = connection.now() + delayNanos(submission.refusals);
        boolean inTime = submission.isBatch() || isInTime(submission.retryNanos, submission);
        // Always report a READONLY: the connection then looks for a primary.
        boolean mayEnd =
                !TemporaryRefusal.isReadOnly(refusal) || connection.primary().readOnly();
        if (TemporaryRefusal.mayMeanANewPrimary(refusal)) {
            connection.context().whenDoubtful().run();
        }
        return mayEnd && inTime && !TemporaryRefusal.runsScript(command);
    }

    /** Whether a retry at {@code due} leaves enough time for a reply before the deadline, also for the time that the server may block. */
    boolean isInTime(long due, Submission submission) {
        return due + LAST_RETRY_NANOS + submission.blockNanos() - submission.deadlineNanos < 0;
    }

    /**
     * Like {@link #plan}, for a transaction. A transaction of a borrowed connection is not sent again, because the
     * borrower may have watched keys: a refused {@code EXEC} ends the watch.
     */
    boolean planTransaction(TransactionCall transaction, Reply.ErrorReply refusal) {
        return plan(transaction, "EXEC", refusal) && connection.kind() == ConnectionStats.Kind.SHARED;
    }

    /**
     * Returns the delay before the next attempt. Up to half of the delay is random, so that the retries of many clients
     * spread.
     *
     * @param refusals number of earlier refusals
     */
    long delayNanos(int refusals) {
        long delay = Math.min(MAX_DELAY_NANOS, MIN_DELAY_NANOS << Math.min(refusals, Byte.SIZE));
        return delay / 2 + random.nextLong(delay / 2 + 1);
    }

    /** Reader: adds {@code submission}. No thread can take the submission before it is in the queue. */
    void add(Submission submission) {
        submission.refusals++;
        if (submission.isBatch()) {
            // The owner of the pipeline sends the batch. The timekeeper only ends the batch at its deadline.
            connection.release(submission.cost);
            submission.cost = 0;
            submission.retryNanos = submission.deadlineNanos;
        }
        waiting.add(submission);
        submission.awaitRetry();
    }

    /** Any thread: whether no submission waits. */
    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** The owner of a pipeline: takes {@code batch}. Returns false if another thread has taken the batch. */
    boolean take(PipelineBatch batch) {
        boolean taken = batch.takeFromRetry();
        waiting.remove(batch);
        return taken;
    }

    /** Timekeeper: sends the submissions whose retry is due, and ends the submissions whose deadline has passed. */
    void tick(long now) {
        for (Iterator<Submission> all = waiting.iterator(); all.hasNext(); ) {
            Submission submission = all.next();
            boolean overdue = now - submission.deadlineNanos >= 0;
            if (!overdue && now - submission.retryNanos < 0) {
                continue;
            }
            if (!submission.takeFromRetry()) {
                continue;
            }
            remove(submission, all);
            if (overdue) {
                submission.endRefused(connection.counters());
                end(submission);
            } else {
                connection.counters().countRetries(1);
                sender.accept(submission);
            }
        }
    }

    /**
     * Removes a submission that the timekeeper has taken. The owner of a pipeline may have taken a batch that {@code
     * position} points to, and the batch may then have been added a second time. So a batch is searched.
     */
    private void remove(Submission submission, Iterator<Submission> position) {
        if (submission.isBatch()) {
            waiting.remove(submission);
        } else {
            position.remove();
        }
    }

    /**
     * Ends all waiting submissions, after the connection has ended for {@code cause}.
     *
     * @param reroutes whether submissions with a route go to other nodes of the cluster instead
     */
    void loseAll(String cause, boolean reroutes) {
        for (Submission submission = waiting.poll(); submission != null; submission = waiting.poll()) {
            if (!submission.takeFromRetry()) {
                continue;
            }
            if (!reroutes || !submission.reroute()) {
                submission.decide(new Outcome.Lost(submission.lostWires > 0, cause), connection.counters());
                end(submission);
            }
        }
    }

    private void end(Submission submission) {
        if (submission.releasesPermitsLater()) {
            submission.left();
        } else {
            connection.leaves(submission);
        }
        submission.announce();
    }
}
