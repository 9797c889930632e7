// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointCommandTest {

    private static EmbeddedRedis redis;
    private static Keyspace keyspace;

    @TempDir
    Path folder;

    private String shop = "";

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        keyspace = Keyspace.of(redis);
    }

    @AfterAll
    static void end() {
        keyspace.close();
        redis.close();
    }

    @BeforeEach
    void write() throws IOException {
        keyspace.clear();
        StringBuilder rows = new StringBuilder("id,name\n");
        for (int id = 1; id <= 10; id++) {
            rows.append(id).append(",name ").append(id).append('\n');
        }
        shop = Files.writeString(folder.resolve("shop.csv"), rows).toString();
    }

    @Test
    void listIsContinuedAfterTheRowsThatAreDone() {
        CliRun first = run("--limit", "4");
        CliRun second = run("--resume", "--json");
        CliRun third = run();

        assertThat(first.code()).as(first.err()).isZero();
        assertThat(first.err())
                .contains("checkpoint: all 4 rows are loaded", "millrace:checkpoint:job", "delete this key");
        assertThat(second.code()).as(second.err()).isZero();
        assertThat(second.out())
                .contains("\"rows\":{\"read\":10,\"written\":6,\"rejected\":0,\"skipped\":4,\"unconfirmed\":0}")
                .contains("\"checkpoint\":{\"name\":\"job\",\"place\":\"millrace:checkpoint:job\",\"resumedAfter\":4,"
                        + "\"rows\":10,\"state\":\"complete\"}");
        assertThat(third.code()).isEqualTo(2);
        assertThat(third.err()).contains("the same rows were loaded before: key=millrace:checkpoint:job, rows=10");
    }

    @Test
    void reportNamesTheRowsOfTheEarlierLoad() {
        assertThat(run("--limit", "4").code()).isZero();

        CliRun second = run("--resume");

        assertThat(second.err()).contains("resume: the load continues after 4 rows (key=millrace:checkpoint:job)");
        assertThat(second.out()).contains("resumed: after 4 rows of an earlier load, which count as skipped");
        assertThat(second.lastLine()).startsWith("rows: 10, written: 6, rejected: 0, skipped: 4, unconfirmed: 0,");
    }

    @Test
    void resumeWithoutAnEarlierLoadSaysThatTheLoadBeginsWithTheFirstRow() {
        CliRun run = run("--resume", "--limit", "4");

        assertThat(run.err())
                .contains("resume: there is nothing to continue (key=millrace:checkpoint:job), so the load begins with"
                        + " the first row");
        assertThat(run("--resume", "--json", "--progress", "ndjson").err()).doesNotContain("resume:");
    }

    @Test
    void optionsThatContradictEachOtherAreRefused() {
        assertUsage("--resume continues a load with a checkpoint", "--resume");
        assertUsage("--server-kept-data has a meaning only with --resume", "--checkpoint", "a", "--server-kept-data");
        assertUsage("--swap begins again after an interruption", "--checkpoint", "a", "--swap");
        assertUsage("--prune begins again after an interruption", "--checkpoint", "a", "--prune", "--job", "j");
        assertUsage("--dry-run writes nothing", "--checkpoint", "a", "--dry-run");
        assertUsage("checkpoint=a/b; it must be", "--checkpoint", "a/b");
        assertUsage("--readers reads them in any order", "--checkpoint", "a", "--readers", "2", "--partition", "id");
    }

    private void assertUsage(String message, String... options) {
        CliRun run = CliRun.of(CliRun.args(command(), options));
        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains(message);
    }

    private CliRun run(String... options) {
        return CliRun.of(CliRun.args(List.of(CliRun.args(command(), "--checkpoint", "job")), options));
    }

    private List<String> command() {
        return List.of("load", shop, "--key", "all", "--as", "list", "--value", "name", "-u", redis.uri());
    }
}
