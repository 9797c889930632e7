// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.CommandSpec;
import io.millrace.resp.Reply;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a bulk connection has sent and not told its listener of, one slot for each command on the wire, in parallel arrays
 * instead of objects. A command on the wire stands for one that was submitted, or for a {@linkplain Fused run} of several,
 * which share its fate.
 *
 * <p>A slot is filled when the command is written, decided once by a compare-and-set (the reader with a reply, or the owner
 * because time is up or the connection has ended), and read by the owner. Its state carries its number, so that a late decision
 * about an earlier command of the same slot can do no harm.
 *
 * <p>Hand-over: the plain writes to a slot are published with the connection's count of what it has sent; the reader writes
 * {@code replies} before it decides the state; the owner reads the state with acquire before it reads {@code replies}.
 */
final class BulkRing {

    static final int PENDING = 0;
    static final int ANSWERED = 1;
    static final int TIMED_OUT = 2;
    static final int LOST = 3;

    private static final int STATE_BITS = 2;
    private static final VarHandle STATES = MethodHandles.arrayElementVarHandle(long[].class);

    private final int mask;
    private final long[] states;
    private final long[] ends;
    private final long[] commandEnds;
    private final long[] deadlines;
    private final @Nullable CommandSpec<?>[] specs;
    private final @Nullable Fused[] fused;
    private final @Nullable Reply[] replies;

    BulkRing(int capacity) {
        this.mask = capacity - 1;
        this.states = new long[capacity];
        this.ends = new long[capacity];
        this.commandEnds = new long[capacity];
        this.deadlines = new long[capacity];
        this.specs = new CommandSpec<?>[capacity];
        this.fused = new Fused[capacity];
        this.replies = new Reply[capacity];
    }

    /**
     * Fills the slot of number {@code sent}, whose last use is over.
     *
     * @param end where it ends in the connection's stream of bytes
     * @param commandEnd how many submitted commands there are with it
     */
    void fill(long sent, CommandSpec<?> spec, @Nullable Fused run, long end, long commandEnd, long deadline) {
        int slot = (int) sent & mask;
        specs[slot] = spec;
        fused[slot] = run;
        ends[slot] = end;
        commandEnds[slot] = commandEnd;
        deadlines[slot] = deadline;
        STATES.setRelease(states, slot, sent << STATE_BITS | PENDING);
    }

    /** Reader: gives {@code reply} to the command; false if its outcome was decided before. */
    boolean answer(long sent, Reply reply) {
        int slot = (int) sent & mask;
        replies[slot] = reply;
        if (decide(sent, ANSWERED)) {
            return true;
        }
        replies[slot] = null;
        return false;
    }

    /** Decides {@link #TIMED_OUT} or {@link #LOST}; false if the outcome was decided before. */
    boolean decide(long sent, int state) {
        int slot = (int) sent & mask;
        return STATES.compareAndSet(states, slot, sent << STATE_BITS | PENDING, sent << STATE_BITS | state);
    }

    int state(long sent) {
        return (int) (long) STATES.getAcquire(states, (int) sent & mask) & ((1 << STATE_BITS) - 1);
    }

    /** Owner: the reply to an {@link #ANSWERED} command. */
    Reply reply(long sent) {
        return Objects.requireNonNull(replies[(int) sent & mask]);
    }

    /** Owner: lets go of what the slot holds. */
    void clear(long sent) {
        replies[(int) sent & mask] = null;
        fused[(int) sent & mask] = null;
    }

    CommandSpec<?> spec(long sent) {
        return Objects.requireNonNull(specs[(int) sent & mask]);
    }

    /** What it stands for; null if for itself. */
    @Nullable
    Fused fused(long sent) {
        return fused[(int) sent & mask];
    }

    /** Where in the connection's stream of bytes it ends. */
    long end(long sent) {
        return ends[(int) sent & mask];
    }

    /** How many submitted commands there were with it. */
    long commandEnd(long sent) {
        return commandEnds[(int) sent & mask];
    }

    long deadline(long sent) {
        return deadlines[(int) sent & mask];
    }

    /** Owner: the first from {@code from} to {@code to} that ends at {@code position} or later; {@code to} if none does. */
    long firstEndingAt(long position, long from, long to) {
        return firstAt(ends, position, from, to);
    }

    /** Owner: the first from {@code from} to {@code to} with which there were so many commands; {@code to} if none. */
    long firstWithCommands(long commands, long from, long to) {
        return firstAt(commandEnds, commands, from, to);
    }

    private long firstAt(long[] values, long wanted, long from, long to) {
        long low = from;
        long high = to;
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (values[(int) middle & mask] < wanted) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
