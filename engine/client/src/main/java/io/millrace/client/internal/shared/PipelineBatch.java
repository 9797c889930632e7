// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.shared;

import io.millrace.client.Outcome;
import io.millrace.client.command.Command;
import io.millrace.client.internal.stats.ReplyCounter;
import io.millrace.client.internal.stats.StatsCounter;
import io.millrace.resp.Reply;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A batch of a pipeline: commands that are queued, sent and awaited together, each with its own outcome.
 *
 * <p>DESIGN. The owner of the pipeline fills the batch and submits it. The outcomes are stored in an array; each
 * element is set by a compare-and-set. The reader writes only to this array, and not to the result objects of the
 * owner. So the result objects stay in the processor cache of the owner. The array stores each reply unchanged. The
 * reply is converted to an outcome when the owner reads the outcome.
 *
 * <p>After a connection was lost, only commands without an outcome are sent again. So the n-th reply over the new
 * connection may not belong to the n-th command of the batch. {@code onTheWire} maps replies to commands.
 */
public final class PipelineBatch extends CallerSubmission {

    private static final VarHandle DECIDED = MethodHandles.arrayElementVarHandle(Object[].class);

    private static final int[] NO_INDEXES = {};

    private static final Reply.@Nullable ErrorReply[] NO_REFUSALS = {};

    /** Minimum of the initial capacity for results. Most batches are small; the array grows with larger batches. */
    private static final int MIN_CAPACITY = 16;

    // Written by the owner until the batch is submitted; not changed afterwards.
    private PipelineResult<?>[] results;
    private int count;
    private long bytes;

    /**
     * One element per command: its {@link Reply}; its {@link Outcome} if it ended without a reply; or null if it has no
     * outcome yet.
     */
    private @Nullable Object[] decided = new Object[0];

    /** Whether all commands have outcomes; written by the thread that decides the last one. */
    private volatile boolean isDecided;

    /**
     * Whether a thread other than the reader and the sender has begun to decide outcomes. Set before the first of these
     * outcomes. The sender sets {@link #endPosition} before it reads this field, see {@link CallerSubmission}: so the
     * sender reads true, or the waiting thread sees NOT_WRITTEN and waits.
     */
    private volatile boolean hasOtherOutcomes;

    /** Copies of the commands; empty if the results have the commands. Written by the waiting thread. */
    private volatile Command<?>[] copies = {};

    // Written by the thread that sends; handed to the reader through the ring. The first array is empty if the batch
    // was encoded without a look at single outcomes: then command n of the wire is command n of the batch.
    private int[] onTheWire = NO_INDEXES;
    private long[] ends = {};
    private int onTheWireCount;
    private int last;

    /** Owned by the sender. */
    private final LostWireCounts lostWireCounts = new LostWireCounts();

    /**
     * The temporary refusal of each command that was refused and has no outcome; empty as long as no command was
     * refused. Written by the reader. After {@link #awaitRetry}, owned by the thread that takes the batch, and then by
     * the sender.
     */
    private Reply.@Nullable ErrorReply[] refusalOf = NO_REFUSALS;

    /** Whether commands of the last attempt were refused and have no outcome. Owned like {@link #refusalOf}. */
    private boolean isRefused;

    /** Number of replies received. Owned by the reader and, after the reader has stopped, by the sender. */
    private int isAnswered;

    // Called by the owner.

    /** Creates an empty batch that is expected to have about {@code commands} commands. */
    PipelineBatch(int commands) {
        results = new PipelineResult<?>[Math.max(MIN_CAPACITY, commands)];
    }

    <T> PipelineResult<T> add(Command<T> command) {
        if (count == results.length) {
            results = Arrays.copyOf(results, 2 * count);
        }
        PipelineResult<T> result = new PipelineResult<>(command, this, count);
        results[count++] = result;
        bytes += command.encodedBytes();
        return result;
    }

    /** Called when all commands are added, before the batch is submitted. */
    void close(long now, long deadline) {
        decided = new Object[count];
        begin(now, deadline);
        setCurrentThreadAsWaiter();
    }

    List<PipelineResult<?>> results() {
        return Arrays.asList(results).subList(0, count);
    }

    // Called by any thread.

    /** Returns the outcome of the command at {@code index}; null if it has none. */
    @Nullable
    Outcome outcome(int index) {
        Object value = decided(index);
        return value instanceof Reply reply ? Outcomes.answered(reply) : (Outcome) value;
    }

    @Override
    @Nullable
    Object decided(int index) {
        if (isAnnounced()) {
            return decided[index];
        }
        return index < decided.length ? DECIDED.getAcquire(decided, index) : null;
    }

    @Override
    String name(int index) {
        return results[index].command().spec().name();
    }

    @Override
    long requestBytes(int index) {
        return results[index].command().encodedBytes();
    }

    @Override
    void copyArguments() {
        Command<?>[] before = copies;
        if (before.length < count) {
            Command<?>[] all = new Command<?>[count];
            Arrays.setAll(all, i -> i < before.length ? before[i] : ArgumentCopies.of(results[i].command()));
            copies = all;
        }
    }

    private boolean isUndecided(int index) {
        // Volatile: the sender writes endPosition before it reads the outcome or hasOtherOutcomes; see
        // CallerSubmission.
        return DECIDED.getVolatile(decided, index) == null;
    }

    private boolean decide(int index, Object value) {
        return DECIDED.compareAndSet(decided, index, null, value);
    }

    @Override
    boolean isBatch() {
        return true;
    }

    @Override
    int commands() {
        return count;
    }

    @Override
    long encodedBytes() {
        return bytes;
    }

    // Called by the sender.

    @Override
    boolean encode(CommandWriter writer) {
        long before = endPosition;
        endPosition = NOT_WRITTEN;
        boolean all = ends.length == 0 && !hasOtherOutcomes;
        ends = new long[count];
        Arrays.fill(ends, NOT_WRITTEN);
        onTheWire = all ? NO_INDEXES : new int[count];
        onTheWireCount = 0;
        last = Integer.MAX_VALUE;
        isAnswered = 0;
        isRefused = false;
        refusalOf = NO_REFUSALS;
        for (int i = 0; i < count; i++) {
            if (all) {
                encode(i, writer);
            } else if (isUndecided(i)) {
                onTheWire[onTheWireCount] = i;
                encode(i, writer);
            }
        }
        last = onTheWireCount - 1;
        endPosition = last >= 0 ? ends[last] : before;
        return last >= 0;
    }

    private void encode(int index, CommandWriter writer) {
        Command<?>[] protectedCommands = copies;
        Command<?> command = index < protectedCommands.length ? protectedCommands[index] : results[index].command();
        if (index + 1 < count) {
            writer.write(command, results[index + 1].command(), this, onTheWireCount++);
        } else {
            writer.write(command, this, onTheWireCount++);
        }
    }

    /** Returns the index in the batch of the command that was sent as number {@code sent}. */
    private int indexOf(int sent) {
        return onTheWire.length == 0 ? sent : onTheWire[sent];
    }

    @Override
    void endsAt(int index, long position) {
        ends[index] = position;
        if (index == last) {
            endPosition = position;
        }
    }

    @Override
    boolean decideLost(Loss loss, StatsCounter stats) {
        boolean survivors = false;
        if (isRefused) {
            // A later command of this batch may have been executed, so the order permits no further attempt.
            decideRefusals(count, stats);
        }
        for (int i = isAnswered; i < onTheWireCount; i++) {
            int index = indexOf(i);
            boolean idempotent = results[index].command().spec().idempotent();
            Outcome lost = loss.outcomeOfNext(ends[i], idempotent, lostWires(index));
            if (lost == null && isUndecided(index)) {
                survivors = true;
                if (loss.wasSent(ends[i])) {
                    lostWires = Math.max(lostWires, lostWireCounts.increment(index, count));
                }
            } else if (lost != null && decide(index, lost)) {
                stats.countEnded(lost);
            }
        }
        if (!survivors) {
            isDecided = true;
        }
        return survivors;
    }

    @Override
    int lostWires(int index) {
        return lostWireCounts.of(index);
    }

    // Called by the reader.

    @Override
    boolean reply(Reply reply, ReplyCounter replyCounter) {
        int index = indexOf(isAnswered);
        if (reply instanceof Reply.ErrorReply error && isSentAgainAfter(index, error)) {
            refuse(index, error);
        } else if (decide(index, reply)) {
            replyCounter.count(reply);
        } else {
            late();
        }
        boolean last = ++isAnswered == onTheWireCount;
        if (last && !isRefused) {
            isDecided = true;
        }
        return last;
    }

    private boolean isSentAgainAfter(int index, Reply.ErrorReply error) {
        SharedConnection target = connection;
        return target != null
                && TemporaryRefusal.is(error)
                && isUndecided(index)
                && target.retries().plan(this, results[index].command().spec().name(), error);
    }

    private void refuse(int index, Reply.ErrorReply error) {
        if (refusalOf.length == 0) {
            refusalOf = new Reply.ErrorReply[count];
        }
        refusalOf[index] = error;
        isRefused = true;
    }

    @Override
    boolean isRefused() {
        return isRefused && !isDecided;
    }

    // Called by the owner, or by the thread that has taken the batch from the retry queue.

    @Override
    boolean isPaused() {
        return awaitsRetry();
    }

    /**
     * Owner of a paused batch: decides the error of each refused command that must not be sent again, because a later
     * command of the pipeline may have been executed.
     *
     * @param executedLater whether a command of a later batch may have been executed
     * @return whether a command of this batch or of a later batch may have been executed
     */
    boolean endRefusedBeforeExecuted(boolean executedLater) {
        int end = executedLater ? count : lastExecuted() + 1;
        if (isPaused()) {
            decideRefusals(end, Objects.requireNonNull(connection).counters());
        }
        return end > 0;
    }

    /** Returns the index of the last command that may have been executed; -1 if there is none. */
    private int lastExecuted() {
        int last = count - 1;
        while (last >= 0
                && !TemporaryRefusal.mayBeExecuted(
                        outcome(last), results[last].command().spec().name())) {
            last--;
        }
        return last;
    }

    /** Decides the errors of the refused commands before {@code end}. */
    private void decideRefusals(int end, StatsCounter stats) {
        hasOtherOutcomes = true;
        for (int i = 0; i < Math.min(end, refusalOf.length); i++) {
            Reply.ErrorReply error = refusalOf[i];
            if (error != null && decide(i, error)) {
                stats.countEnded(new Outcome.Failed(error));
            }
        }
    }

    @Override
    void endRefused(StatsCounter stats) {
        decideRefusals(count, stats);
        isDecided = true;
    }

    /** The thread that has taken the batch: returns the number of commands that must be sent again. */
    int undecided() {
        int undecided = 0;
        for (int i = 0; i < count; i++) {
            undecided += isUndecided(i) ? 1 : 0;
        }
        return undecided;
    }

    // Called by any thread.

    @Override
    boolean decide(Outcome outcome, StatsCounter stats) {
        hasOtherOutcomes = true;
        boolean any = false;
        for (int i = 0; i < count; i++) {
            if (decide(i, outcome)) {
                stats.countEnded(outcome);
                any = true;
            }
        }
        isDecided = true;
        return any;
    }

    @Override
    void forEachCommand(Outcome which, Consumer<String> taker) {
        for (int i = 0; i < count; i++) {
            if (which.equals(DECIDED.getAcquire(decided, i))) {
                taker.accept(results[i].command().spec().name());
            }
        }
    }

    @Override
    boolean isDecided() {
        return isDecided;
    }

    /** Replies arrive in order: if the last command is answered, all commands are answered. */
    @Override
    public boolean isAnswered() {
        return Outcomes.wasAnswered(outcome(count - 1));
    }

    @Override
    void announce() {
        if (isDecided) {
            announceToWaiter();
        }
    }
}
