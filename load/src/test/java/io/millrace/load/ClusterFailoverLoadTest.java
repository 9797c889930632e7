// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.StringTarget;
import io.millrace.testkit.NoThreadLeft;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Loads into a cluster that loses a primary, or whose primary changes. */
@ExtendWith(NoThreadLeft.class)
@Timeout(value = 1_200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterFailoverLoadTest {

    private static final int ROWS = 36_000;

    /** Slow enough for some marks, and at most 2,000 rows between two of them. */
    private static final int ROWS_PER_SECOND = 20_000;

    private static final int KILLS = Integer.getInteger("millrace.loadKills", 1);

    /** The replica is stopped when the source has returned this row. */
    private static final int STOPPED_AT = 6_000;

    /** The first kill is at this row. */
    private static final int KILLED_AT = 18_000;

    /** A third of the rows until the kill fills the buffers between a primary and its stopped replica many times. */
    private static final String LONG_VALUE = "x".repeat(8_000);

    private static final String SHORT_VALUE = "x";

    private final List<String> warnings = new ArrayList<>();

    @Test
    void noRowIsMissingThatCountsAsWrittenAfterAPrimaryWasKilled() {
        for (int kill = 0; kill < KILLS; kill++) {
            try (EmbeddedCluster cluster = EmbeddedCluster.start()) {
                // The primary is killed when the source has returned this row.
                int killedAt = KILLED_AT + 12_000 * kill / KILLS;
                EmbeddedRedis doomed = cluster.primaryOf(0);
                EmbeddedRedis replica = cluster.replicasOf(doomed).getFirst();
                boolean lags = kill % 2 == 0;

                LoadReport report = load(cluster.uri(), id -> {
                    if (id == STOPPED_AT && lags) {
                        replica.pause();
                    } else if (id == killedAt) {
                        doomed.kill();
                        replica.resume();
                    }
                });

                assertThat(report.ending()).isEqualTo(new Ending.Completed());
                assertThat(warnings)
                        .singleElement()
                        .asString()
                        .contains("the server was restarted or replaced during the load");
                warnings.clear();
                long missing = missing(report, cluster);
                // One primary has a third of the rows between two marks.
                assertThat(report.rows().unconfirmed()).isLessThan(missing + 4_000);
                if (lags) {
                    assertThat(missing).isPositive();
                }
            }
        }
    }

    @Test
    void plannedFailoverTakesNothingBack() {
        try (EmbeddedCluster cluster = EmbeddedCluster.start()) {
            EmbeddedRedis replica = cluster.replicasOf(cluster.primaryOf(0)).getFirst();

            LoadReport report = load(cluster.uri(), id -> {
                if (id == KILLED_AT) {
                    cluster.failOver(replica);
                }
            });

            assertThat(report.ending()).isEqualTo(new Ending.Completed());
            assertThat(report.rows()).isEqualTo(new RowCounts(ROWS, ROWS, 0, 0, 0));
            assertThat(missing(report, cluster)).isZero();
        }
    }

    @Test
    void allRowsOfAKilledPrimaryAreInDoubtIfInfoIsForbidden() {
        try (EmbeddedCluster cluster = EmbeddedCluster.start()) {
            for (EmbeddedRedis node : cluster.nodes()) {
                try (RedisClient client = RedisClient.connect(RedisUri.of("127.0.0.1", node.port()))) {
                    var unused = client.call(
                            Command.of("ACL SETUSER", "app", "on", ">secret", "~*", "&*", "+@all", "-info"));
                }
            }
            EmbeddedRedis doomed = cluster.primaryOf(0);
            String uri = cluster.uri().replace("redis-cluster://", "redis-cluster://app:secret@");

            LoadReport report = load(uri, id -> {
                if (id == KILLED_AT) {
                    doomed.kill();
                }
            });

            assertThat(report.ending()).isEqualTo(new Ending.Completed());
            var unused = missing(report, cluster);
            // The primary had a third of the first 18,000 rows, and some of them had no reply.
            assertThat(report.rows().unconfirmed()).isBetween(3_000L, 7_000L);
            assertThat(report.unconfirmedReason().orElseThrow())
                    .contains("a failover or a restart of the server took back up to "
                            + String.format("%,d", report.rows().unconfirmed()) + " acknowledged rows");
        }
    }

    /** Called before a row is read. */
    private interface Event {
        void before(long id);
    }

    private LoadReport load(String uri, Event event) {
        RowSource source = TestRows.of((row, opening, id) -> {
            event.before(id);
            return id < ROWS && TestRows.fill(row, id, id >= STOPPED_AT && id < KILLED_AT ? LONG_VALUE : SHORT_VALUE);
        });
        LoadOptions options = LoadOptions.builder().rate(ROWS_PER_SECOND).build();
        return new Loader(ClientOptions.of(RedisUri.parse(uri)))
                .run(new LoadPlan(source, StringTarget.of("k{id}", "name"), options), loadEvent -> {
                    if (loadEvent instanceof LoadEvent.Warned warned) {
                        warnings.add(warned.message());
                    }
                });
    }

    private static long missing(LoadReport report, EmbeddedCluster cluster) {
        try (RedisClient client = RedisClient.connect(RedisUri.parse(cluster.uri()))) {
            assertThat(client.call(Strings.get("k" + (ROWS - 1)))).contains(SHORT_VALUE);
            return FailedOverKeys.missing(report, client, ROWS);
        }
    }
}
