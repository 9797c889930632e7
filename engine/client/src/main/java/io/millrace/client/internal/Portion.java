// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.Command;
import io.millrace.client.Outcome;
import io.millrace.resp.Reply;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A portion of a pipeline: some commands, each with an outcome of its own, that are queued, sent and waited for together.
 *
 * <p>DESIGN. The pipeline's owner fills it, then submits it. Outcomes are decided in an array, one compare-and-set each: the
 * reader touches that array alone, not the objects that the owner holds, which would travel between their caches. A reply is
 * kept as it came, and becomes an outcome when somebody looks.
 *
 * <p>After a connection was lost only what has no outcome is sent again, so the n-th reply is not always that of the n-th
 * command: {@code onTheWire} says whose it is.
 */
final class Portion extends Submission {

    private static final VarHandle DECIDED = MethodHandles.arrayElementVarHandle(Object[].class);

    private static final int[] NOTHING = {};

    /** Most portions are small pipelines; larger ones grow. */
    private static final int FIRST_ROOM = 16;

    // The owner's, until it is submitted; final from then on.
    private PortionResult<?>[] results = new PortionResult<?>[FIRST_ROOM];
    private int count;
    private long bytes;

    /** For each command a {@link Reply}, or the {@link Outcome} of one that was not answered, or null. */
    private @Nullable Object[] decided = new Object[0];

    /** Whether everything is decided; by whoever decides the last. */
    private volatile boolean ended;

    // Written by whoever sends; the ring hands them over to the reader.
    private int[] onTheWire = NOTHING;
    private long[] ends = {};
    private int onTheWireCount;
    private int last;

    /** Owned by the reader and, when it has left, by the sender. */
    private int answered;

    // The owner.

    <T> PortionResult<T> add(Command<T> command) {
        if (count == results.length) {
            results = Arrays.copyOf(results, 2 * count);
        }
        PortionResult<T> result = new PortionResult<>(command, this, count);
        results[count++] = result;
        bytes += command.encodedBytes();
        return result;
    }

    /** Nothing is added any more; it is to be submitted. */
    void close(long now, long deadline) {
        decided = new Object[count];
        begin(now, deadline);
        awaitedHere();
    }

    List<PortionResult<?>> results() {
        return Arrays.asList(results).subList(0, count);
    }

    // Any thread.

    /** The outcome of the command at {@code index}; null if it has none. */
    @Nullable
    Outcome outcome(int index) {
        Object value = index < decided.length ? DECIDED.getAcquire(decided, index) : null;
        return value instanceof Reply reply ? Outcomes.answered(reply) : (Outcome) value;
    }

    private boolean undecided(int index) {
        return DECIDED.getAcquire(decided, index) == null;
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

    // The sender.

    @Override
    boolean encode(CommandWriter writer) {
        endPosition = NOT_WRITTEN;
        ends = new long[count];
        Arrays.fill(ends, NOT_WRITTEN);
        onTheWire = new int[count];
        onTheWireCount = 0;
        last = Integer.MAX_VALUE;
        answered = 0;
        for (int i = 0; i < count; i++) {
            if (undecided(i)) {
                onTheWire[onTheWireCount] = i;
                writer.write(results[i].command(), this, onTheWireCount++);
            }
        }
        last = onTheWireCount - 1;
        if (last >= 0) {
            endPosition = ends[last];
        }
        return last >= 0;
    }

    @Override
    void endsAt(int index, long position) {
        ends[index] = position;
        if (index == last) {
            endPosition = position;
        }
    }

    @Override
    boolean lose(Loss loss, Account account) {
        boolean survivors = false;
        for (int i = answered; i < onTheWireCount; i++) {
            int index = onTheWire[i];
            Outcome lost =
                    loss.of(this, ends[i], results[index].command().spec().idempotent());
            if (lost == null) {
                survivors |= undecided(index);
            } else if (decide(index, lost)) {
                account.ended(lost);
            }
        }
        if (!survivors) {
            ended = true;
        }
        return survivors;
    }

    // The reader.

    @Override
    boolean reply(Reply reply, Tally tally) {
        if (decide(onTheWire[answered], reply)) {
            tally.count(reply);
        } else {
            late();
        }
        boolean last = ++answered == onTheWireCount;
        if (last) {
            ended = true;
        }
        return last;
    }

    // Any thread.

    @Override
    boolean end(Outcome outcome, Account account) {
        boolean any = false;
        for (int i = 0; i < count; i++) {
            if (decide(i, outcome)) {
                account.ended(outcome);
                any = true;
            }
        }
        ended = true;
        return any;
    }

    @Override
    boolean ended() {
        return ended;
    }

    /** Replies come in order: when the last command is answered, all are. */
    @Override
    boolean answered() {
        return Outcomes.wasAnswered(outcome(count - 1));
    }

    @Override
    void announce() {
        if (ended) {
            wakeWaiter();
        }
    }
}
