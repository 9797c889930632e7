// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.bulk;

import io.millrace.client.command.CommandSpec;
import io.millrace.client.internal.fusion.FusedCommand;
import io.millrace.resp.Reply;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The written commands of a bulk connection. A written command stays in the ring until it is both answered and
 * reported. Each command on the wire has one slot. The slots are stored in parallel arrays instead of objects. A
 * command on the wire is one submitted command, or a {@linkplain FusedCommand fused command} that stands for several
 * submitted commands. All submitted commands of a fused command share one state.
 *
 * <p>A slot is filled when its command is written. A compare-and-set then decides its state, exactly one time. Either
 * the reader decides the state, because a reply has arrived. Or the owner decides the state, because the command is
 * overdue or the connection has ended. The owner then reads the slot. The state contains the command number. So a late
 * decision about a command that used the same slot earlier has no effect.
 *
 * <p>Happens-before: a thread that has read the count of written commands sees the filled slots of these commands. The
 * reader writes {@code replies} before it decides the state. The owner reads the state with acquire before it reads
 * {@code replies}.
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
    private final @Nullable FusedCommand[] fused;
    private final @Nullable Reply[] replies;

    BulkRing(int capacity) {
        this.mask = capacity - 1;
        this.states = new long[capacity];
        this.ends = new long[capacity];
        this.commandEnds = new long[capacity];
        this.deadlines = new long[capacity];
        this.specs = new CommandSpec<?>[capacity];
        this.fused = new FusedCommand[capacity];
        this.replies = new Reply[capacity];
    }

    /**
     * Fills the slot of command number {@code sent}. The slot must be free.
     *
     * @param end position in the bytes of the connection at which the command ends
     * @param commandEnd number of submitted commands up to and including this one
     */
    void fill(long sent, CommandSpec<?> spec, @Nullable FusedCommand run, long end, long commandEnd, long deadline) {
        int slot = (int) sent & mask;
        specs[slot] = spec;
        fused[slot] = run;
        ends[slot] = end;
        commandEnds[slot] = commandEnd;
        deadlines[slot] = deadline;
        STATES.setRelease(states, slot, sent << STATE_BITS | PENDING);
    }

    /** Reader: stores the reply to the command. Returns false if the command already had an outcome. */
    boolean answer(long sent, Reply reply) {
        int slot = (int) sent & mask;
        replies[slot] = reply;
        if (decide(sent, ANSWERED)) {
            return true;
        }
        replies[slot] = null;
        return false;
    }

    /**
     * Sets the state of the command, such as {@link #TIMED_OUT} or {@link #LOST}. Returns false if the command already
     * had an outcome.
     */
    boolean decide(long sent, int state) {
        int slot = (int) sent & mask;
        return STATES.compareAndSet(states, slot, sent << STATE_BITS | PENDING, sent << STATE_BITS | state);
    }

    int state(long sent) {
        return (int) (long) STATES.getAcquire(states, (int) sent & mask) & ((1 << STATE_BITS) - 1);
    }

    /** Owner: returns the reply to an {@link #ANSWERED} command. */
    Reply reply(long sent) {
        return Objects.requireNonNull(replies[(int) sent & mask]);
    }

    /** Owner: drops the references of the slot. */
    void clear(long sent) {
        replies[(int) sent & mask] = null;
        fused[(int) sent & mask] = null;
    }

    CommandSpec<?> spec(long sent) {
        return Objects.requireNonNull(specs[(int) sent & mask]);
    }

    /** The fused command in the slot; null if the slot has a single command. */
    @Nullable
    FusedCommand fused(long sent) {
        return fused[(int) sent & mask];
    }

    /** Position in the bytes of the connection at which the command ends. */
    long end(long sent) {
        return ends[(int) sent & mask];
    }

    /** Number of submitted commands up to and including this one. */
    long commandEnd(long sent) {
        return commandEnds[(int) sent & mask];
    }

    long deadline(long sent) {
        return deadlines[(int) sent & mask];
    }

    /**
     * Owner: searches the commands {@code from} (inclusive) to {@code to} (exclusive). Returns the first command that
     * ends at or after {@code position}; {@code to} if there is none.
     */
    long firstEndingAt(long position, long from, long to) {
        return firstAt(ends, position, from, to);
    }

    /**
     * Owner: searches the commands {@code from} (inclusive) to {@code to} (exclusive). Returns the first command whose
     * {@link #commandEnd} is at least {@code commands}; {@code to} if there is none.
     */
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
