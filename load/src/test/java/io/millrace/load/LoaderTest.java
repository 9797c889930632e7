// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.load.LoadOptions.OnError;
import io.millrace.load.LoadOptions.Verification;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.LoadReport.Verified;
import io.millrace.load.source.CsvOptions;
import io.millrace.load.source.CsvSource;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.Target;
import io.millrace.resp.Reply;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

@ExtendWith(NoThreadLeft.class)
class LoaderTest {

    private static final int SERVER_KILLS = Integer.getInteger("millrace.serverKills", 2);

    private static final HashTarget HASH = HashTarget.of("c:{id}");

    private static TestRedis redis;

    @TempDir
    private Path folder;

    private final List<LoadEvent> events = new ArrayList<>();

    @BeforeAll
    static void startRedis() {
        redis = TestRedis.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    @BeforeEach
    void emptyRedis() {
        redis.call("FLUSHALL");
    }

    @Test
    void everyRowIsWrittenAndCounted() {
        LoadReport report = run(HASH, LoadOptions.defaults(), customers(20_000));

        assertThat(report.ending()).isEqualTo(new Ending.Completed());
        assertThat(report.rows()).isEqualTo(new RowCounts(20_000, 20_000, 0, 0, 0));
        assertThat(report.commands().ok()).isEqualTo(20_000);
        assertThat(report.server().orElseThrow().version())
                .isEqualTo(redis.server().version());
        assertThat(integer("DBSIZE")).isEqualTo(20_000);
        assertThat(text("HGET", "c:77", "name")).isEqualTo("Customer 77");
        assertThat(events.getFirst())
                .isInstanceOfSatisfying(
                        LoadEvent.Started.class,
                        started -> assertThat(started.kind()).isEqualTo(LoadReport.Job.Kind.LOAD));
        assertThat(events.getLast()).isEqualTo(new LoadEvent.Finished(report));
        assertThat(events).anyMatch(event -> event instanceof LoadEvent.Progress);
    }

    @Test
    void rowsOfOneKeyKeepTheirOrderIfALoadHasSeveralConnections() {
        String rows = IntStream.range(0, 30_000)
                .mapToObj(i -> i % 100 + ",v" + i + "\n")
                .reduce("id,name\n", String::concat);
        LoadOptions options = with(o -> o.connections(4));

        LoadReport report = run(HASH, options, rows);

        assertThat(report.rows().written()).isEqualTo(30_000);
        for (int key = 0; key < 100; key++) {
            assertThat(text("HGET", "c:" + key, "name")).isEqualTo("v" + (29_900 + key));
        }
    }

    @Test
    void rowWhoseKeyHasAnotherTypeIsRejectedAndTheKeyStaysUnchanged() throws IOException {
        redis.call("RPUSH", "c:1", "a", "b");
        redis.call("PEXPIRE", "c:1", "600000");
        redis.call("RPUSH", "c:2", "a");
        Path rejects = folder.resolve("rejects.jsonl");
        Target expiring = HASH.withTtl(Duration.ofHours(1));
        LoadOptions options = with(o -> o.rejects(rejects).verify(Verification.FULL));

        LoadReport report = run(expiring, options, customers(5));

        assertThat(report.rows()).isEqualTo(new RowCounts(5, 3, 2, 0, 0));
        assertThat(text("TYPE", "c:1")).isEqualTo("list");
        assertThat(integer("LLEN", "c:1")).isEqualTo(2);
        assertThat(integer("PTTL", "c:1")).isBetween(1L, 600_000L);
        assertThat(integer("PTTL", "c:2")).isEqualTo(-1);
        assertThat(integer("PTTL", "c:3")).isBetween(1L, 3_600_000L);
        assertThat(Files.readAllLines(rejects)).hasSize(2).allMatch(line -> line.contains("WRONGTYPE"));
        assertThat(Files.readAllLines(rejects).getFirst())
                .contains("\"key\":\"c:1\"")
                .contains("\"number\":2");
        assertThat(report.verified()).as("rejected rows are not compared").contains(new Verified(3, 0));
    }

    @Test
    void badRecordsAreRejectedWithTheirLineAndOtherRowsAreWritten() throws IOException {
        Path file = folder.resolve("bad.csv");
        Files.write(file, "id,name\n1,one\n2\n\"3\"x,three\n,none\n5,five\n".getBytes(UTF_8));
        Files.write(
                file,
                new byte[] {'6', ',', (byte) 0xff, '\n', '7', ',', 's', '\n'},
                java.nio.file.StandardOpenOption.APPEND);
        Path rejects = folder.resolve("rejects.jsonl");

        LoadReport report = run(HASH, with(o -> o.rejects(rejects)), file);

        assertThat(report.rows()).isEqualTo(new RowCounts(7, 3, 4, 0, 0));
        assertThat(report.ending()).isEqualTo(new Ending.Completed());
        assertThat(Files.readAllLines(rejects))
                .satisfiesExactly(
                        line -> assertThat(line).contains("too-few-fields").contains("\"line\":3"),
                        line -> assertThat(line).contains("text-after-quote").contains("\"line\":4"),
                        line -> assertThat(line).contains("key-empty").contains("\"line\":5"),
                        line -> assertThat(line).contains("not-utf8").contains("\"line\":7"));
    }

    @Test
    void unclosedQuoteRejectsItsRowAndStopsTheLoad() {
        LoadReport report = run(HASH, LoadOptions.defaults(), "id,name\n1,one\n2,\"two\n3,three\n");

        assertThat(report.ending()).isInstanceOf(Ending.Stopped.class);
        assertThat(report.rows()).isEqualTo(new RowCounts(2, 1, 1, 0, 0));
    }

    @Test
    void loadWithOnErrorStopEndsAtTheFirstRejectedRow() {
        LoadReport report = run(HASH, with(o -> o.onError(OnError.STOP)), "id,name\n1,one\n,none\n3,three\n");

        assertThat(report.rows()).isEqualTo(new RowCounts(2, 1, 1, 0, 0));
        assertThat(((Ending.Stopped) report.ending()).why()).contains("row 2 (line 3)");
    }

    @Test
    void loadStopsIfMoreRowsAreRejectedThanMaxErrors() {
        String rows = "id,name\n,a\n,b\n,c\n4,d\n";

        LoadReport tolerated = run(HASH, with(o -> o.maxErrors(3)), rows);
        LoadReport stopped = run(HASH, with(o -> o.maxErrors(2)), rows);

        assertThat(tolerated.ending()).isEqualTo(new Ending.Completed());
        assertThat(tolerated.rows()).isEqualTo(new RowCounts(4, 1, 3, 0, 0));
        assertThat(stopped.rows()).isEqualTo(new RowCounts(3, 0, 3, 0, 0));
        assertThat(((Ending.Stopped) stopped.ending()).why()).contains("more than the 2");
    }

    @Test
    void fullServerStopsTheLoadAfterAShortWaitAndNoRowIsLost() {
        try (TestRedis small = TestRedis.start(
                EmbeddedOptions.defaults().withMaxMemoryBytes(3_000_000).withConfig("maxmemory-policy noeviction"))) {
            LoadReport report = new Loader(small.options())
                    .run(
                            new LoadPlan(
                                    source(customers(50_000)), HASH, with(o -> o.patience(Duration.ofMillis(200)))),
                            events::add);

            long stored = ((Reply.IntegerReply) small.call("DBSIZE")).value();
            assertThat(report.rows().rejected()).isPositive();
            assertThat(report.rows().written()).isEqualTo(stored);
            assertThat(report.rows().written()
                            + report.rows().rejected()
                            + report.rows().skipped())
                    .isEqualTo(report.rows().read());
            assertThat(report.ending().reason().orElseThrow())
                    .startsWith("the server accepts no rows now: OOM ")
                    .endsWith("Raise maxmemory, or free memory on the server, and load again.");
            assertThat(report.details().warnings())
                    .anyMatch(warning -> warning.startsWith("the rows need more memory than the server has"));
            assertThat(events.stream()
                            .filter(event -> event instanceof LoadEvent.Rejected)
                            .map(event ->
                                    ((LoadEvent.Rejected) event).rejection().message()))
                    .isNotEmpty()
                    .allMatch(message -> message.startsWith("OOM"));
        }
    }

    @Test
    void reportNamesItsJobAndRepeatedKeys() {
        LoadReport report = run(HASH, LoadOptions.defaults(), "id,name\n1,a\n2,b\n1,c\n");

        assertThat(report.job().source()).endsWith(".csv");
        assertThat(report.job().target()).isEqualTo(redis.options().uri() + " hash c:{id}");
        assertThat(report.details().rowsPerKey()).contains(new LoadReport.RowsPerKey(3, 2, true));
        assertThat(report.details().warnings()).isEmpty();
    }

    @Test
    void rowCountsAreConsistentWhenTheServerIsKilledDuringTheLoad() {
        for (int kills = 0; kills < SERVER_KILLS; kills++) {
            loadUntilTheServerIsKilled();
        }
    }

    private static void loadUntilTheServerIsKilled() {
        try (TestRedis doomed = TestRedis.start()) {
            // The server is paused first, and killed only when no reply has arrived for a while. So the commands that
            // are in flight at the kill receive no reply.
            Consumer<LoadEvent> killer =
                    LoadFailureTest.paused(doomed, () -> doomed.server().kill());
            LoadReport report = new Loader(doomed.options())
                    .run(new LoadPlan(TestRows.endless(), HASH, with(o -> o.patience(Duration.ZERO))), killer);

            RowCounts rows = report.rows();
            assertThat(report.ending()).isInstanceOf(Ending.Stopped.class);
            assertThat(rows.inFlight()).isZero();
            assertThat(rows.written()).isPositive();
            assertThat(rows.unconfirmed()).isPositive();
            assertThat(rows.unconfirmed() + rows.skipped())
                    .isEqualTo(report.commands().lost());
            assertThat(report.unconfirmedReason().orElseThrow()).contains("may or may not have been written");
            assertThat(report.details().unconfirmedRows().stream()
                            .mapToLong(RowRange::unconfirmed)
                            .sum())
                    .isEqualTo(rows.unconfirmed());
        }
    }

    @Test
    void stoppedLoadWaitsForRepliesAndReturnsItsReport() {
        Loader loader = new Loader(redis.options());

        LoadReport report =
                loader.run(new LoadPlan(source(customers(300_000)), HASH, LoadOptions.defaults()), event -> {
                    if (event instanceof LoadEvent.Progress progress
                            && progress.rows().read() > 0) {
                        loader.stop();
                    }
                });

        assertThat(report.ending()).isEqualTo(new Ending.Interrupted());
        assertThat(report.rows().read())
                .isBetween(1L, 299_999L)
                .isEqualTo(report.rows().written());
        assertThat(integer("DBSIZE")).isEqualTo(report.rows().written());
    }

    @Test
    void loadThatReachesItsRowLimitEndsWithoutAnError() {
        LoadReport report = run(HASH, with(o -> o.limit(10)), customers(100));

        assertThat(report.ending()).isEqualTo(new Ending.Completed());
        assertThat(report.rows()).isEqualTo(new RowCounts(10, 10, 0, 0, 0));
    }

    @Test
    void dryRunReadsEveryRowAndContactsNoServer() {
        Loader nowhere = new Loader(
                io.millrace.client.ClientOptions.of(io.millrace.client.RedisUri.of("no-such-host.invalid", 1)));

        LoadReport report = nowhere.run(
                new LoadPlan(source("id,name\n1,one\n,none\n"), HASH, with(LoadOptions.Builder::dryRun)), events::add);

        assertThat(report.rows()).isEqualTo(new RowCounts(2, 0, 1, 1, 0));
        assertThat(report.server()).isEmpty();
        assertThat(events.getFirst())
                .isInstanceOfSatisfying(
                        LoadEvent.Started.class,
                        started -> assertThat(started.kind()).isEqualTo(LoadReport.Job.Kind.DRY_RUN));
    }

    @Test
    void verificationFindsChangedKeysAndComparesTheLastRowOfAKey() {
        String rows = "id,name\n1,old\n2,two\n1,new\n3,three\n";
        LoadOptions options = with(o -> o.verify(Verification.FULL));
        RowSource disturbing = TestRows.before(
                source(rows), opening -> opening == 2, () -> redis.call("HSET", "c:2", "name", "changed"));

        LoadReport clean = run(HASH, options, rows);
        LoadReport disturbed = new Loader(redis.options()).run(new LoadPlan(disturbing, HASH, options), events::add);

        assertThat(clean.verified()).contains(new Verified(4, 0));
        assertThat(disturbed.rows().written()).isEqualTo(4);
        assertThat(disturbed.ending()).isEqualTo(new Ending.Completed());
        assertThat(disturbed.verified()).contains(new Verified(4, 1));
    }

    @Test
    void sampleVerificationComparesOnlyAShareOfTheKeys() {
        LoadReport report = run(HASH, with(o -> o.verify(new Verification(0.1))), customers(20_000));

        assertThat(report.verified().orElseThrow().checked()).isBetween(1_500L, 2_500L);
        assertThat(report.verified().orElseThrow().mismatched()).isZero();
    }

    @Test
    void unknownColumnIsRefusedBeforeAnythingIsWritten() {
        assertThatThrownBy(() -> run(HashTarget.of("c:{nmae}"), LoadOptions.defaults(), customers(3)))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("nmae")
                .hasMessageContaining("name");
        assertThat(integer("DBSIZE")).isZero();
    }

    private LoadReport run(Target target, LoadOptions options, String csv) {
        return new Loader(redis.options()).run(new LoadPlan(source(csv), target, options), events::add);
    }

    private LoadReport run(Target target, LoadOptions options, Path csv) {
        return new Loader(redis.options())
                .run(new LoadPlan(CsvSource.of(csv, CsvOptions.defaults()), target, options), events::add);
    }

    private CsvSource source(String csv) {
        Path file = folder.resolve("rows-" + csv.hashCode() + ".csv");
        try {
            Files.writeString(file, csv);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
        return CsvSource.of(file, CsvOptions.defaults());
    }

    private static String customers(int count) {
        StringBuilder rows = new StringBuilder("id,name,city\n");
        for (int i = 0; i < count; i++) {
            rows.append(i).append(",Customer ").append(i).append(",Springfield\n");
        }
        return rows.toString();
    }

    private static String text(String... command) {
        Reply reply = redis.call(command[0], java.util.Arrays.copyOfRange(command, 1, command.length));
        return io.millrace.client.command.Replies.text(reply);
    }

    private static long integer(String... command) {
        Reply reply = redis.call(command[0], java.util.Arrays.copyOfRange(command, 1, command.length));
        return io.millrace.client.command.Replies.integer(reply);
    }

    private static LoadOptions with(java.util.function.UnaryOperator<LoadOptions.Builder> change) {
        return change.apply(LoadOptions.builder()).build();
    }
}
