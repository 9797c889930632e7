// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.ClientOptions;
import io.millrace.client.Pipeline;
import io.millrace.client.Result;
import io.millrace.client.ResultListener;
import io.millrace.client.command.Command;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.internal.time.Timekeeper;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A pipeline over one connection. Collects commands into batches, and submits each batch when it is full. */
public final class ConnectionPipeline implements Pipeline {

    /**
     * Maximum number of commands per batch. Commands of other callers are sent between two batches. Measured with
     * pipelines of 1,000 short commands: with 512 instead of 256 commands per batch, and 32 KiB instead of 16 KiB, the
     * client needs 9 % less processor time, and the server 3 % less.
     */
    private static final int BATCH_COMMANDS = 512;

    /**
     * Maximum number of commands in the first batch. While the server executes this batch, the next batch is encoded.
     * With this smaller first batch, a pipeline of 1,000 commands took only 0.95 of the time.
     */
    private static final int FIRST_BATCH_COMMANDS = 64;

    /** Maximum number of bytes per batch. The server reads half of this number of bytes at a time. */
    private static final long BATCH_BYTES = 32 * 1024;

    /** A window has room for at least this number of batches of the maximum size, so that batches overlap. */
    private static final int BATCHES_PER_WINDOW = 4;

    /** Maximum size of a batch for a window that is too small for the number of batches above. */
    private static final int SMALL_BATCH_COMMANDS = 256;

    private static final long SMALL_BATCH_BYTES = 16 * 1024;

    private final SubmissionTarget connection;
    private final long defaultNanos;
    private final int batchCommands;
    private final long batchBytes;
    private final @Nullable ResultListener listener;

    /**
     * Maximum number of submitted batches that are not reported to the listener. If commands are short, this is more
     * than the window allows in flight.
     */
    private final int maxUnreported;

    /** The batch that is not submitted yet and, in the next field, the timeout of its commands. */
    private PipelineBatch collecting = new PipelineBatch(0);

    private long collectedNanos;

    private final ArrayDeque<PipelineBatch> submitted = new ArrayDeque<>();

    /** The submitted batches since the last run, whose results {@link #run} returns; empty if there is a listener. */
    private final List<PipelineBatch> unreturned = new ArrayList<>();

    /** Number of results of these batches. */
    private int unreturnedResults;

    private long reported;
    private int reportedOfFirst;
    private boolean reportIsDue;
    private boolean inListener;

    public ConnectionPipeline(SubmissionTarget connection, ClientOptions options, @Nullable ResultListener listener) {
        this.connection = connection;
        this.defaultNanos = options.commandTimeout().toNanos();
        this.batchCommands = (int) perBatch(BATCH_COMMANDS, SMALL_BATCH_COMMANDS, options.inFlight());
        this.batchBytes = perBatch(BATCH_BYTES, SMALL_BATCH_BYTES, options.inFlightBytes());
        this.listener = listener;
        this.maxUnreported = 64 + 2 * (options.inFlight() / batchCommands);
    }

    private static long perBatch(long most, long small, long window) {
        return Math.clamp(window / BATCHES_PER_WINDOW, Math.min(small, window), most);
    }

    @Override
    public <T> Result<T> add(Command<T> command) {
        refuseListener();
        ConnectionScope.SHARED.check(command);
        if (unreturnedResults + collecting.commands() == MAX_RESULTS) {
            throw new IllegalStateException(
                    "a pipeline keeps " + MAX_RESULTS + " results at most: call run() earlier, or use a listener");
        }
        long nanos = command.deadlineNanos(defaultNanos);
        if (nanos != collectedNanos || collecting.encodedBytes() + command.encodedBytes() > batchBytes) {
            submit();
        }
        PipelineResult<T> result = collecting.add(command);
        collectedNanos = nanos;
        if (collecting.commands() >= batchCommands()) {
            submit();
        }
        if (reportIsDue) {
            // The command is added before the listener is called, because the listener may throw an exception.
            reportIsDue = false;
            reportFinished();
        }
        return result;
    }

    private int batchCommands() {
        return submitted.isEmpty() ? Math.min(FIRST_BATCH_COMMANDS, batchCommands) : batchCommands;
    }

    @Override
    public List<Result<?>> run() {
        refuseListener();
        submit();
        if (listener == null && !submitted.isEmpty()) {
            // Wait for the last batch first: this avoids a wake-up for each earlier batch.
            await(submitted.getLast());
        }
        for (PipelineBatch first = submitted.peek(); first != null; first = submitted.peek()) {
            await(first);
            report(first);
            submitted.remove();
        }
        return takeResults();
    }

    private List<Result<?>> takeResults() {
        List<Result<?>> results = new ArrayList<>(unreturnedResults);
        for (PipelineBatch batch : unreturned) {
            results.addAll(batch.results());
        }
        unreturned.clear();
        unreturnedResults = 0;
        return results;
    }

    private void submit() {
        if (collecting.commands() == 0) {
            return;
        }
        if (hasPaused()) {
            // The order of the pipeline: this batch must not overtake refused commands.
            sendRefusedAgain();
        }
        PipelineBatch batch = collecting;
        PipelineBatch next = new PipelineBatch(batch.commands());
        if (listener == null) {
            unreturned.add(batch);
            unreturnedResults += batch.commands();
        }
        collecting = next;
        long now = connection.now();
        batch.close(now, now + collectedNanos);
        connection.submit(batch);
        submitted.add(batch);
        reportIsDue = listener != null;
        if (reportIsDue && submitted.size() > maxUnreported) {
            // This wait limits the number of unreported batches. The window is not enough: a refused batch has no
            // permits, and is reported only after all earlier batches.
            await(submitted.element());
        }
    }

    private void await(PipelineBatch batch) {
        do {
            awaitReplies(batch);
            if (batch.isPaused()) {
                sendRefusedAgain();
            }
            // The timekeeper may have taken a paused batch and not have ended it yet. So check again.
        } while (!batch.isAnnounced());
    }

    private void awaitReplies(PipelineBatch batch) {
        if (!batch.await()) {
            throw interrupted(batch);
        }
    }

    /** Protects the arguments of all commands, because the caller may change its arrays from now on. */
    private InterruptedCommandException interrupted(PipelineBatch batch) {
        collecting.copyArguments();
        submitted.forEach(PipelineBatch::protectArguments);
        return Failures.interrupted("a pipeline", batch);
    }

    private boolean hasPaused() {
        SharedConnection target = submitted.isEmpty() ? null : submitted.getLast().connection;
        return target != null
                && !target.retries().isEmpty()
                && submitted.stream().anyMatch(PipelineBatch::isPaused);
    }

    /**
     * Sends the commands again that the server has temporarily refused, until no command is refused or the deadlines
     * have passed. First waits for the replies to all submitted batches. A refused command is sent again only if no
     * later command may have been executed, so that the commands are executed in their order.
     *
     * <p>If this thread is interrupted, the refused commands end with their errors at their deadlines.
     */
    private void sendRefusedAgain() {
        submitted.forEach(this::awaitReplies);
        while (hasPaused()) {
            boolean executedLater = false;
            for (Iterator<PipelineBatch> newestFirst = submitted.descendingIterator(); newestFirst.hasNext(); ) {
                executedLater = newestFirst.next().endRefusedBeforeExecuted(executedLater);
            }
            submitPaused(batch -> batch.undecided() == 0);
            awaitRetry();
            submitPaused(batch -> true);
            submitted.forEach(this::awaitReplies);
        }
    }

    private void submitPaused(Predicate<PipelineBatch> which) {
        for (PipelineBatch batch : submitted) {
            if (batch.isPaused() && which.test(batch)) {
                connection.submitAgain(batch);
            }
        }
    }

    /**
     * Waits before the paused batches are sent again. If the retry would be too close to the deadline of the oldest
     * batch, waits until the timekeeper has ended this batch.
     */
    private void awaitRetry() {
        PipelineBatch batch =
                submitted.stream().filter(PipelineBatch::isPaused).findFirst().orElse(null);
        if (batch == null || batch.connection == null) {
            return;
        }
        RetryQueue retries = batch.connection.retries();
        long due = connection.now() + retries.delayNanos(batch.refusals - 1);
        long until = retries.isInTime(due, batch) ? due : batch.deadlineNanos + Timekeeper.TICK_NANOS;
        for (long left = until - connection.now();
                batch.isPaused() && (left > 0 || until != due);
                left = until - connection.now()) {
            if (Thread.currentThread().isInterrupted()) {
                throw interrupted(batch);
            }
            LockSupport.parkNanos(this, Math.max(left, Timekeeper.TICK_NANOS));
        }
    }

    private void reportFinished() {
        for (PipelineBatch first = submitted.peek(); first != null && first.isAnnounced(); first = submitted.peek()) {
            await(first);
            report(first);
            submitted.remove();
        }
    }

    /**
     * Reports the results of the first batch, except results that are already reported. Some results are already
     * reported if the listener threw an exception in an earlier call.
     */
    private void report(PipelineBatch first) {
        if (listener == null) {
            return;
        }
        inListener = true;
        try {
            while (reportedOfFirst < first.results().size()) {
                listener.ended(reported++, first.results().get(reportedOfFirst++));
            }
        } finally {
            inListener = false;
        }
        reportedOfFirst = 0;
    }

    private void refuseListener() {
        if (inListener) {
            throw new IllegalStateException("a listener must not use the pipeline that calls it");
        }
    }
}
