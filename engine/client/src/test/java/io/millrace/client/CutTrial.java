// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Strings;
import io.millrace.client.internal.time.ClockAndRandom;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Cut;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.ManualClock;
import io.millrace.testkit.ReceivedCommand;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Runs some {@code SET} commands over a connection that is cut after a number of bytes. Later connections are not cut.
 *
 * <p>Every trial checks how often each command reached the server:
 *
 * <ul>
 *   <li>A command that is not idempotent reached the server no more than once.
 *   <li>A successful command reached the server at least once.
 *   <li>A command that the client reports as not executed never reached the server.
 * </ul>
 *
 * <p>Further checks depend on the call mode and on the way in which the connection ends.
 */
record CutTrial(CallMode way, boolean idempotent, Cut cut) {

    private static final int COMMANDS = 3;
    private static final String OK = "+OK\r\n";
    private static final String QUEUED = "+QUEUED\r\n";
    private static final String EXECUTED = "*" + COMMANDS + "\r\n" + OK.repeat(COMMANDS);
    private static final int SET_BYTES = "*3\r\n$3\r\nSET\r\n$1\r\n0\r\n$1\r\nv\r\n".length();
    private static final int FRAME_BYTES = "*1\r\n$5\r\nMULTI\r\n*1\r\n$4\r\nEXEC\r\n".length();

    /**
     * Timeout of each command. No trial waits this long: a command times out only when the trial advances a manual
     * clock.
     */
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    static CutTrial of(CallMode callMode, boolean idempotent, Cut cut) {
        // The client opens the shared connection first, so a borrowed connection is the second connection.
        return new CutTrial(
                callMode,
                idempotent,
                cut.from(callMode == CallMode.TRANSACTION ? "MULTI" : "SET")
                        .onConnection(callMode == CallMode.DEDICATED ? 1 : 0));
    }

    static int requestBytes(CallMode callMode) {
        return COMMANDS * SET_BYTES + (callMode == CallMode.TRANSACTION ? FRAME_BYTES : 0);
    }

    static int replyBytes(CallMode callMode) {
        return callMode == CallMode.TRANSACTION
                ? OK.length() + COMMANDS * QUEUED.length() + EXECUTED.length()
                : COMMANDS * OK.length();
    }

    void run() {
        Handler handler = Handler.afterHandshake(command -> switch (command.name()) {
            case "EXEC" -> Answer.reply(EXECUTED);
            case "MULTI" -> Answer.reply(OK);
            default -> Answer.reply(way == CallMode.TRANSACTION ? QUEUED : OK);
        });
        try (FakeRedis server = FakeRedis.start(handler, cut)) {
            if (cut.ending() == ConnectionEnd.SILENCE) {
                runInSilence(server);
            } else {
                try (RedisClient client = RedisClient.connect(options(server))) {
                    check(way.run(client, commands()), server.commands(), client.counts());
                }
            }
        }
    }

    /**
     * Runs the commands with a manual clock. The clock does not advance before the client has received all replies that
     * can arrive in spite of the cut. So only commands without a reply time out.
     */
    private void runInSilence(FakeRedis server) {
        ManualClock clock = new ManualClock();
        try (RedisClient client = RedisClient.connect(options(server), new ClockAndRandom(clock, new Random(1)))) {
            Thread clockThread = Thread.ofVirtual().start(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    LockSupport.parkNanos(1_000_000);
                    // The clock does not advance while a connection opens, because the clock also measures the connect
                    // timeout.
                    if (client.counts().pending() > 0 && client.counts().ok() >= answered()) {
                        clock.advance(TIMEOUT);
                    }
                }
            });
            List<CommandFate> fates = way.run(client, commands());
            clockThread.interrupt();
            check(fates, server.commands(), client.counts());
        }
    }

    private static ClientOptions options(FakeRedis server) {
        return ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                .connectTimeout(Duration.ofSeconds(60))
                .connections(1)
                .commandTimeout(TIMEOUT)
                .reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(10))
                .fusion(Fusion.NONE)
                .build();
    }

    private List<Command<String>> commands() {
        return IntStream.range(0, COMMANDS)
                .mapToObj(i -> Strings.set(Integer.toString(i), "v"))
                .map(command -> idempotent ? command.idempotently() : command)
                .toList();
    }

    /** Number of commands that are answered before the connection is cut. A transaction counts as one command. */
    private int answered() {
        int bytes = Math.toIntExact(cut.afterBytes());
        boolean requests = cut.stream() == Cut.Stream.REQUESTS;
        if (way == CallMode.TRANSACTION) {
            return bytes >= (requests ? requestBytes(way) : replyBytes(way)) ? 1 : 0;
        }
        return bytes / (requests ? SET_BYTES : OK.length());
    }

    private void check(List<CommandFate> fates, List<ReceivedCommand> seen, CommandCounts counts) {
        String state = this + ": fates=" + fates + ", seen=" + seen + ", counts=" + counts;
        assertThat(fates).as(state).hasSize(way == CallMode.TRANSACTION ? 1 : COMMANDS);
        for (int i = 0; i < fates.size(); i++) {
            check(fates.get(i), timesSeen(i, seen), state);
        }
        int ok = Collections.frequency(fates, CommandFate.OK);
        int lost = Collections.frequency(fates, CommandFate.LOST_SENT)
                + Collections.frequency(fates, CommandFate.LOST_UNSENT);
        assertThat(counts)
                .as(state)
                .isEqualTo(new CommandCounts(fates.size(), ok, 0, fates.size() - ok - lost, 0, lost, 0));
        switch (way) {
            case CALL -> checkOneByOne(fates, state);
            case SEND -> checkSent(fates, state);
            case PIPELINE, DEDICATED, TRANSACTION -> checkSentTogether(fates, state);
        }
    }

    private long timesSeen(int index, List<ReceivedCommand> seen) {
        return way == CallMode.TRANSACTION
                ? seen.stream().filter(command -> command.name().equals("EXEC")).count()
                : seen.stream()
                        .filter(command -> command.line().equals("SET " + index + " v"))
                        .count();
    }

    private void check(CommandFate commandFate, long timesSeen, String state) {
        assertThat(timesSeen).as(state).isLessThanOrEqualTo(idempotent ? 2 : 1);
        switch (commandFate) {
            case OK -> assertThat(timesSeen).as(state).isPositive();
            case LOST_UNSENT -> assertThat(timesSeen).as(state).isZero();
            case TIMED_OUT -> assertThat(cut.ending()).as(state).isEqualTo(ConnectionEnd.SILENCE);
            case LOST_SENT -> {}
            case ERROR, REFUSED, ABANDONED -> throw new AssertionError(state);
        }
    }

    /** Each command is sent after the previous command has its outcome, so the cut affects only one command. */
    private void checkOneByOne(List<CommandFate> fates, String state) {
        if (cut.ending() == ConnectionEnd.SILENCE) {
            assertThat(fates.subList(0, answered())).as(state).allMatch(commandFate -> commandFate == CommandFate.OK);
            assertThat(fates.get(answered())).as(state).isEqualTo(CommandFate.TIMED_OUT);
        } else if (idempotent) {
            assertThat(fates).as(state).allMatch(commandFate -> commandFate == CommandFate.OK);
        } else {
            // A TCP reset may discard the last reply before the client reads it. The command of this reply is then
            // lost.
            int certain = Math.max(0, answered() - (cut.ending() == ConnectionEnd.RESET ? 1 : 0));
            assertThat(fates.subList(0, certain)).as(state).allMatch(commandFate -> commandFate == CommandFate.OK);
            assertThat(fates.stream()
                            .filter(commandFate -> commandFate != CommandFate.OK)
                            .toList())
                    .as(state)
                    .isSubsetOf(CommandFate.LOST_SENT)
                    .hasSizeLessThanOrEqualTo(1);
            assertThat(fates.subList(Math.min(COMMANDS, answered() + 1), COMMANDS))
                    .as(state)
                    .doesNotContain(CommandFate.LOST_SENT);
        }
    }

    /** If a command was not sent before the connection was lost, the client sends it over the next connection. */
    private void checkSent(List<CommandFate> fates, String state) {
        if (cut.ending() == ConnectionEnd.SILENCE) {
            assertThat(fates.subList(0, answered())).as(state).allMatch(commandFate -> commandFate == CommandFate.OK);
            assertThat(fates.get(answered())).as(state).isEqualTo(CommandFate.TIMED_OUT);
        } else if (idempotent) {
            assertThat(fates).as(state).allMatch(commandFate -> commandFate == CommandFate.OK);
        } else {
            assertThat(fates).as(state).isSubsetOf(CommandFate.OK, CommandFate.LOST_SENT);
            if (cut.ending() == ConnectionEnd.CLOSE) {
                assertThat(fates.subList(0, answered()))
                        .as(state)
                        .allMatch(commandFate -> commandFate == CommandFate.OK);
            }
        }
    }

    /** The client sends all commands in one write. So the client has sent every command before the cut. */
    private void checkSentTogether(List<CommandFate> fates, String state) {
        boolean again = idempotent && way != CallMode.DEDICATED && cut.ending() != ConnectionEnd.SILENCE;
        CommandFate others = again
                ? CommandFate.OK
                : cut.ending() == ConnectionEnd.SILENCE ? CommandFate.TIMED_OUT : CommandFate.LOST_SENT;
        int ok = Collections.frequency(fates, CommandFate.OK);
        assertThat(fates.subList(0, ok)).as(state).allMatch(commandFate -> commandFate == CommandFate.OK);
        assertThat(fates.subList(ok, fates.size())).as(state).allMatch(commandFate -> commandFate == others);
        if (again) {
            assertThat(ok).as(state).isEqualTo(COMMANDS);
        } else if (cut.ending() == ConnectionEnd.RESET) {
            assertThat(ok).as(state).isLessThanOrEqualTo(answered());
        } else {
            assertThat(ok).as(state).isEqualTo(answered());
        }
    }
}
