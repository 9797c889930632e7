// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisUri;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.StringTarget;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loads into a server that accepts no rows for a time, or that loses connections. */
@ExtendWith(NoThreadLeft.class)
class WaitingLoadTest {

    private static final StringTarget TARGET = StringTarget.of("{key}", "id");
    private static final int KEYS = 40;

    private static final List<String> REFUSALS = List.of(
            "-LOADING Redis is loading the dataset in memory\r\n",
            "-BUSY Redis is busy running a script.\r\n",
            "-MASTERDOWN Link with MASTER is down\r\n",
            "-CLUSTERDOWN The cluster is down\r\n",
            "-READONLY You can't write against a read only replica.\r\n",
            "-OOM command not allowed when used memory > 'maxmemory'.\r\n");

    private final List<LoadEvent> events = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(
            strings = {
                "LOADING Redis is loading",
                "BUSY Redis is busy",
                "MASTERDOWN Link is down",
                "CLUSTERDOWN The cluster is down",
                "READONLY You can't write",
                "OOM command not allowed",
            })
    void rowsThatTheServerRefusesForATimeAreSentAgain(String error) {
        AtomicInteger sets = new AtomicInteger();
        FakeStringServer server = new FakeStringServer(command -> {
            int number = sets.incrementAndGet();
            return number > 300 && number <= 305 ? Optional.of(Answer.reply("-" + error + "\r\n")) : Optional.empty();
        });

        LoadReport report = run(server, with(o -> o), rows(1_000));

        assertThat(report.ending()).isEqualTo(new Ending.Completed());
        assertThat(report.rows()).isEqualTo(new RowCounts(1_000, 1_000, 0, 0, 0));
        assertThat(report.commands().error()).isEqualTo(5);
        assertThat(server.strings()).isEqualTo(lastOfEachKey(1_000, Set.of()));
    }

    @Test
    void lastRowOfAKeyWinsWhateverTheServerRefuses() {
        for (int round = 0; round < 8; round++) {
            long seed = new Random().nextLong();
            Random random = new Random(seed);
            int oneIn = 60 + random.nextInt(300);
            int count = 200 + random.nextInt(800);
            // The server refuses some commands at random and executes the commands after them.
            FakeStringServer server = new FakeStringServer(command -> random.nextInt(oneIn) == 0
                    ? Optional.of(Answer.reply(REFUSALS.get(random.nextInt(REFUSALS.size()))))
                    : Optional.empty());

            LoadReport report = run(server, with(o -> o.connections(1 + (int) (seed & 1))), rows(count));

            assertThat(report.rows()).as("seed=%d", seed).isEqualTo(new RowCounts(count, count, 0, 0, 0));
            assertThat(server.strings()).as("seed=%d", seed).isEqualTo(lastOfEachKey(count, Set.of()));
        }
    }

    @Test
    void rowsOfLostConnectionsAreUnconfirmedOrWrittenAndNoneIsLost() {
        for (int round = 0; round < 6; round++) {
            long seed = new Random().nextLong();
            Random random = new Random(seed);
            int count = 1_000;
            FakeStringServer server = new FakeStringServer(command -> switch (random.nextInt(400)) {
                case 0 -> Optional.of(Answer.end(ConnectionEnd.RESET));
                case 1 -> Optional.of(Answer.reply(REFUSALS.getFirst()));
                default -> Optional.empty();
            });

            LoadReport report = run(server, with(o -> o), rows(count));

            RowCounts rows = report.rows();
            assertThat(report.ending()).as("seed=%d", seed).isEqualTo(new Ending.Completed());
            assertThat(rows.written() + rows.unconfirmed()).as("seed=%d", seed).isEqualTo(count);
            Set<Long> unconfirmed = unconfirmed(report);
            assertThat(unconfirmed).as("seed=%d", seed).hasSize((int) rows.unconfirmed());
            Map<String, String> expected = lastOfEachKey(count, unconfirmed);
            expected.keySet().removeIf(key -> unconfirmedAfter(expected, key, unconfirmed));
            assertThat(server.strings()).as("seed=%d", seed).containsAllEntriesOf(expected);
        }
    }

    /** Whether a later row of the key is unconfirmed, so that the value of the key is not known. */
    private static boolean unconfirmedAfter(Map<String, String> expected, String key, Set<Long> unconfirmed) {
        long last = Long.parseLong(expected.getOrDefault(key, "0"));
        return unconfirmed.stream()
                .anyMatch(row -> row - 1 > last && keyOf(row - 1).equals(key));
    }

    private static Set<Long> unconfirmed(LoadReport report) {
        Set<Long> rows = new HashSet<>();
        for (RowRange range : report.details().unconfirmedRows()) {
            for (long row = range.firstRow(); row <= range.lastRow(); row++) {
                rows.add(row);
            }
        }
        return rows;
    }

    @Test
    void loadStopsWhenItsPatienceIsUsedUpAndRejectsTheRefusedRows() {
        FakeStringServer server = new FakeStringServer(command -> Optional.of(Answer.reply(REFUSALS.getFirst())));

        LoadReport report = run(server, with(o -> o.patience(Duration.ofMillis(100))), rows(100));

        assertThat(report.ending().reason().orElseThrow())
                .startsWith("the server accepts no rows now: LOADING Redis is loading the dataset in memory."
                        + " The loader has waited ")
                .endsWith("Repeat the load when the server has loaded its data.");
        assertThat(report.rows().rejected()).isEqualTo(report.rows().read()).isPositive();
        assertThat(server.strings()).isEmpty();
    }

    @Test
    void withoutPatienceTheFirstTemporaryErrorStopsTheLoad() {
        FakeStringServer server = new FakeStringServer(command -> Optional.of(Answer.reply(REFUSALS.getFirst())));

        LoadReport report = run(server, with(o -> o.patience(Duration.ZERO)), rows(100));

        assertThat(report.ending().reason().orElseThrow()).doesNotContain("has waited");
        assertThat(report.commands().submitted()).isEqualTo(report.rows().read());
    }

    @Test
    void stopEndsTheWaitForTheServer() {
        FakeStringServer server = new FakeStringServer(command -> Optional.of(Answer.reply(REFUSALS.getFirst())));
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(server))) {
            Loader loader = new Loader(ClientOptions.of(RedisUri.parse(fake.uri())));

            LoadReport report =
                    loader.run(new LoadPlan(rows(10), TARGET, with(o -> o.patience(Duration.ofHours(1)))), event -> {
                        if (event instanceof LoadEvent.Progress progress
                                && progress.rows().read() > 0
                                && fake.acceptedConnections() > 2) {
                            loader.stop();
                        }
                    });

            assertThat(report.ending()).isEqualTo(new Ending.Interrupted());
            assertThat(report.rows().rejected()).isEqualTo(report.rows().read()).isPositive();
        }
    }

    @Test
    void acknowledgedRowStaysWrittenIfItsRefusedPredecessorIsNeverSentAgain() {
        CountDownLatch secondSent = new CountDownLatch(1);
        // The server executes only the second row, and refuses the first row after it has received the second.
        FakeStringServer server = new FakeStringServer(command -> {
            if (command.text(2).equals("1")) {
                secondSent.countDown();
                return Optional.empty();
            }
            return Optional.of(Answer.reply(REFUSALS.getFirst()).heldUntil(secondSent));
        });
        RowSource two = TestRows.of(List.of("id", "key"), List.of(List.of("0", "k"), List.of("1", "k")));

        LoadReport report = run(server, with(o -> o.patience(Duration.ofMillis(50))), two);

        assertThat(report.rows()).isEqualTo(new RowCounts(2, 1, 1, 0, 0));
        assertThat(server.strings()).isEqualTo(Map.of("k", "1"));
    }

    @Test
    void restartOfTheServerIsReportedBecauseAcknowledgedRowsMayBeLost() {
        AtomicInteger sets = new AtomicInteger();
        FakeStringServer[] server = new FakeStringServer[1];
        server[0] = new FakeStringServer(command -> {
            if (sets.incrementAndGet() != 100) {
                return Optional.empty();
            }
            server[0].restart();
            return Optional.of(Answer.end(ConnectionEnd.RESET));
        });

        LoadReport report = run(server[0], with(o -> o), rows(500));

        assertThat(report.ending()).isEqualTo(new Ending.Completed());
        assertThat(report.details().warnings())
                .singleElement()
                .asString()
                .startsWith("the server was restarted or replaced during the load.");
    }

    @Test
    void hopelessErrorStopsTheLoadAtOnce() {
        FakeStringServer server = new FakeStringServer(command ->
                Optional.of(Answer.reply("-NOPERM User app has no permissions to run the 'set' command\r\n")));

        LoadReport report = run(server, with(o -> o.inFlight(64)), rows(1_000_000));

        assertThat(report.ending().reason().orElseThrow())
                .startsWith("the server refuses the command of the rows: NOPERM User app has no permissions");
        assertThat(report.rows().rejected()).isEqualTo(report.rows().read()).isLessThan(1_000_000);
    }

    @Test
    void loadStopsIfItsFirstThousandRowsAllFailAlike() {
        String wrongType = "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n";
        Function<ReceivedCommand, Optional<Answer>> refusing = command -> Optional.of(Answer.reply(wrongType));
        AtomicInteger sets = new AtomicInteger();

        LoadReport stopped = run(new FakeStringServer(refusing), with(o -> o.inFlight(64)), rows(5_000));
        LoadReport allowed = run(new FakeStringServer(refusing), with(o -> o.maxErrors(10_000)), rows(5_000));
        LoadReport oneWritten = run(
                new FakeStringServer(command ->
                        sets.incrementAndGet() == 5 ? Optional.empty() : Optional.of(Answer.reply(wrongType))),
                with(o -> o.inFlight(64)),
                rows(5_000));

        assertThat(stopped.ending().reason().orElseThrow())
                .startsWith("the first 1,000 rows all failed alike; the last one: row 1000: ");
        assertThat(stopped.rows().rejected()).isBetween(1_000L, 1_000L + 2 * 64);
        assertThat(allowed.rows().rejected()).isEqualTo(5_000);
        assertThat(oneWritten.rows().rejected()).isEqualTo(4_999);
    }

    @Test
    void lateReplyToTheLibraryNameDoesNotEndTheLoad() {
        FakeStringServer server = new FakeStringServer(command -> Optional.empty());
        Handler handler = Handler.afterHandshake(server);
        Handler late = command -> command.line().startsWith("CLIENT SETINFO") && command.connection() == 0
                ? Answer.reply("+OK\r\n").delayedBy(Duration.ofMillis(1_500))
                : handler.answer(command);
        try (FakeRedis fake = FakeRedis.start(late)) {
            ClientOptions options = ClientOptions.builder(RedisUri.parse(fake.uri()))
                    .connectTimeout(Duration.ofSeconds(1))
                    .build();

            LoadReport report = new Loader(options).run(new LoadPlan(rows(10), TARGET, with(o -> o)), events::add);

            assertThat(report.rows()).isEqualTo(new RowCounts(10, 10, 0, 0, 0));
        }
    }

    @Test
    void sentinelIsRefusedAndValkeyIsNamed() {
        assertThat(reportOf(
                        "redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:8.1.0\r\nserver_mode:standalone"))
                .isEqualTo("Valkey 8.1.0 standalone");
        assertThat(reportOf("redis_version:7.0.15\r\nredis_mode:standalone")).isEqualTo("Redis 7.0.15 standalone");
        assertThat(reportOf("redis_version:7.0.15\r\nredis_mode:sentinel")).contains("is a Sentinel");
    }

    private String reportOf(String info) {
        String reply = "$" + info.length() + "\r\n" + info + "\r\n";
        Handler handler =
                Handler.afterHandshake(command -> Answer.reply(command.name().equals("INFO") ? reply : "+OK\r\n"));
        try (FakeRedis fake = FakeRedis.start(handler)) {
            LoadReport.Server server = new Loader(ClientOptions.of(RedisUri.parse(fake.uri())))
                    .run(new LoadPlan(rows(1), TARGET, with(o -> o)), events::add)
                    .server()
                    .orElseThrow();
            return server.name() + " " + server.version() + " " + server.mode();
        } catch (io.millrace.load.target.PlanException refused) {
            return String.valueOf(refused.getMessage());
        }
    }

    /** Rows with the columns id, from 0, and key. */
    private static RowSource rows(long count) {
        return TestRows.of(List.of("id", "key"), (row, opening, id) -> id < count && TestRows.fill(row, id, keyOf(id)));
    }

    private static String keyOf(long id) {
        return "k" + id * 7 % KEYS;
    }

    /** The expected strings, without the rows {@code except}, which are numbers from 1. */
    private static Map<String, String> lastOfEachKey(long count, Set<Long> except) {
        Map<String, String> strings = new HashMap<>();
        for (long id = 0; id < count; id++) {
            if (!except.contains(id + 1)) {
                strings.put(keyOf(id), Long.toString(id));
            }
        }
        return strings;
    }

    private LoadReport run(FakeStringServer strings, LoadOptions options, RowSource source) {
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(strings))) {
            return new Loader(ClientOptions.of(RedisUri.parse(server.uri())))
                    .run(new LoadPlan(source, TARGET, options), events::add);
        }
    }

    private static LoadOptions with(UnaryOperator<LoadOptions.Builder> change) {
        return change.apply(LoadOptions.builder().inFlight(256).withoutFusion()).build();
    }
}
