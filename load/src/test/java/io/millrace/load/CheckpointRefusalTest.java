// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static io.millrace.load.CheckpointJob.LIST;
import static io.millrace.load.CheckpointJob.ROWS;
import static io.millrace.load.CheckpointJob.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.source.CsvOptions;
import io.millrace.load.source.CsvSource;
import io.millrace.load.source.FilesSource;
import io.millrace.load.source.JdbcOptions;
import io.millrace.load.source.JdbcSource;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.HashTarget;
import io.millrace.load.target.PlanException;
import io.millrace.load.target.StringTarget;
import io.millrace.load.target.Target;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Loads that refuse to continue an earlier load. */
@ExtendWith(NoThreadLeft.class)
class CheckpointRefusalTest {

    private static TestRedis redis;

    @TempDir
    private Path folder;

    private CheckpointJob job;

    enum Kind {
        STRINGS("path=", "remove the file"),
        LIST("key=millrace:checkpoint:job", "delete this key and the written rows");

        private final String place;
        private final String removal;

        Kind(String place, String removal) {
            this.place = place;
            this.removal = removal;
        }

        Target target() {
            return switch (this) {
                case STRINGS -> CheckpointJob.STRINGS;
                case LIST -> CheckpointJob.LIST;
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
    void prepare() {
        redis.call("FLUSHALL");
        job = new CheckpointJob(redis, folder);
    }

    @Test
    void checkpointOfAnUnfinishedLoadIsNotOverwritten() {
        job.interrupted(STRINGS);
        job.assertRefused(
                STRINGS, o -> o, "a load that has not ended", "job.checkpoint", "--resume", "remove the file");

        job.interrupted(LIST);
        job.assertRefused(LIST, o -> o, "a load that has not ended", "key=millrace:checkpoint:job", "--resume");
    }

    @Test
    void warningAboutFilesThatAreReadAtOnceNamesTheReaders() throws IOException {
        Path other = Files.writeString(folder.resolve("other.csv"), "id,name\n-1,x\n");
        FilesSource files = FilesSource.of(List.of(job.source(), CsvSource.of(other, CsvOptions.defaults())));

        LoadReport atOnce = job.run(STRINGS, files.withReaders(4), o -> o);
        LoadReport inOrder = job.run(STRINGS, files, o -> o);

        assertThat(atOnce.details().warnings())
                .singleElement()
                .asString()
                .startsWith("the order of the rows is not fixed. ")
                .contains("Use one reader, for a database also a query with ORDER BY");
        assertThat(inOrder.details().warnings()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void changedFileIsRefusedAndTheDifferenceIsNamed(Kind kind) throws IOException {
        job.interrupted(kind.target());
        FileTime modified = Files.getLastModifiedTime(job.csv());

        Files.setLastModifiedTime(job.csv(), FileTime.from(Instant.parse("2001-02-03T04:05:06Z")));
        job.assertRefused(
                kind.target(),
                CheckpointOptions::resuming,
                "source modified: at the checkpoint " + modified.toInstant(),
                "now 2001-02-03T04:05:06Z");

        job.write(CheckpointJob.rows(ROWS + 1));
        job.assertRefused(kind.target(), CheckpointOptions::resuming, "source bytes: at the checkpoint ", "rows=");

        // The same size and time, but other rows.
        job.write(CheckpointJob.rows(ROWS).replace("\n7,name 7\n", "\n7,none 7\n"));
        Files.setLastModifiedTime(job.csv(), modified);
        job.assertRefused(
                kind.target(),
                CheckpointOptions::resuming,
                "are other rows, or have another order",
                kind.place,
                kind.removal);
    }

    @Test
    void changedPlanIsRefusedAndTheDifferenceIsNamed() {
        job.interrupted(STRINGS);

        job.assertRefused(
                STRINGS.withTtl(Duration.ofHours(2)),
                CheckpointOptions::resuming,
                "target: at the checkpoint ttl=Optional.empty",
                "now ttl=Optional[PT2H]");
        job.assertRefused(StringTarget.of("x:{id}", "name"), CheckpointOptions::resuming, "key=k:{id}", "key=x:{id}");
        job.assertRefused(HashTarget.of("k:{id}"), CheckpointOptions::resuming, "StringTarget", "HashTarget");
    }

    @Test
    void changedQueryAndOtherOrderAreRefused() {
        String url = "jdbc:h2:" + folder.resolve("shop") + ";";
        sql(
                url,
                "create table t(\"id\" int, \"name\" varchar); insert into t select x - 1, 'name ' || (x - 1) from"
                        + " system_range(1, " + ROWS + ")");
        job.interrupted(LIST, CheckpointJob.query(url, "select * from t order by \"id\""));

        job.assertRefused(
                LIST,
                CheckpointJob.query(url, "select * from t order by \"id\" desc"),
                CheckpointOptions::resuming,
                "source query: at the checkpoint select * from t order by \"id\"",
                "now select * from t order by \"id\" desc");
        sql(url, "update t set \"name\" = 'other' where \"id\" = 3");
        job.assertRefused(
                LIST,
                CheckpointJob.query(url, "select * from t order by \"id\""),
                CheckpointOptions::resuming,
                "are other rows, or have another order");
        sql(url, "update t set \"name\" = 'name 3' where \"id\" = 3");
        assertThat(job.run(
                                LIST,
                                CheckpointJob.query(url, "select * from t order by \"id\""),
                                CheckpointOptions::resuming)
                        .ending())
                .isEqualTo(new Ending.Completed());
        assertThat(job.integer("LLEN", "all")).isEqualTo(ROWS);
    }

    @Test
    void queryWithoutOrderIsWarnedAbout() {
        String url = "jdbc:h2:" + folder.resolve("shop") + ";";
        sql(url, "create table t(\"id\" int, \"name\" varchar); insert into t values (1, 'a')");

        LoadReport report = job.run(STRINGS, JdbcSource.ofTable(url, "t", JdbcOptions.defaults()), o -> o);

        assertThat(report.details().warnings()).anyMatch(text -> text.contains("ORDER BY"));
    }

    @ParameterizedTest
    @EnumSource
    void limitBelowTheRowsThatAreDoneIsRefused(Kind kind) {
        job.interrupted(kind.target());
        LoadPlan plan = new LoadPlan(
                job.source(),
                kind.target(),
                LoadOptions.builder()
                        .limit(1)
                        .checkpoint(CheckpointOptions.of("job").in(folder).resuming())
                        .build());

        assertThatThrownBy(() -> job.run(CheckpointStep.Listener.NONE, plan))
                .isInstanceOf(PlanException.class)
                .hasMessageContainingAll(kind.place, "limit=1", "rows=", kind.removal);
    }

    @Test
    void sourceWithFewerRowsIsRefused() {
        RowSource[] source = {TestRows.count(ROWS)};
        job.interrupted(STRINGS, source[0]);

        job.assertRefused(
                STRINGS, TestRows.count(1), CheckpointOptions::resuming, "fewer rows than at the checkpoint", "now 1");
    }

    @Test
    void serverThatLostItsKeysOrWasReplacedIsRefused() {
        job.interrupted(STRINGS);
        redis.call("DEL", "k:0");
        job.assertRefused(
                STRINGS, CheckpointOptions::resuming, "fewer keys than at the checkpoint", "--server-kept-data");

        redis.call("FLUSHALL");
        job.assertRefused(STRINGS, CheckpointOptions::resuming, "fewer keys than at the checkpoint", "now 0");

        try (TestRedis other = TestRedis.start(EmbeddedOptions.defaults())) {
            LoadPlan plan = job.plan(STRINGS, job.source(), CheckpointOptions::resuming);
            assertThatThrownBy(() -> new Loader(other.options()).run(plan, job.events()::add))
                    .isInstanceOf(PlanException.class)
                    .hasMessageContaining("the server was restarted, or is another server")
                    .hasMessageContaining("run_id at the checkpoint");
            LoadPlan forced = job.plan(STRINGS, job.source(), o -> o.resuming().withServerKeptData());
            assertThat(new Loader(other.options())
                            .run(forced, job.events()::add)
                            .ending())
                    .isEqualTo(new Ending.Completed());
        }
    }

    @Test
    void severalConnectionsAreRefusedForAList() {
        LoadPlan plan = new LoadPlan(
                job.source(),
                LIST,
                LoadOptions.builder()
                        .connections(2)
                        .checkpoint(CheckpointOptions.of("job").in(folder))
                        .build());

        assertThatThrownBy(() -> new Loader(redis.options()).run(plan, job.events()::add))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("connections=2");
    }

    @Test
    void checkpointOfALoadThatReplacesDataIsRefused() {
        LoadPlan plan = new LoadPlan(
                job.source(),
                STRINGS,
                LoadOptions.builder()
                        .reload(new Reload("prices", true, false))
                        .checkpoint(CheckpointOptions.of("job").in(folder))
                        .build());

        assertThatThrownBy(() -> new Loader(redis.options()).run(plan, job.events()::add))
                .isInstanceOf(PlanException.class)
                .hasMessageContaining("job=prices, checkpoint=job");
    }

    private static void sql(String url, String statements) {
        try (var connection = DriverManager.getConnection(url);
                var statement = connection.createStatement()) {
            var unused = statement.execute(statements);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
