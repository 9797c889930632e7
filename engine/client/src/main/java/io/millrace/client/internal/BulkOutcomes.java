// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.internal;

import io.millrace.client.BulkListener;
import io.millrace.client.CommandSpec;
import io.millrace.client.Outcome;
import io.millrace.resp.Reply;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Tells the listener of a bulk connection what became of its commands: in the order in which they were submitted, each once,
 * whatever the listener throws. Belongs to the owner of the connection.
 */
final class BulkOutcomes {

    /** How a connection ended. */
    record Ending(String cause, long bytesTaken) {}

    private static final Outcome TIMED_OUT = new Outcome.TimedOut();

    private final BulkRing ring;
    private final BulkListener listener;
    private final Account account;

    /** Of the commands that were submitted and not told of, by number. */
    private final long[] tags;

    /** The parts of the reply that is being told of. */
    private final Reply[] parts = new Reply[Run.MOST_COMMANDS];

    private long told;
    private long toldCommands;
    private boolean telling;

    BulkOutcomes(BulkRing ring, int capacity, BulkListener listener, Account account) {
        this.ring = ring;
        this.listener = listener;
        this.account = account;
        this.tags = new long[capacity];
    }

    /** Command {@code number} of those that are submitted is called {@code tag}. */
    void tag(long number, long tag) {
        tags[(int) number & (tags.length - 1)] = tag;
    }

    /** Of how many commands on the wire all was told. */
    long told() {
        return told;
    }

    /** Of how many submitted commands was told. */
    long toldCommands() {
        return toldCommands;
    }

    /**
     * Tells of every command, in order, up to the first that has no outcome yet.
     *
     * @param end how many commands were sent
     * @param expiring before this moment, of {@link System#nanoTime}, nothing times out
     * @param known how the connection ended, if it has: then nothing that is pending will be answered
     */
    void tell(long end, long expiring, @Nullable Ending known) {
        while (told < end && isDecided(told, expiring, known)) {
            try {
                tellOf(told, known);
            } finally {
                if (toldCommands == ring.commandEnd(told)) {
                    ring.clear(told++);
                }
            }
        }
    }

    /** Tells of what was submitted, up to {@code commands}, and is part of nothing that was written. */
    void tellOfUnwritten(long commands, CommandSpec<?> spec, Ending known) {
        Outcome lost = new Outcome.Lost(false, known.cause());
        while (toldCommands < commands) {
            account.ended(lost);
            tell(nextTag(), spec, lost);
        }
    }

    /** Tells of a command that was not submitted. */
    void tell(long tag, CommandSpec<?> spec, Outcome outcome) {
        telling = true;
        try {
            listener.ended(tag, spec, outcome);
        } finally {
            telling = false;
        }
    }

    void refuseListener() {
        if (telling) {
            throw new IllegalStateException("a listener must not use the writer that tells it");
        }
    }

    /** Whether the command on the wire has its outcome; it has one if time is up, or the connection has ended. */
    private boolean isDecided(long number, long expiring, @Nullable Ending known) {
        if (ring.state(number) != BulkRing.PENDING) {
            return true;
        }
        if (known != null) {
            decide(number, BulkRing.LOST, lost(number, known));
            return true;
        }
        long now = System.nanoTime();
        if (now < ring.deadline(number) || now < expiring) {
            return false;
        }
        decide(number, BulkRing.TIMED_OUT, TIMED_OUT);
        return true;
    }

    private void decide(long number, int state, Outcome outcome) {
        if (ring.decide(number, state)) {
            account.ended(outcome, commands(ring.fused(number)));
        }
    }

    /** Tells of all that the command on the wire stands for, but for those who were told before the listener threw. */
    private void tellOf(long number, @Nullable Ending known) {
        int state = ring.state(number);
        Fused fused = ring.fused(number);
        CommandSpec<?> spec = ring.spec(number);
        int commands = commands(fused);
        int next = commands - (int) (ring.commandEnd(number) - toldCommands);
        if (fused == null || state != BulkRing.ANSWERED) {
            Outcome ofAll = outcome(number, state, known);
            for (int i = next; i < commands; i++) {
                tell(nextTag(), spec, ofAll);
            }
        } else {
            fused.divide(ring.reply(number), parts);
            for (int i = next; i < commands; i++) {
                tell(nextTag(), spec, answered(parts[i]));
            }
            // Their values may be large.
            Arrays.fill(parts, 0, commands, Reply.Null.NULL);
        }
    }

    private long nextTag() {
        return tags[(int) toldCommands++ & (tags.length - 1)];
    }

    private static int commands(@Nullable Fused fused) {
        return fused == null ? 1 : fused.commands();
    }

    private Outcome outcome(long number, int state, @Nullable Ending known) {
        return switch (state) {
            case BulkRing.ANSWERED -> answered(ring.reply(number));
            case BulkRing.LOST -> lost(number, Objects.requireNonNull(known));
            default -> TIMED_OUT;
        };
    }

    private Outcome lost(long number, Ending known) {
        return new Outcome.Lost(ring.end(number) <= known.bytesTaken(), known.cause());
    }

    private static Outcome answered(Reply reply) {
        return reply instanceof Reply.ErrorReply error ? new Outcome.Failed(error) : new Outcome.Ok(reply);
    }
}
