// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.CommandSpec;
import io.millrace.resp.Reply;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The commands of a bulk connection that are in flight, one slot each, in parallel arrays instead of objects.
 *
 * <p>A slot is filled by the owner, decided once by a compare-and-set (the reader with a reply, or the owner because time is
 * up), and read by the owner. Its state carries the command's sequence number, so that a late decision about an earlier
 * command of the same slot can do no harm.
 *
 * <p>Hand-over: the owner's plain writes to a slot are published with the ring's {@code appended} count; the reader writes
 * {@code replies} before it decides the state; the owner reads the state with acquire before it reads {@code replies}.
 */
final class BulkRing {

    static final int PENDING = 0;
    static final int ANSWERED = 1;
    static final int TIMED_OUT = 2;

    private static final int STATE_BITS = 2;
    private static final VarHandle STATES = MethodHandles.arrayElementVarHandle(long[].class);

    private final int mask;
    private final long[] states;
    private final long[] tags;
    private final long[] ends;
    private final long[] deadlines;
    private final @Nullable CommandSpec<?>[] specs;
    private final @Nullable Reply[] replies;

    BulkRing(int capacity) {
        this.mask = capacity - 1;
        this.states = new long[capacity];
        this.tags = new long[capacity];
        this.ends = new long[capacity];
        this.deadlines = new long[capacity];
        this.specs = new CommandSpec<?>[capacity];
        this.replies = new Reply[capacity];
    }

    /** Owner: fills the slot of {@code sequence}, whose last use is over. */
    void fill(long sequence, CommandSpec<?> spec, long tag, long end, long deadline) {
        int slot = (int) sequence & mask;
        specs[slot] = spec;
        tags[slot] = tag;
        ends[slot] = end;
        deadlines[slot] = deadline;
        STATES.setRelease(states, slot, sequence << STATE_BITS | PENDING);
    }

    /** Reader: gives {@code reply} to the command; false if its outcome was decided before. */
    boolean answer(long sequence, Reply reply) {
        int slot = (int) sequence & mask;
        replies[slot] = reply;
        if (decide(slot, sequence, ANSWERED)) {
            return true;
        }
        replies[slot] = null;
        return false;
    }

    /** Owner: says that time is up for the command; false if its outcome was decided before. */
    boolean expire(long sequence) {
        return decide((int) sequence & mask, sequence, TIMED_OUT);
    }

    private boolean decide(int slot, long sequence, int state) {
        return STATES.compareAndSet(states, slot, sequence << STATE_BITS | PENDING, sequence << STATE_BITS | state);
    }

    /** Owner: {@link #PENDING}, {@link #ANSWERED} or {@link #TIMED_OUT}. */
    int state(long sequence) {
        return (int) (long) STATES.getAcquire(states, (int) sequence & mask) & ((1 << STATE_BITS) - 1);
    }

    /** Owner: the reply of an {@link #ANSWERED} command; the ring forgets it. */
    Reply takeReply(long sequence) {
        int slot = (int) sequence & mask;
        Reply reply = Objects.requireNonNull(replies[slot]);
        replies[slot] = null;
        return reply;
    }

    CommandSpec<?> spec(long sequence) {
        return Objects.requireNonNull(specs[(int) sequence & mask]);
    }

    long tag(long sequence) {
        return tags[(int) sequence & mask];
    }

    /** Where in the connection's stream of bytes the command ends. */
    long end(long sequence) {
        return ends[(int) sequence & mask];
    }

    long deadline(long sequence) {
        return deadlines[(int) sequence & mask];
    }

    /** Owner: the first sequence number from {@code from} whose command ends at {@code position} or later. */
    long firstEndingAt(long position, long from, long to) {
        long low = from;
        long high = to;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (end(middle) < position) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
