// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.connections;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.client.FusingClient.FusedCommands;
import io.millrace.lab.connections.JedisForTests.Mistake;
import io.millrace.lab.experiment.Mix;
import io.millrace.lab.experiment.Outcomes;
import io.millrace.lab.experiment.ServerUse;
import io.millrace.lab.experiment.Work;
import io.millrace.lab.server.LabException;
import io.millrace.lab.server.RedisServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The checks find a client that executes only one of its commands wrongly. */
class WrongClientTest {

    private static final int SIZE = 2_000;

    @TempDir
    private static Path folder;

    private static RedisServer server;

    @BeforeAll
    static void startServer() {
        server = OneRound.startServer();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    /** Works whose checks differ. */
    enum Kind {
        CALLS {
            @Override
            List<String> complaints(LibraryMode client) throws Exception {
                return pairs(client, 8, PairWork.calls(ThreadKind.VIRTUAL));
            }
        },
        PAIR_BATCHES {
            @Override
            List<String> complaints(LibraryMode client) throws Exception {
                return pairs(client, 1, PairWork.batches(100));
            }
        },
        WINDOW {
            @Override
            List<String> complaints(LibraryMode client) throws Exception {
                PairData data = PairData.inFlight(OneRound.SMALL, 50);
                Work work = new PairWork(client, () -> data, SIZE, PairWork.window(50));
                return run(work, data.serverUse());
            }
        },
        HASH {
            @Override
            List<String> complaints(LibraryMode client) throws Exception {
                return list(client, CommandList.oneHash(SIZE), SendPattern.oneByOne());
            }
        },
        SETS_THEN_GETS {
            @Override
            List<String> complaints(LibraryMode client) throws Exception {
                return list(client, CommandList.setsThenGets(SIZE, 16), SendPattern.batches(1_000));
            }
        },
        DRAINS {
            @Override
            List<String> complaints(LibraryMode client) throws Exception {
                CommandList list = CommandList.pops(SIZE);
                return run(
                        new CommandListWork(client, size -> list, SIZE, SendPattern.batches(SIZE), 0),
                        new CommandListCheck(size -> list).drains(SIZE, 3));
            }
        },
        OPEN_LOOP {
            @Override
            List<String> complaints(LibraryMode client) throws Exception {
                CommandList list = CommandList.mixed(100, 16, Mix.HALF);
                return run(
                        new OpenLoopWork(client, () -> list, 0, 10_000, Duration.ofMillis(200)),
                        new CommandListCheck(size -> list).filled());
            }
        };

        /** Runs a round of two units. */
        abstract List<String> complaints(LibraryMode client) throws Exception;
    }

    private static List<String> pairs(LibraryMode client, int callers, PairWork.Sending sending) throws Exception {
        PairData data = PairData.of(OneRound.SMALL, callers);
        return run(new PairWork(client, () -> data, SIZE / callers, sending), data.serverUse());
    }

    private static List<String> list(LibraryMode client, CommandList list, SendPattern pattern) throws Exception {
        return run(
                new CommandListWork(client, size -> list, SIZE, pattern, 0),
                new CommandListCheck(size -> list).serverUse());
    }

    private static List<String> run(Work work, ServerUse use) throws Exception {
        return OneRound.run(work, use, server, folder, 2).complaints();
    }

    private static LibraryMode client(Mistake mistake) {
        return OneRound.mode(() -> new JedisForTests(mistake));
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void correctClientHasNoComplaint(Kind kind) throws Exception {
        assertThat(kind.complaints(client(Mistake.NONE))).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"DRAINS", "OPEN_LOOP"})
    void commandThatIsNotSentIsFound(Kind kind) throws Exception {
        assertThat(complaintsOrFailure(kind, Mistake.SKIP))
                .anyMatch(text -> text.matches("(?s)calls of h?set: .*|a GET .*|a command has a wrong reply: .*"));
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"DRAINS", "OPEN_LOOP"})
    void commandThatIsSentTwiceIsFound(Kind kind) throws Exception {
        assertThat(kind.complaints(client(Mistake.TWICE))).anyMatch(text -> text.matches("calls of h?set: .*"));
    }

    @ParameterizedTest
    @EnumSource(
            value = Kind.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"OPEN_LOOP"})
    void wrongValueIsFound(Kind kind) {
        boolean reads = kind != Kind.HASH;
        Mistake mistake = reads ? Mistake.OTHER_VALUE : Mistake.WRITE_OTHER;

        assertThat(complaintsOrFailure(kind, mistake))
                .anyMatch(text -> text.contains("another value") || text.startsWith("fields: expected=1999"));
    }

    private static List<String> complaintsOrFailure(Kind kind, Mistake mistake) {
        try {
            return kind.complaints(client(mistake));
        } catch (LabException e) {
            return List.of(String.valueOf(e.getMessage()));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void fusionThatTheClientDoesNotReportIsFound() {
        CommandCounts counts = new CommandCounts();
        counts.begin(server);

        server.control().mset("a", "1", "b", "2");

        assertThat(counts.complaints(server, Map.of("set", 2L), fused(2, 1))).isEmpty();
        assertThat(counts.complaints(server, Map.of("set", 2L), fused(0, 0))).isNotEmpty();
        assertThat(counts.complaints(server, Map.of("set", 3L), fused(2, 1))).isNotEmpty();
    }

    private static FusedCommands fused(long commands, long batches) {
        return new FusedCommands(commands, batches);
    }

    @Test
    void everyIncrementIsIssuedAndCountedOnce() {
        Outcomes right = new Outcomes(80, 0, 5, 5, 10);

        assertThat(TrafficWork.complaints(90, right, 100)).isEmpty();
        assertThat(TrafficWork.complaints(79, right, 100)).hasSize(1);
        assertThat(TrafficWork.complaints(101, right, 100)).hasSize(1);
    }

    @Test
    void incrementWithTwoOutcomesOrNoneIsFound() {
        assertThat(TrafficWork.complaints(80, new Outcomes(80, 0, 10, 0, 11), 100))
                .containsExactly("outcomes: expected=100, found=101, outcomes="
                        + "Outcomes[ok=80, error=0, timedOut=10, refused=0, lost=11]");
        assertThat(TrafficWork.complaints(80, Outcomes.ok(80), 100)).hasSize(1);
    }

    @Test
    void incrementThatIsNotSentIsFound() throws Exception {
        // The warm-up has a separate client, so the round makes the mistake again.
        Work work = new TrafficWork(client(Mistake.SKIP), TrafficKind.FLOOD, 1, 0, 0, Duration.ofSeconds(1));

        List<String> complaints =
                OneRound.run(work, TrafficWork.serverUse(), server, folder, 1).complaints();

        assertThat(complaints).singleElement().asString().startsWith("increments: succeeded=");
    }
}
