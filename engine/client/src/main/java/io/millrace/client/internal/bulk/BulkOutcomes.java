// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal.bulk;

import io.millrace.client.BulkListener;
import io.millrace.client.Outcome;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.internal.fusion.FusedBatch;
import io.millrace.client.internal.fusion.FusedCommand;
import io.millrace.client.internal.shared.TemporaryRefusal;
import io.millrace.client.internal.stats.StatsCounter;
import io.millrace.resp.Reply;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reports the outcomes of a bulk connection to its listener. The outcomes are reported in the order of submission. Each
 * outcome is reported exactly once, even if the listener throws an exception. Used by the owner of the connection only.
 */
final class BulkOutcomes {

    /** Receives each command on the wire that times out. */
    interface TimeoutListener {

        /**
         * Called after the timeout is decided as the outcome of the command.
         *
         * @param commands number of submitted commands that the command on the wire stands for
         * @param position position in the bytes of the connection at which the command ends
         */
        void timedOut(CommandSpec<?> spec, int commands, long position);
    }

    /** Why a connection ended, and the number of bytes that the transport had accepted by then. */
    record ConnectionEnd(String cause, long bytesTaken) {}

    private static final Outcome TIMED_OUT = new Outcome.TimedOut();

    private final BulkRing ring;
    private final BulkListener listener;
    private final StatsCounter stats;
    private final BulkDeadlines deadlines;
    private final BulkMarks marks;
    private final TimeoutListener whenTimedOut;

    /** Receives the replies to the {@code AUTH} of renewed logins, which have no submitted command. */
    private final Consumer<Reply> loginReplies;

    /** Tags of the submitted commands that are not yet reported, by command number. */
    private final long[] tags;

    /** The replies to the submitted commands of the fused command that is being reported. */
    private final Reply[] parts = new Reply[FusedBatch.MAX_COMMANDS];

    private long reported;
    private long reportedCommands;
    private boolean inListener;

    /** Whether the server has temporarily refused a command since the last {@link #forgetRefusal}. */
    private boolean refused;

    BulkOutcomes(
            BulkRing ring,
            int capacity,
            BulkListener listener,
            StatsCounter stats,
            BulkDeadlines deadlines,
            BulkMarks marks,
            TimeoutListener whenTimedOut,
            Consumer<Reply> loginReplies) {
        this.loginReplies = loginReplies;
        this.ring = ring;
        this.listener = listener;
        this.stats = stats;
        this.deadlines = deadlines;
        this.marks = marks;
        this.whenTimedOut = whenTimedOut;
        this.tags = new long[capacity];
    }

    /** Stores {@code tag} as the tag of the submitted command with this {@code number}. */
    void tag(long number, long tag) {
        tags[(int) number & (tags.length - 1)] = tag;
    }

    /** Number of commands on the wire whose submitted commands are all reported. */
    long reported() {
        return reported;
    }

    /** Number of submitted commands that are reported. */
    long reportedCommands() {
        return reportedCommands;
    }

    /**
     * Reports commands in the order of submission, up to the first command without an outcome.
     *
     * @param end number of commands on the wire that were written
     * @param ending the end of the connection; null while it is open. After the end, pending commands are reported as
     *     lost
     */
    void report(long end, @Nullable ConnectionEnd ending) {
        while (reported < end && isDecided(reported, ending)) {
            try {
                reportCommand(reported, ending);
            } finally {
                if (reportedCommands == ring.commandEnd(reported)) {
                    ring.clear(reported++);
                }
            }
        }
    }

    /**
     * Reports submitted commands that were never written as lost, until {@code commands} submitted commands are
     * reported in total.
     */
    void reportUnwritten(long commands, CommandSpec<?> spec, ConnectionEnd ending) {
        Outcome lost = new Outcome.Lost(false, ending.cause());
        while (reportedCommands < commands) {
            stats.countEnded(lost);
            report(nextTag(), spec, lost);
        }
    }

    /** Counts a command that was not sent. The stats count the command as submitted, and count its outcome. */
    void countNotSent(Outcome outcome) {
        stats.countSubmitted();
        stats.countEnded(outcome);
    }

    /** Calls the listener with the outcome of one command. */
    void report(long tag, CommandSpec<?> spec, Outcome outcome) {
        inListener = true;
        try {
            listener.ended(tag, spec, outcome);
        } finally {
            inListener = false;
        }
    }

    /** Returns whether the server has temporarily refused a command since the last {@link #forgetRefusal}. */
    boolean isRefused() {
        return refused;
    }

    void forgetRefusal() {
        refused = false;
    }

    void checkNotInListener() {
        if (inListener) {
            throw new IllegalStateException("a listener must not use the writer that calls it");
        }
    }

    /**
     * Returns whether the command on the wire has an outcome. Decides the outcome if the command is overdue or the
     * connection has ended.
     */
    private boolean isDecided(long number, @Nullable ConnectionEnd ending) {
        if (ring.state(number) != BulkRing.PENDING) {
            return true;
        }
        if (ending != null) {
            decide(number, BulkRing.LOST, lost(number, ending));
            return true;
        }
        if (!deadlines.isOverdue(ring.deadline(number))) {
            return false;
        }
        if (decide(number, BulkRing.TIMED_OUT, TIMED_OUT)) {
            if (!isOwn(number)) {
                whenTimedOut.timedOut(ring.spec(number), commands(number), ring.end(number));
            }
        }
        return true;
    }

    private boolean decide(long number, int state, Outcome outcome) {
        boolean decided = ring.decide(number, state);
        if (decided) {
            stats.countEnded(outcome, commands(number));
        }
        return decided;
    }

    /**
     * Reports all submitted commands that one command on the wire stands for. If the listener threw an exception in an
     * earlier call of this method, skips the commands that the earlier call has reported.
     */
    private void reportCommand(long number, @Nullable ConnectionEnd ending) {
        int state = ring.state(number);
        FusedCommand fusedCommand = ring.fused(number);
        CommandSpec<?> spec = ring.spec(number);
        if (state == BulkRing.ANSWERED && ring.reply(number) instanceof Reply.ErrorReply error) {
            refused |= TemporaryRefusal.concernsAllCommands(error);
            marks.refused(error);
        }
        if (isOwn(number)) {
            reportOwn(spec, outcome(number, state, ending));
            return;
        }
        int commands = commands(number);
        int next = commands - (int) (ring.commandEnd(number) - reportedCommands);
        if (fusedCommand == null || state != BulkRing.ANSWERED) {
            Outcome common = outcome(number, state, ending);
            for (int i = next; i < commands; i++) {
                report(nextTag(), spec, common);
            }
        } else {
            fusedCommand.splitReply(ring.reply(number), parts);
            for (int i = next; i < commands; i++) {
                report(nextTag(), spec, answered(parts[i]));
            }
            // Drop the references to the replies, because the replies may be large.
            Arrays.fill(parts, 0, commands, Reply.Null.NULL);
        }
    }

    private void reportOwn(CommandSpec<?> spec, Outcome outcome) {
        if (spec == BulkOutput.LOGIN && outcome instanceof Outcome.Ok ok) {
            loginReplies.accept(ok.reply());
        } else if (spec == BulkOutput.LOGIN && outcome instanceof Outcome.Failed failed) {
            loginReplies.accept(failed.error());
        } else if (spec == BulkOutput.MARK) {
            inListener = true;
            try {
                marks.ended(outcome);
            } finally {
                inListener = false;
            }
        }
    }

    private long nextTag() {
        return tags[(int) reportedCommands++ & (tags.length - 1)];
    }

    /** Number of submitted commands that the command on the wire stands for: 0 for a command of the client itself. */
    private int commands(long number) {
        if (isOwn(number)) {
            return 0;
        }
        FusedCommand fusedCommand = ring.fused(number);
        return fusedCommand == null ? 1 : fusedCommand.commands();
    }

    private boolean isOwn(long number) {
        return BulkOutput.isOwn(ring.spec(number));
    }

    private Outcome outcome(long number, int state, @Nullable ConnectionEnd ending) {
        return switch (state) {
            case BulkRing.ANSWERED -> answered(ring.reply(number));
            case BulkRing.LOST -> lost(number, Objects.requireNonNull(ending));
            default -> TIMED_OUT;
        };
    }

    private Outcome lost(long number, ConnectionEnd ending) {
        return new Outcome.Lost(ring.end(number) <= ending.bytesTaken(), ending.cause());
    }

    private static Outcome answered(Reply reply) {
        return reply instanceof Reply.ErrorReply error ? new Outcome.Failed(error) : new Outcome.Ok(reply);
    }
}
