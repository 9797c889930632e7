// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.internal.Surroundings;
import io.millrace.testkit.Answer;
import io.millrace.testkit.Cut;
import io.millrace.testkit.Ending;
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
 * Some {@code SET}s over a connection that is cut at one byte; those after it live.
 *
 * <p>What is true of every trial: nothing that may not be repeated was seen twice, what ended well was seen, and what is said
 * not to have been executed was not. What is true of one way and one ending is exact.
 */
record CutTrial(Way way, boolean idempotent, Cut cut) {

    private static final int COMMANDS = 3;
    private static final String OK = "+OK\r\n";
    private static final String QUEUED = "+QUEUED\r\n";
    private static final String EXECUTED = "*" + COMMANDS + "\r\n" + OK.repeat(COMMANDS);
    private static final int SET_BYTES = "*3\r\n$3\r\nSET\r\n$1\r\n0\r\n$1\r\nv\r\n".length();
    private static final int FRAME_BYTES = "*1\r\n$5\r\nMULTI\r\n*1\r\n$4\r\nEXEC\r\n".length();

    /** Never reached, except by a clock that the trial advances. */
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    static CutTrial of(Way way, boolean idempotent, Cut cut) {
        // A borrowed connection is the second one, after the one that is shared.
        return new CutTrial(
                way,
                idempotent,
                cut.from(way == Way.TRANSACTION ? "MULTI" : "SET").onConnection(way == Way.DEDICATED ? 1 : 0));
    }

    static int requestBytes(Way way) {
        return COMMANDS * SET_BYTES + (way == Way.TRANSACTION ? FRAME_BYTES : 0);
    }

    static int replyBytes(Way way) {
        return way == Way.TRANSACTION
                ? OK.length() + COMMANDS * QUEUED.length() + EXECUTED.length()
                : COMMANDS * OK.length();
    }

    void run() {
        Handler handler = Handler.afterHandshake(command -> switch (command.name()) {
            case "EXEC" -> Answer.reply(EXECUTED);
            case "MULTI" -> Answer.reply(OK);
            default -> Answer.reply(way == Way.TRANSACTION ? QUEUED : OK);
        });
        try (FakeRedis server = FakeRedis.start(handler, cut)) {
            if (cut.ending() == Ending.SILENCE) {
                runInSilence(server);
            } else {
                try (RedisClient client = RedisClient.connect(options(server))) {
                    check(way.run(client, commands()), server.commands(), client.counts());
                }
            }
        }
    }

    /** Time stands still until everything that will be answered was answered, so nothing else times out. */
    private void runInSilence(FakeRedis server) {
        ManualClock clock = new ManualClock();
        try (RedisClient client = RedisClient.connect(options(server), new Surroundings(clock, new Random(1)))) {
            Thread passing = Thread.ofVirtual().start(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    LockSupport.parkNanos(1_000_000);
                    if (client.counts().ok() >= answered()) {
                        clock.advance(TIMEOUT);
                    }
                }
            });
            List<Fate> fates = way.run(client, commands());
            passing.interrupt();
            check(fates, server.commands(), client.counts());
        }
    }

    private static ClientOptions options(FakeRedis server) {
        return ClientOptions.builder(RedisUri.of(server.host(), server.port()))
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

    /** How many commands, or transactions, are answered over the connection that is cut. */
    private int answered() {
        int bytes = Math.toIntExact(cut.afterBytes());
        boolean requests = cut.stream() == Cut.Stream.REQUESTS;
        if (way == Way.TRANSACTION) {
            return bytes >= (requests ? requestBytes(way) : replyBytes(way)) ? 1 : 0;
        }
        return bytes / (requests ? SET_BYTES : OK.length());
    }

    private void check(List<Fate> fates, List<ReceivedCommand> seen, CommandCounts counts) {
        String what = this + ": fates=" + fates + ", seen=" + seen + ", counts=" + counts;
        assertThat(fates).as(what).hasSize(way == Way.TRANSACTION ? 1 : COMMANDS);
        for (int i = 0; i < fates.size(); i++) {
            check(fates.get(i), timesSeen(i, seen), what);
        }
        int ok = Collections.frequency(fates, Fate.OK);
        int lost = Collections.frequency(fates, Fate.LOST_SENT) + Collections.frequency(fates, Fate.LOST_UNSENT);
        assertThat(counts)
                .as(what)
                .isEqualTo(new CommandCounts(fates.size(), ok, 0, fates.size() - ok - lost, 0, lost, 0));
        switch (way) {
            case CALL -> checkOneByOne(fates, what);
            case SEND -> checkSent(fates, what);
            case PIPELINE, DEDICATED, TRANSACTION -> checkInOnePiece(fates, what);
        }
    }

    private long timesSeen(int index, List<ReceivedCommand> seen) {
        return way == Way.TRANSACTION
                ? seen.stream().filter(command -> command.name().equals("EXEC")).count()
                : seen.stream()
                        .filter(command -> command.line().equals("SET " + index + " v"))
                        .count();
    }

    private void check(Fate fate, long timesSeen, String what) {
        assertThat(timesSeen).as(what).isLessThanOrEqualTo(idempotent ? 2 : 1);
        switch (fate) {
            case OK -> assertThat(timesSeen).as(what).isPositive();
            case LOST_UNSENT -> assertThat(timesSeen).as(what).isZero();
            case TIMED_OUT -> assertThat(cut.ending()).as(what).isEqualTo(Ending.SILENCE);
            case LOST_SENT -> {}
            case ERROR, REFUSED, ABANDONED -> throw new AssertionError(what);
        }
    }

    /** Each command is sent when the one before it has ended, so the cut meets one of them. */
    private void checkOneByOne(List<Fate> fates, String what) {
        if (cut.ending() == Ending.SILENCE) {
            assertThat(fates.subList(0, answered())).as(what).allMatch(fate -> fate == Fate.OK);
            assertThat(fates.get(answered())).as(what).isEqualTo(Fate.TIMED_OUT);
        } else if (idempotent) {
            assertThat(fates).as(what).allMatch(fate -> fate == Fate.OK);
        } else {
            // A reset may overtake the last reply; then it is that command which is lost.
            int met = Math.max(0, answered() - (cut.ending() == Ending.RESET ? 1 : 0));
            assertThat(fates.subList(0, met)).as(what).allMatch(fate -> fate == Fate.OK);
            assertThat(fates.stream().filter(fate -> fate != Fate.OK).toList())
                    .as(what)
                    .isSubsetOf(Fate.LOST_SENT)
                    .hasSizeLessThanOrEqualTo(1);
            assertThat(fates.subList(Math.min(COMMANDS, answered() + 1), COMMANDS))
                    .as(what)
                    .doesNotContain(Fate.LOST_SENT);
        }
    }

    /** Commands that were not yet sent when the connection was lost go over the next one. */
    private void checkSent(List<Fate> fates, String what) {
        if (cut.ending() == Ending.SILENCE) {
            assertThat(fates.subList(0, answered())).as(what).allMatch(fate -> fate == Fate.OK);
            assertThat(fates.get(answered())).as(what).isEqualTo(Fate.TIMED_OUT);
        } else if (idempotent) {
            assertThat(fates).as(what).allMatch(fate -> fate == Fate.OK);
        } else {
            assertThat(fates).as(what).isSubsetOf(Fate.OK, Fate.LOST_SENT);
            if (cut.ending() == Ending.CLOSE) {
                assertThat(fates.subList(0, answered())).as(what).allMatch(fate -> fate == Fate.OK);
            }
        }
    }

    /** One write: all of it was taken before the cut. */
    private void checkInOnePiece(List<Fate> fates, String what) {
        boolean again = idempotent && way != Way.DEDICATED && cut.ending() != Ending.SILENCE;
        Fate others = again ? Fate.OK : cut.ending() == Ending.SILENCE ? Fate.TIMED_OUT : Fate.LOST_SENT;
        int ok = Collections.frequency(fates, Fate.OK);
        assertThat(fates.subList(0, ok)).as(what).allMatch(fate -> fate == Fate.OK);
        assertThat(fates.subList(ok, fates.size())).as(what).allMatch(fate -> fate == others);
        if (again) {
            assertThat(ok).as(what).isEqualTo(COMMANDS);
        } else if (cut.ending() == Ending.RESET) {
            assertThat(ok).as(what).isLessThanOrEqualTo(answered());
        } else {
            assertThat(ok).as(what).isEqualTo(answered());
        }
    }
}
