// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.load.LoadReport.Checkpoint.State;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.source.CsvOptions;
import io.millrace.load.source.CsvSource;
import io.millrace.load.source.JdbcOptions;
import io.millrace.load.source.JdbcSource;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.ListTarget;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.StreamTarget;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.resp.Reply;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Loads that are interrupted and continue, and loads that refuse to continue. */
@ExtendWith(NoThreadLeft.class)
class CheckpointTest {

    private static final int ROWS = 20_000;
    private static final StringTarget STRINGS = StringTarget.of("k:{id}", "name");
    private static final ListTarget LIST = ListTarget.of("all").withValue("name");

    private static TestRedis redis;

    @TempDir
    private Path folder;

    private Path csv;
    private final List<LoadEvent> events = new ArrayList<>();

    enum Kind {
        STRINGS,
        LIST,
        EXPIRING_LIST,
        STREAM;

        Target target() {
            return switch (this) {
                case STRINGS -> CheckpointTest.STRINGS;
                case LIST -> CheckpointTest.LIST;
                case EXPIRING_LIST -> CheckpointTest.LIST.withTtl(Duration.ofHours(1));
                case STREAM -> StreamTarget.of("all");
            };
        }
    }

    @BeforeAll
    static void startRedis() {
        redis = TestRedis.start();
    }

    @AfterAll
    static void stopRedis() {
        redis.close();
    }

    @BeforeEach
    void prepare() throws IOException {
        redis.call("FLUSHALL");
        csv = Files.writeString(folder.resolve("rows.csv"), rows(ROWS));
    }

    @ParameterizedTest
    @EnumSource
    void interruptedLoadContinuesAndLeavesTheKeyspaceOfAnUndisturbedLoad(Kind kind) {
        LoadReport first = interrupted(kind.target());
        LoadReport second = run(kind.target(), CheckpointOptions::resuming);

        LoadReport.Checkpoint reached = first.details().checkpoint().orElseThrow();
        assertThat(first.ending()).isEqualTo(new Ending.Interrupted());
        assertThat(reached.state()).isEqualTo(State.CAN_RESUME);
        assertThat(reached.rows()).isEqualTo(first.rows().read()).isBetween(1L, ROWS - 1L);
        assertThat(reached.advice().orElseThrow()).contains("--resume");
        assertThat(second.ending()).isEqualTo(new Ending.Completed());
        assertThat(second.rows()).isEqualTo(new RowCounts(ROWS, ROWS - reached.rows(), 0, reached.rows(), 0));
        assertThat(second.details().checkpoint().orElseThrow().resumedAfter()).isEqualTo(reached.rows());
        assertThat(values(kind))
                .isEqualTo(IntStream.range(0, ROWS).mapToObj(i -> "name " + i).toList());
    }

    @Test
    void fileIsRemovedAfterACompleteLoadAndKeyStays() {
        run(STRINGS, o -> o);
        run(LIST, o -> o);

        assertThat(folder.resolve("job.checkpoint")).doesNotExist();
        assertThat(text("HGET", "millrace:checkpoint:job", "complete")).isEqualTo("1");
        assertThat(text("HGET", "millrace:checkpoint:job", "rows")).isEqualTo(Integer.toString(ROWS));
    }

    @Test
    void completeListIsNotLoadedASecondTime() throws IOException {
        run(LIST, o -> o);

        LoadReport again = run(LIST, CheckpointOptions::resuming);

        assertThat(again.rows()).isEqualTo(new RowCounts(ROWS, 0, 0, ROWS, 0));
        assertThat(again.details().checkpoint().orElseThrow().state()).isEqualTo(State.COMPLETE);
        assertRefused(LIST, o -> o, "the same rows were loaded before", "rows=20000", "delete this key");
        Files.writeString(csv, rows(10));
        assertThat(run(LIST, o -> o).rows().written()).isEqualTo(10);
        assertThat(integer("LLEN", "all")).isEqualTo(ROWS + 10);
    }

    @Test
    void checkpointOfAnUnfinishedLoadIsNotOverwritten() {
        interrupted(STRINGS);
        assertRefused(STRINGS, o -> o, "a load that has not ended", "job.checkpoint", "--resume", "remove the file");

        interrupted(LIST);
        assertRefused(LIST, o -> o, "a load that has not ended", "key=millrace:checkpoint:job", "--resume");
    }

    @ParameterizedTest
    @EnumSource(names = {"STRINGS", "LIST"})
    void changedFileIsRefusedAndTheDifferenceIsNamed(Kind kind) throws IOException {
        interrupted(kind.target());
        FileTime modified = Files.getLastModifiedTime(csv);

        Files.setLastModifiedTime(csv, FileTime.from(Instant.parse("2001-02-03T04:05:06Z")));
        assertRefused(
                kind.target(),
                CheckpointOptions::resuming,
                "source modified: at the checkpoint " + modified.toInstant(),
                "now 2001-02-03T04:05:06Z");

        Files.writeString(csv, rows(ROWS + 1));
        assertRefused(kind.target(), CheckpointOptions::resuming, "source bytes: at the checkpoint ", "rows=");

        // The same size and time, but other rows.
        Files.writeString(csv, rows(ROWS).replace("7,name 7\n", "7,none 7\n"));
        Files.setLastModifiedTime(csv, modified);
        assertRefused(kind.target(), CheckpointOptions::resuming, "are other rows, or have another order");
    }

    @Test
    void changedPlanIsRefusedAndTheDifferenceIsNamed() {
        interrupted(STRINGS);

        assertRefused(
                STRINGS.withTtl(Duration.ofHours(2)),
                CheckpointOptions::resuming,
                "target: at the checkpoint ttl=Optional.empty",
                "now ttl=Optional[PT2H]");
        assertRefused(StringTarget.of("x:{id}", "name"), CheckpointOptions::resuming, "key=k:{id}", "key=x:{id}");
        assertRefused(HashTarget.of("k:{id}"), CheckpointOptions::resuming, "StringTarget", "HashTarget");
    }

    @Test
    void changedQueryAndOtherOrderAreRefused() {
        String url = "jdbc:h2:" + folder.resolve("shop") + ";";
        sql(
                url,
                "create table t(\"id\" int, \"name\" varchar); insert into t select x - 1, 'name ' || (x - 1) from"
                        + " system_range(1, " + ROWS + ")");
        interrupted(LIST, query(url, "select * from t order by \"id\""));

        assertRefused(
                LIST,
                query(url, "select * from t order by \"id\" desc"),
                CheckpointOptions::resuming,
                "source query: at the checkpoint select * from t order by \"id\"",
                "now select * from t order by \"id\" desc");
        sql(url, "update t set \"name\" = 'other' where \"id\" = 3");
        assertRefused(
                LIST,
                query(url, "select * from t order by \"id\""),
                CheckpointOptions::resuming,
                "are other rows, or have another order");
        sql(url, "update t set \"name\" = 'name 3' where \"id\" = 3");
        assertThat(run(LIST, query(url, "select * from t order by \"id\""), CheckpointOptions::resuming)
                        .ending())
                .isEqualTo(new Ending.Completed());
        assertThat(integer("LLEN", "all")).isEqualTo(ROWS);
    }

    @Test
    void queryWithoutOrderIsWarnedAbout() {
        String url = "jdbc:h2:" + folder.resolve("shop") + ";";
        sql(url, "create table t(\"id\" int, \"name\" varchar); insert into t values (1, 'a')");

        LoadReport report = run(STRINGS, JdbcSource.ofTable(url, "t", JdbcOptions.defaults()), o -> o);

        assertThat(report.details().warnings()).anyMatch(text -> text.contains("ORDER BY"));
    }

    @Test
    void sourceWithFewerRowsIsRefused() {
        RowSource[] source = {TestRows.count(ROWS)};
        interrupted(STRINGS, source[0]);

        assertRefused(
                STRINGS, TestRows.count(1), CheckpointOptions::resuming, "fewer rows than at the checkpoint", "now 1");
    }

    @Test
    void serverThatLostItsKeysOrWasReplacedIsRefused() {
        interrupted(STRINGS);
        redis.call("DEL", "k:0");
        assertRefused(STRINGS, CheckpointOptions::resuming, "fewer keys than at the checkpoint", "--server-kept-data");

        redis.call("FLUSHALL");
        assertRefused(STRINGS, CheckpointOptions::resuming, "fewer keys than at the checkpoint", "now 0");

        try (TestRedis other = TestRedis.start(EmbeddedOptions.defaults())) {
            LoadPlan plan = plan(STRINGS, source(), CheckpointOptions::resuming);
            assertThatThrownBy(() -> new Loader(other.options()).run(plan, events::add))
                    .isInstanceOf(PlanException.class)
                    .hasMessageContaining("the server was restarted, or is another server")
                    .hasMessageContaining("run_id at the checkpoint");
            LoadPlan forced = plan(STRINGS, source(), o -> o.resuming().withServerKeptData());
            assertThat(new Loader(other.options()).run(forced, events::add).ending())
                    .isEqualTo(new Ending.Completed());
        }
    }

    @Test
    void listOnAServerThatLostItsDataBeginsAgain() {
        interrupted(LIST);
        redis.call("FLUSHALL");

        run(LIST, CheckpointOptions::resuming);

        assertThat(values(Kind.LIST)).hasSize(ROWS);
    }

    @Test
    void severalConnectionsAreRefusedForAList() {
        LoadPlan plan = new LoadPlan(
                source(),
                LIST,
                LoadOptions.builder()
                        .connections(2)
                        .checkpoint(CheckpointOptions.of("job").in(folder))
                        .build());

        assertThatThrownBy(() -> new Loader(redis.options()).run(plan, events::add))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("connections=2");
    }

    @Test
    void listKeepsItsRowsAndAccountIfItsConnectionsAreKilled() {
        try (TestRedis own = TestRedis.start()) {
            loadWhileConnectionsAreKilled(own);
        }
    }

    private void loadWhileConnectionsAreKilled(TestRedis own) {
        own.call("SET", "n:3", "of another type");
        ListTarget target = ListTarget.of("n:{part}").withValue("name");
        StringBuilder text = new StringBuilder("part,name\n");
        IntStream.range(0, ROWS)
                .forEach(i -> text.append(i % 5).append(",name ").append(i).append('\n'));
        int[] transactions = {0};
        CheckpointStep.Listener killer = step -> {
            boolean kills =
                    (step == CheckpointStep.COLLECTED || step == CheckpointStep.EXECUTED) && ++transactions[0] % 7 == 0;
            if (kills) {
                own.call("CLIENT KILL", "TYPE", "normal");
            }
        };

        LoadReport report = new Loader(own.options(), killer)
                .run(plan(target, CsvSource.of(write(text.toString()), CsvOptions.defaults()), o -> o), events::add);

        assertThat(transactions[0]).isGreaterThan(20);
        assertThat(report.ending()).isEqualTo(new Ending.Completed());
        assertThat(report.rows()).isEqualTo(new RowCounts(ROWS, ROWS / 5 * 4, ROWS / 5, 0, 0));
        for (int part : List.of(0, 1, 2, 4)) {
            int first = part;
            assertThat(list(own, "n:" + part))
                    .isEqualTo(IntStream.range(0, ROWS / 5)
                            .mapToObj(i -> "name " + (5 * i + first))
                            .toList());
        }
    }

    @Test
    void loadThatIsTakenOverStopsAndNoRowIsWrittenTwice() {
        boolean[] taken = {false};
        CheckpointStep.Listener takeOver = step -> {
            if (step == CheckpointStep.COLLECTED && !taken[0] && integer("LLEN", "all") > 0) {
                taken[0] = true;
                run(LIST, CheckpointOptions::resuming);
            }
        };

        LoadReport report = new Loader(redis.options(), takeOver).run(plan(LIST, source(), o -> o), events::add);

        assertThat(report.ending().reason().orElseThrow()).contains("another load continues with this checkpoint");
        assertThat(values(Kind.LIST)).hasSize(ROWS).doesNotHaveDuplicates();
    }

    @Test
    void rejectedRowsOfBothLoadsAreInTheFileOnce() throws IOException {
        Path rejects = folder.resolve("rejects.jsonl");
        String bad = rows(ROWS)
                .lines()
                .map(line -> line.endsWith("99") ? line + ",too many" : line)
                .collect(Collectors.joining("\n"));
        Files.writeString(csv, bad + "\n");

        LoadReport first = interrupted(STRINGS, source(), rejects);
        LoadReport second = new Loader(redis.options())
                .run(plan(STRINGS, source(), CheckpointOptions::resuming, rejects), events::add);

        assertThat(first.rows().rejected() + second.rows().rejected()).isEqualTo(ROWS / 100);
        assertThat(Files.readAllLines(rejects)).hasSize(ROWS / 100).doesNotHaveDuplicates();
    }

    private LoadReport interrupted(Target target) {
        return interrupted(target, source());
    }

    private LoadReport interrupted(Target target, RowSource source) {
        return interrupted(target, source, null);
    }

    /** Interrupts the load in the middle, after some rows were written. */
    private LoadReport interrupted(Target target, RowSource source, @org.jspecify.annotations.Nullable Path rejects) {
        Loader loader = new Loader(redis.options());
        RowSource stopping = StoppingSource.after(source, ROWS / 3, loader::stop);
        return loader.run(plan(target, stopping, o -> o, rejects), events::add);
    }

    private LoadReport run(Target target, UnaryOperator<CheckpointOptions> options) {
        return run(target, source(), options);
    }

    private LoadReport run(Target target, RowSource source, UnaryOperator<CheckpointOptions> options) {
        return new Loader(redis.options()).run(plan(target, source, options), events::add);
    }

    private void assertRefused(Target target, UnaryOperator<CheckpointOptions> options, String... parts) {
        assertRefused(target, source(), options, parts);
    }

    private void assertRefused(
            Target target, RowSource source, UnaryOperator<CheckpointOptions> options, String... parts) {
        assertThatThrownBy(() -> run(target, source, options))
                .isInstanceOf(PlanException.class)
                .message()
                .contains(parts)
                .endsWith(".");
    }

    private LoadPlan plan(Target target, RowSource source, UnaryOperator<CheckpointOptions> options) {
        return plan(target, source, options, null);
    }

    private LoadPlan plan(
            Target target,
            RowSource source,
            UnaryOperator<CheckpointOptions> options,
            @org.jspecify.annotations.Nullable Path rejects) {
        LoadOptions.Builder builder = LoadOptions.builder()
                .checkpoint(options.apply(CheckpointOptions.of("job").in(folder)));
        if (rejects != null) {
            builder.rejects(rejects);
        }
        return new LoadPlan(source, target, builder.build());
    }

    private RowSource source() {
        return CsvSource.of(csv, CsvOptions.defaults());
    }

    private static RowSource query(String url, String query) {
        return JdbcSource.ofQuery(url, query, JdbcOptions.defaults());
    }

    private Path write(String text) {
        try {
            return Files.writeString(csv, text);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static String rows(int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> i + ",name " + i + "\n")
                .collect(Collectors.joining("", "id,name\n", ""));
    }

    private static void sql(String url, String statements) {
        try (var connection = java.sql.DriverManager.getConnection(url);
                var statement = connection.createStatement()) {
            var unused = statement.execute(statements);
        } catch (java.sql.SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The values of all rows, in the order of the source. */
    private static List<String> values(Kind kind) {
        return switch (kind) {
            case STRINGS ->
                IntStream.range(0, ROWS).mapToObj(i -> text("GET", "k:" + i)).toList();
            case LIST, EXPIRING_LIST -> list(redis, "all");
            case STREAM ->
                items(redis.call("XRANGE", "all", "-", "+")).stream()
                        .map(entry -> items(items(entry).get(1)).get(3))
                        .map(CheckpointTest::textOf)
                        .toList();
        };
    }

    private static List<String> list(TestRedis server, String key) {
        return items(server.call("LRANGE", key, "0", "-1")).stream()
                .map(CheckpointTest::textOf)
                .toList();
    }

    private static List<Reply> items(Reply reply) {
        return ((Reply.ArrayReply) reply).items();
    }

    private static String textOf(Reply reply) {
        return ((Reply.BulkString) reply).text();
    }

    private static String text(String command, String... arguments) {
        return textOf(redis.call(command, arguments));
    }

    private static long integer(String command, String... arguments) {
        return ((Reply.IntegerReply) redis.call(command, arguments)).value();
    }
}
