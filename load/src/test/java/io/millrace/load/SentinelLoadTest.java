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
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Loads into the primary that Sentinels name. */
@ExtendWith(NoThreadLeft.class)
class SentinelLoadTest {

    private static final int ROWS = 36_000;

    /** The replica is stopped when the source has returned this row. */
    private static final int STOPPED_AT = 6_000;

    /** The primary is killed when the source has returned this row. */
    private static final int KILLED_AT = 24_000;

    /** Fills the buffers between the primary and its stopped replica. */
    private static final String LONG_VALUE = "x".repeat(1_000);

    @TempDir
    private Path folder;

    @Test
    void rowsThatTheNewPrimaryLacksAreUnconfirmedAndAResumedLoadWritesThem() {
        try (EmbeddedSentinels servers = EmbeddedSentinels.start(EmbeddedOptions.defaults(), 1, Optional.empty())) {
            awaitReplica(servers.firstReplica());
            RowSource source = TestRows.of((row, opening, id) -> {
                if (id == STOPPED_AT && opening == 1) {
                    servers.firstReplica().pause();
                } else if (id == KILLED_AT && opening == 1) {
                    servers.firstPrimary().kill();
                    servers.firstReplica().resume();
                }
                return id < ROWS && TestRows.fill(row, id, LONG_VALUE);
            });
            CheckpointOptions checkpoint = CheckpointOptions.of("job").in(folder);

            LoadReport report = load(servers, source, checkpoint);

            assertThat(report.ending()).isEqualTo(new Ending.Completed());
            assertThat(report.job().target()).startsWith(servers.uri());
            RedisUri promoted = RedisUri.of("127.0.0.1", servers.firstReplica().port());
            try (RedisClient direct = RedisClient.connect(promoted)) {
                assertThat(direct.call(Strings.get("k" + (ROWS - 1)))).contains(LONG_VALUE);
                long missing = FailedOverKeys.missing(report, direct, ROWS);
                assertThat(missing).isPositive();
                assertThat(report.rows().unconfirmed()).isLessThan(missing + 6_000);

                LoadReport resumed = load(servers, source, checkpoint.resuming());

                long firstUnconfirmed =
                        report.details().unconfirmedRows().getFirst().firstRow();
                assertThat(resumed.rows().skipped())
                        .isEqualTo(report.details().checkpoint().orElseThrow().rows())
                        .isBetween(firstUnconfirmed - 2 * AcknowledgedRows.MARK_ROWS, firstUnconfirmed - 1);
                assertThat(resumed.rows().unconfirmed()).isZero();
                assertThat(direct.call(Server.size())).isEqualTo(ROWS);
            }
        }
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
