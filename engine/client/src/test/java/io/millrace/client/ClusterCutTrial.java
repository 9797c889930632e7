// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedirectedMode.Expected;
import io.millrace.client.command.Command;
import io.millrace.client.command.Strings;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Cut;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Sends commands of a slot that moves from node 0 to node 1. The connection that carries the redirected commands to node 1 is
 * cut after a number of bytes.
 *
 * <p>Every trial checks how often each command was executed:
 *
 * <ul>
 *   <li>A command that is not idempotent was executed no more than once.
 *   <li>A successful command was executed, and its reply is its own.
 *   <li>A command that the client reports as not executed was not executed.
 * </ul>
 *
 * <p>Further checks depend on the mode and on the way in which the connection ends. At the end, later commands of the slot must
 * succeed at both nodes.
 */
record ClusterCutTrial(MovingSlot.Kind kind, RedirectedMode mode, boolean fused, boolean idempotent, Cut cut) {

    /** The commands have the keys 0, 1, 2 and 3. */
    private static final int COMMANDS = 4;

    /** The keys of later commands. Node 0 has the first key (ASK), node 1 the second one. */
    private static final List<Integer> LATER = List.of(0, 1);

    private static final String ASKING = "*1\r\n$6\r\nASKING\r\n";
    private static final String MULTI_EXEC = "*1\r\n$5\r\nMULTI\r\n*1\r\n$4\r\nEXEC\r\n";
    private static final String INCREMENT = "*3\r\n$6\r\nINCRBY\r\n$5\r\n{bb}0\r\n$1\r\n1\r\n";
    private static final String SET = "*3\r\n$3\r\nSET\r\n$5\r\n{bb}0\r\n$1\r\nv\r\n";

    private static final String OK = "+OK\r\n";
    private static final String INCREMENTED = ":0\r\n";
    private static final String EXECUTED =
            OK + "+QUEUED\r\n".repeat(COMMANDS) + "*" + COMMANDS + "\r\n" + INCREMENTED.repeat(COMMANDS);

    /** Number of bytes of the redirected commands, or of their replies. */
    int bytes() {
        return units() * unitBytes();
    }

    /** Number of redirected commands, or 1 for a transaction. */
    private int units() {
        if (mode == RedirectedMode.TRANSACTION) {
            return 1;
        }
        // A fused command is redirected as a whole, and its members are sent to node 1 one by one. But the first
        // command is not
        // always fused.
        return kind == MovingSlot.Kind.ASK ? 2 : fused ? COMMANDS : 3;
    }

    private int unitBytes() {
        boolean asks = kind == MovingSlot.Kind.ASK;
        boolean transaction = mode == RedirectedMode.TRANSACTION;
        if (cut.stream() == Cut.Stream.REPLIES) {
            String reply = transaction ? EXECUTED : fused ? OK : INCREMENTED;
            return reply.length() + (asks ? OK.length() : 0);
        }
        String request = transaction ? MULTI_EXEC + INCREMENT.repeat(COMMANDS) : fused ? SET : INCREMENT;
        return request.length() + (asks ? ASKING.length() : 0);
    }

    /** The first command that node 1 receives. */
    private String first() {
        if (kind == MovingSlot.Kind.ASK) {
            return "ASKING";
        }
        return mode == RedirectedMode.TRANSACTION ? "MULTI" : fused ? "SET" : "INCRBY";
    }

    /** Runs this trial. The slot must be new to the client. */
    void run(RedisClient client, FakeCluster cluster, MovingSlot slot, Duration timeout) {
        List<Expected> commands =
                IntStream.range(0, COMMANDS).mapToObj(i -> command(slot, i)).toList();
        CommandCounts before = client.counts();
        cluster.node(1).cutNext(cut.from(first()));

        List<CommandFate> fates = mode.run(client, commands, timeout, fused);

        check(fates, slot, before, client.counts());
        if (cut.ending() != ConnectionEnd.SILENCE) {
            assertThat(cluster.node(1).isCutDue()).isFalse();
            checkLaterCommands(client, slot);
        }
    }

    private Expected command(MovingSlot slot, int number) {
        String key = slot.key(number);
        Command<?> command = fused ? Strings.set(key, "v") : Strings.increment(key);
        return new Expected(idempotent ? command.idempotently() : command, fused ? "OK" : Long.valueOf(number));
    }

    private void check(List<CommandFate> fates, MovingSlot slot, CommandCounts before, CommandCounts after) {
        List<Integer> executions =
                IntStream.range(0, COMMANDS).mapToObj(slot::executions).toList();
        String state = "fates=" + fates + ", executions=" + executions + ", before=" + before + ", after=" + after;
        assertThat(fates).as(state).hasSize(mode == RedirectedMode.TRANSACTION ? 1 : COMMANDS);
        for (int i = 0; i < fates.size(); i++) {
            check(fates.get(i), executions.get(i), state);
        }
        int ok = Collections.frequency(fates, CommandFate.OK);
        int timedOut = Collections.frequency(fates, CommandFate.TIMED_OUT);
        int lost = fates.size() - ok - timedOut;
        assertThat(after)
                .as(state)
                .isEqualTo(before.plus(new CommandCounts(fates.size(), ok, 0, timedOut, 0, lost, 0)));
        if (idempotent && cut.ending() != ConnectionEnd.SILENCE) {
            assertThat(fates).as(state).containsOnly(CommandFate.OK);
        } else if (cut.ending() == ConnectionEnd.CLOSE && !(fused && kind == MovingSlot.Kind.MOVED)) {
            checkRedirected(fates, state);
        }
    }

    private void check(CommandFate fate, int executions, String state) {
        if (!idempotent) {
            assertThat(executions).as(state).isLessThanOrEqualTo(1);
        }
        switch (fate) {
            case OK -> assertThat(executions).as(state).isPositive();
            case LOST_UNSENT -> assertThat(executions).as(state).isZero();
            case LOST_SENT -> {}
            case TIMED_OUT -> assertThat(cut.ending()).as(state).isEqualTo(ConnectionEnd.SILENCE);
            case ERROR, REFUSED, ABANDONED -> throw new AssertionError(state);
        }
    }

    /** A command that node 1 answers before the cut is successful. A command with a part of its reply is lost. */
    private void checkRedirected(List<CommandFate> fates, String state) {
        List<CommandFate> redirected = mode == RedirectedMode.TRANSACTION
                ? fates
                : IntStream.range(0, COMMANDS)
                        .filter(number -> MovingSlot.isRedirected(kind, number))
                        .mapToObj(fates::get)
                        .toList();
        int bytes = Math.toIntExact(cut.afterBytes());
        int answered = bytes / unitBytes();
        assertThat(redirected.subList(0, answered)).as(state).allMatch(fate -> fate == CommandFate.OK);
        if (cut.stream() == Cut.Stream.REPLIES && bytes % unitBytes() > 0) {
            assertThat(redirected.get(answered)).as(state).isEqualTo(CommandFate.LOST_SENT);
        }
    }

    private static void checkLaterCommands(RedisClient client, MovingSlot slot) {
        for (int number : LATER) {
            assertThat(client.call(Strings.increment(slot.key(number)))).isEqualTo(number);
        }
        for (ConnectionStats connection : client.stats().connections()) {
            assertThat(connection.inFlight()).as("%s", connection).isZero();
            assertThat(connection.bytesInFlight()).as("%s", connection).isZero();
        }
    }
}
