// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static io.millrace.load.CheckpointJob.LIST;
import static io.millrace.load.CheckpointJob.ROWS;
import static io.millrace.load.CheckpointJob.STRINGS;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.LoadReport.Checkpoint.State;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.target.StreamTarget;
import io.millrace.load.target.Target;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
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

/** Loads that are interrupted and continue. */
@ExtendWith(NoThreadLeft.class)
class CheckpointTest {

    private static TestRedis redis;

    @TempDir
    private Path folder;

    private CheckpointJob job;

    enum Kind {
        STRINGS,
        LIST,
        EXPIRING_LIST,
        STREAM;

        Target target() {
            return switch (this) {
                case STRINGS -> CheckpointJob.STRINGS;
                case LIST -> CheckpointJob.LIST;
                case EXPIRING_LIST -> CheckpointJob.LIST.withTtl(Duration.ofHours(1));
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
    void prepare() {
        redis.call("FLUSHALL");
        job = new CheckpointJob(redis, folder);
    }

    @ParameterizedTest
    @EnumSource
    void interruptedLoadContinuesAndLeavesTheKeyspaceOfAnUndisturbedLoad(Kind kind) {
        LoadReport first = job.interrupted(kind.target());
        LoadReport second = job.run(kind.target(), CheckpointOptions::resuming);

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
        job.run(STRINGS, o -> o);
        job.run(LIST, o -> o);

        assertThat(folder.resolve("job.checkpoint")).doesNotExist();
        assertThat(job.text("HGET", "millrace:checkpoint:job", "complete")).isEqualTo("1");
        assertThat(job.text("HGET", "millrace:checkpoint:job", "rows")).isEqualTo(Integer.toString(ROWS));
    }

    @Test
    void completeListIsNotLoadedASecondTime() {
        job.run(LIST, o -> o);

        LoadReport again = job.run(LIST, CheckpointOptions::resuming);

        assertThat(again.rows()).isEqualTo(new RowCounts(ROWS, 0, 0, ROWS, 0));
        assertThat(again.details().checkpoint().orElseThrow().state()).isEqualTo(State.COMPLETE);
        job.assertRefused(LIST, o -> o, "the same rows were loaded before", "rows=20000", "delete this key");
        job.write(CheckpointJob.rows(10));
        assertThat(job.run(LIST, o -> o).rows().written()).isEqualTo(10);
        assertThat(job.integer("LLEN", "all")).isEqualTo(ROWS + 10);
    }

    @Test
    void listOnAServerThatLostItsDataBeginsAgain() {
        job.interrupted(LIST);
        redis.call("FLUSHALL");

        job.run(LIST, CheckpointOptions::resuming);

        assertThat(values(Kind.LIST)).hasSize(ROWS);
    }

    @Test
    void resumedLoadSaysAfterWhichRowItBegins() {
        job.run(LIST, o -> o.resuming().withServerKeptData());
        long reached =
                job.interrupted(STRINGS).details().checkpoint().orElseThrow().rows();
        job.run(STRINGS, CheckpointOptions::resuming);

        assertThat(job.events())
                .filteredOn(LoadEvent.Resumed.class::isInstance)
                .containsExactly(
                        new LoadEvent.Resumed(0, "key=millrace:checkpoint:job"),
                        new LoadEvent.Resumed(reached, "path=" + folder.resolve("job.checkpoint")));
    }

    @Test
    void rejectedRowsOfBothLoadsAreInTheFileOnce() throws IOException {
        Path rejects = folder.resolve("rejects.jsonl");
        String bad = CheckpointJob.rows(ROWS)
                .lines()
                .map(line -> line.endsWith("99") ? line + ",too many" : line)
                .collect(Collectors.joining("\n"));
        job.write(bad + "\n");

        LoadReport first = job.interrupted(STRINGS, job.source(), rejects);
        LoadReport second = job.run(
                CheckpointStep.Listener.NONE, job.plan(STRINGS, job.source(), CheckpointOptions::resuming, rejects));

        assertThat(first.rows().rejected() + second.rows().rejected()).isEqualTo(ROWS / 100);
        assertThat(Files.readAllLines(rejects)).hasSize(ROWS / 100).doesNotHaveDuplicates();
    }

    /** The values of all rows, in the order of the source. */
    private List<String> values(Kind kind) {
        return switch (kind) {
            case STRINGS ->
                IntStream.range(0, ROWS)
                        .mapToObj(i -> job.text("GET", "k:" + i))
                        .toList();
            case LIST, EXPIRING_LIST -> CheckpointJob.list(redis, "all");
            case STREAM ->
                CheckpointJob.items(redis.call("XRANGE", "all", "-", "+")).stream()
                        .map(entry -> CheckpointJob.items(
                                        CheckpointJob.items(entry).get(1))
                                .get(3))
                        .map(CheckpointJob::text)
                        .toList();
        };
    }
}
