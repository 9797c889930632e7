// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.load.LoadReport.Bottleneck;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.resp.Reply;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Loads into real servers that restart, load their data, are promoted, or stand still. */
@ExtendWith(NoThreadLeft.class)
class TroubledServerTest {

    private static final Target TARGET = StringTarget.of("k:{id}", "name");
    private static final int ROWS = 10_000;

    private final List<String> warnings = new ArrayList<>();

    @TempDir
    private Path folder;

    @Test
    void serverThatRestartsWithinThePatienceKeepsTheOrderAndTheCountOfAllRows() {
        // Each key has three rows, so that the order of the rows matters.
        Target target = StringTarget.of("k:{name}", "id");
        long keys = 1_000;
        String[] durable = {"--appendonly", "yes", "--appendfsync", "always"};
        try (RestartableRedis server = RestartableRedis.start(folder, durable)) {
            AtomicBoolean killed = new AtomicBoolean();
            RowSource killing = TestRows.of((row, opening, id) -> {
                if (id == 1_500) {
                    server.kill();
                    killed.set(true);
                }
                return id < 3 * keys && TestRows.fill(row, id, Long.toString(id % keys));
            });

            LoadReport report = new Loader(server.options())
                    .run(
                            new LoadPlan(killing, target, with(o -> o.patience(Duration.ofMinutes(5)))),
                            onProgress(killed::get, () -> server.startAgain(durable)));

            RowCounts rows = report.rows();
            assertThat(report.ending()).isEqualTo(new Ending.Completed());
            assertThat(rows.read()).isEqualTo(3 * keys);
            assertThat(rows.written() + rows.unconfirmed()).isEqualTo(3 * keys);
            Set<Long> unconfirmed = unconfirmed(report);
            assertThat(unconfirmed).hasSize((int) rows.unconfirmed());
            assertThat(warnings).anyMatch(warning -> warning.startsWith("the server was restarted or replaced"));
            try (RedisClient client = RedisClient.connect(server.options())) {
                for (long key = 0; key < keys; key++) {
                    long last = 2 * keys + key;
                    List<String> possible = new ArrayList<>(List.of(Long.toString(last)));
                    if (unconfirmed.contains(last + 1)) {
                        possible.add(Long.toString(last - keys));
                    }
                    assertThat(text(client, "GET", "k:" + key)).isIn(possible);
                }
            }
        }
    }

    @Test
    void rowsWaitUntilTheServerHasLoadedItsData() {
        try (RestartableRedis server = RestartableRedis.start(folder)) {
            try (RedisClient client = RedisClient.connect(server.options())) {
                var unused = call(client, "EVAL", "for i=1,20000 do redis.call('SET','old:'..i,'value') end", "0");
                var unusedSaving = call(client, "SAVE");
            }
            server.kill();
            // 100 seconds, unless the test ends the delay.
            server.startAgain("--key-load-delay", "5000", "--loading-process-events-interval-bytes", "1024");
            try (RedisClient client = RedisClient.connect(server.options())) {
                LoadReport report = new Loader(server.options())
                        .run(
                                new LoadPlan(
                                        TestRows.count(ROWS), TARGET, with(o -> o.patience(Duration.ofMinutes(5)))),
                                onProgress(
                                        () -> client.call(Server.info("errorstats"))
                                                .contains("errorstat_LOADING"),
                                        () -> call(client, "CONFIG", "SET", "key-load-delay", "0")));

                assertThat(report.ending()).isEqualTo(new Ending.Completed());
                assertThat(report.rows()).isEqualTo(new RowCounts(ROWS, ROWS, 0, 0, 0));
                assertThat(report.commands().error())
                        .as("rows that were refused")
                        .isPositive();
                assertThat(Replies.integer(call(client, "DBSIZE"))).isEqualTo(20_000 + ROWS);
                assertThat(text(client, "GET", "k:0")).isEqualTo("Customer 0");
            }
        }
    }

    @Test
    void rowsWaitUntilAReplicaIsPromoted() {
        try (TestRedis primary = TestRedis.start();
                EmbeddedRedis replica = EmbeddedRedis.start(EmbeddedOptions.defaults()
                        .withConfig("replicaof 127.0.0.1 " + primary.server().port()));
                RedisClient client = RedisClient.connect(options(replica));
                FaultProxy proxy = FaultProxy.inFrontOf(replica.host(), replica.port())) {
            int first = connectionsOfALoad(proxy);

            LoadReport report = new Loader(options(proxy))
                    .run(
                            new LoadPlan(TestRows.count(ROWS), TARGET, with(o -> o.patience(Duration.ofMinutes(5)))),
                            onProgress(
                                    () -> proxy.acceptedConnections() > 2 * first,
                                    () -> call(client, "REPLICAOF", "NO", "ONE")));

            assertThat(report.ending()).isEqualTo(new Ending.Completed());
            assertThat(report.rows()).isEqualTo(new RowCounts(ROWS, ROWS, 0, 0, 0));
            assertThat(Replies.integer(call(client, "DBSIZE"))).isEqualTo(ROWS);
            assertThat(primary.call("DBSIZE")).isEqualTo(new Reply.IntegerReply(0));
        }
    }

    @Test
    void sentinelIsRefused() throws IOException {
        Path config = Files.createFile(folder.resolve("sentinel.conf"));
        try (RestartableRedis sentinel = RestartableRedis.startSentinel(folder, config)) {
            assertThatThrownBy(() -> new Loader(sentinel.options())
                            .run(new LoadPlan(TestRows.count(1), TARGET, LoadOptions.defaults()), event -> {}))
                    .isInstanceOf(PlanException.class)
                    .hasMessageContaining("is a Sentinel, which stores no rows");
        }
    }

    @Test
    void loadStopsIfTheServerRefusesItsFirstThousandRowsAlike() {
        try (TestRedis server = TestRedis.start()) {
            server.call("EVAL", "for i=0,1999 do redis.call('RPUSH','c:'..i,'x') end", "0");

            LoadReport report = new Loader(server.options())
                    .run(
                            new LoadPlan(TestRows.endless(), HashTarget.of("c:{id}"), with(o -> o.inFlight(64))),
                            event -> {});

            assertThat(report.ending().reason().orElseThrow())
                    .startsWith("the first 1,000 rows all failed alike; the last one: row 1000: WRONGTYPE");
            assertThat(report.rows().rejected()).isBetween(1_000L, 1_000L + 2 * 64);
            assertThat(Replies.integer(server.call("EVAL", "return #redis.call('KEYS','c:*')", "0")))
                    .isEqualTo(2_000);
        }
    }

    @Test
    void loadStopsIfTheServerDoesNotKnowItsCommand() {
        EmbeddedOptions withoutHset = EmbeddedOptions.defaults().withConfig("rename-command HSET \"\"");
        try (TestRedis server = TestRedis.start(withoutHset)) {
            assertCommandIsRefused(server, server.options(), "ERR unknown command 'HSET'");
        }
    }

    @Test
    void loadStopsIfTheUserMayNotRunItsCommand() {
        try (TestRedis server = TestRedis.start()) {
            server.call("ACL", "SETUSER", "limited", "on", ">secret", "~*", "+@all", "-hset");
            RedisUri uri = RedisUri.of(server.server().host(), server.server().port());

            assertCommandIsRefused(server, ClientOptions.of(uri.withLogin("limited", "secret")), "NOPERM ");
        }
    }

    private static void assertCommandIsRefused(TestRedis server, ClientOptions login, String error) {
        LoadReport report = new Loader(login)
                .run(new LoadPlan(TestRows.endless(), HashTarget.of("c:{id}"), LoadOptions.defaults()), event -> {});

        assertThat(report.ending().reason().orElseThrow())
                .startsWith("the server refuses the command of the rows: " + error)
                .contains("Permit the command for this user, or load into another type.");
        assertThat(report.rows().written()).isZero();
        assertThat(report.rows().rejected()).isEqualTo(report.rows().read()).isBetween(1L, 20_000L);
        assertThat(Replies.integer(server.call("DBSIZE"))).isZero();
    }

    @Test
    void serverThatStandsStillIsTheBottleneck() {
        try (TestRedis server = TestRedis.start()) {
            long[] ticks = {0};
            LoadReport report = new Loader(server.options())
                    .run(
                            new LoadPlan(
                                    TestRows.count(200_000),
                                    TARGET,
                                    with(o -> o.inFlight(1_000).timeout(Duration.ofMinutes(5)))),
                            event -> {
                                if (event instanceof LoadEvent.Progress progress
                                        && progress.rows().written() > 0
                                        && ++ticks[0] <= 30) {
                                    if (ticks[0] == 1) {
                                        server.server().pause();
                                    } else if (ticks[0] == 30) {
                                        server.server().resume();
                                    }
                                }
                            });

            assertThat(report.rows()).isEqualTo(new RowCounts(200_000, 200_000, 0, 0, 0));
            assertThat(report.bottleneck()).as("%s", report.time()).isEqualTo(Bottleneck.SERVER);
        }
    }

    @Test
    void rejectsFileNamesTheUnconfirmedRowsOfAKilledServer() throws IOException {
        Path rejects = folder.resolve("rejects.jsonl");
        try (TestRedis doomed = TestRedis.start()) {
            LoadReport report = new Loader(doomed.options())
                    .run(
                            new LoadPlan(
                                    TestRows.endless(),
                                    TARGET,
                                    with(o -> o.rejects(rejects).patience(Duration.ZERO))),
                            LoadFailureTest.paused(doomed, () -> doomed.server().kill()));

            List<RowRange> ranges = report.details().unconfirmedRows();
            assertThat(report.rows().unconfirmed()).isPositive();
            assertThat(Files.readAllLines(rejects).stream()
                            .filter(line -> line.contains("\"reason\":\"unconfirmed\""))
                            .toList())
                    .hasSameSizeAs(ranges)
                    .zipSatisfy(
                            ranges,
                            (line, range) -> assertThat(line)
                                    .contains(
                                            "\"number\":" + range.firstRow() + ",",
                                            "\"lastNumber\":" + range.lastRow() + ",")
                                    .contains("\"message\":\"" + range.unconfirmed() + " of these rows"));
        }
    }

    /** The number of connections that a load opens if the server accepts its rows. */
    private static int connectionsOfALoad(FaultProxy proxy) {
        var unused = new Loader(options(proxy))
                .run(new LoadPlan(TestRows.count(0), TARGET, LoadOptions.defaults()), event -> {});
        return proxy.acceptedConnections();
    }

    /** Runs {@code action} once, at the first progress for which {@code when} returns true. */
    private Consumer<LoadEvent> onProgress(BooleanSupplier when, Runnable action) {
        AtomicBoolean done = new AtomicBoolean();
        return event -> {
            boolean tick = event instanceof LoadEvent.Progress || event instanceof LoadEvent.Verifying;
            if (tick && !done.get() && when.getAsBoolean()) {
                done.set(true);
                action.run();
            }
            if (event instanceof LoadEvent.Warned warned) {
                warnings.add(warned.message());
            }
        };
    }

    private static ClientOptions options(EmbeddedRedis server) {
        return options(server.host(), server.port());
    }

    private static ClientOptions options(FaultProxy proxy) {
        return options(proxy.host(), proxy.port());
    }

    private static ClientOptions options(String host, int port) {
        return ClientOptions.builder(RedisUri.of(host, port))
                .connectTimeout(Duration.ofMinutes(1))
                .build();
    }

    private static Reply call(RedisClient client, String name, Object... arguments) {
        return client.call(Command.of(name, arguments));
    }

    private static String text(RedisClient client, String name, String argument) {
        return Replies.text(call(client, name, argument));
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

    private static LoadOptions with(UnaryOperator<LoadOptions.Builder> change) {
        return change.apply(LoadOptions.builder().inFlight(256)).build();
    }
}
