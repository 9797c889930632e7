// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.embedded.EmbeddedSentinels;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.StringTarget;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Loads into the primary that Sentinels name. */
@ExtendWith(NoThreadLeft.class)
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class SentinelLoadTest {

    private static final int ROWS = 36_000;
    private static final int KILLS = Integer.getInteger("millrace.loadKills", 1);

    /** The replica is stopped when the source has returned this row. */
    private static final int STOPPED_AT = 6_000;

    /** The primary is killed when the source has returned this row. */
    private static final int KILLED_AT = 24_000;

    /** Fills the buffers between the primary and its stopped replica. */
    private static final String LONG_VALUE = "x".repeat(1_000);

    @TempDir
    private Path folder;

    @Test
    void rowsThatTheNewPrimaryLacksAreUnconfirmedAndAResumedLoadWritesThem() throws IOException {
        for (int kill = 0; kill < KILLS; kill++) {
            Path directory = Files.createDirectory(folder.resolve(Integer.toString(kill)));
            killAndResume(kill % 2 == 0, CheckpointOptions.of("job").in(directory));
        }
    }

    /**
     * Kills the primary during a load, and continues the load.
     *
     * @param lags whether the replica stands still before
     */
    private static void killAndResume(boolean lags, CheckpointOptions checkpoint) {
        try (EmbeddedSentinels servers = EmbeddedSentinels.start(EmbeddedOptions.defaults(), 1, Optional.empty())) {
            awaitReplica(servers.firstReplica());
            RowSource source = TestRows.of((row, opening, id) -> {
                if (id == STOPPED_AT && opening == 1 && lags) {
                    servers.firstReplica().pause();
                } else if (id == KILLED_AT && opening == 1) {
                    servers.firstPrimary().kill();
                    servers.firstReplica().resume();
                }
                return id < ROWS && TestRows.fill(row, id, LONG_VALUE);
            });

            LoadReport report = load(servers, source, checkpoint);

            assertThat(report.ending()).isEqualTo(new Ending.Completed());
            assertThat(report.job().target()).startsWith(servers.uri());
            RedisUri promoted = RedisUri.of("127.0.0.1", servers.firstReplica().port());
            try (RedisClient direct = RedisClient.connect(promoted)) {
                assertThat(direct.call(Strings.get("k" + (ROWS - 1)))).contains(LONG_VALUE);
                long missing = FailedOverKeys.missing(report, direct, ROWS);
                assertThat(report.rows().unconfirmed()).isLessThan(missing + 6_000);
                if (lags) {
                    assertThat(missing).isPositive();
                }
                if (report.rows().unconfirmed() > 0) {
                    resume(servers, source, checkpoint, report);
                }
                assertThat(direct.call(Server.size())).isEqualTo(ROWS);
            }
        }
    }

    private static void resume(
            EmbeddedSentinels servers, RowSource source, CheckpointOptions checkpoint, LoadReport report) {
        LoadReport resumed = load(servers, source, checkpoint.resuming());

        long firstUnconfirmed = report.details().unconfirmedRows().getFirst().firstRow();
        assertThat(resumed.ending()).isEqualTo(new Ending.Completed());
        assertThat(resumed.rows().skipped())
                .isEqualTo(report.details().checkpoint().orElseThrow().rows())
                .isBetween(firstUnconfirmed - 2 * AcknowledgedRows.MARK_ROWS, firstUnconfirmed - 1);
        assertThat(resumed.rows().unconfirmed()).isZero();
    }

    /** Writes at most 2,000 rows between two marks. */
    private static LoadReport load(EmbeddedSentinels servers, RowSource source, CheckpointOptions checkpoint) {
        LoadOptions options =
                LoadOptions.builder().rate(20_000).checkpoint(checkpoint).build();
        return new Loader(ClientOptions.of(RedisUri.parse(servers.uri())))
                .run(new LoadPlan(source, StringTarget.of("k{id}", "name"), options), event -> {});
    }

    /** Waits until the replica has its first copy of the data. */
    private static void awaitReplica(EmbeddedRedis replica) {
        try (RedisClient direct = RedisClient.connect(RedisUri.of("127.0.0.1", replica.port()))) {
            while (!direct.call(Server.info("replication")).contains("master_link_status:up")) {
                LockSupport.parkNanos(1_000_000);
            }
        }
    }
}
