// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
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

/** Loads into a cluster that loses a primary. */
@ExtendWith(NoThreadLeft.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterFailoverLoadTest {

    private static final int ROWS = 60_000;

    private static final int KILLS = Integer.getInteger("millrace.loadKills", 1);

    @Test
    void loadContinuesWithThePromotedReplica() {
        for (int kill = 0; kill < KILLS; kill++) {
            // The primary is killed when the source has returned this row.
            loadAndKill(10_000 + 40_000 * (kill + 1) / (KILLS + 1));
        }
    }

    private static void loadAndKill(int killedAt) {
        try (EmbeddedCluster cluster = EmbeddedCluster.start()) {
            EmbeddedRedis doomed = cluster.primaryOf(0);
            RowSource source = TestRows.of((row, opening, id) -> {
                if (id == killedAt) {
                    doomed.kill();
                }
                return id < ROWS && TestRows.fill(row, id, "Customer " + id);
            });
            ClientOptions options = ClientOptions.of(RedisUri.parse(cluster.uri()));
            List<String> warnings = new ArrayList<>();

            LoadReport report = new Loader(options)
                    .run(new LoadPlan(source, StringTarget.of("k{id}", "name"), LoadOptions.defaults()), event -> {
                        if (event instanceof LoadEvent.Warned warned) {
                            warnings.add(warned.message());
                        }
                    });

            assertThat(report.ending()).isEqualTo(new Ending.Completed());
            // Rows in flight at the kill have no reply, and are written again.
            assertThat(report.rows()).isEqualTo(new RowCounts(ROWS, ROWS, 0, 0, 0));
            assertThat(warnings)
                    .singleElement()
                    .asString()
                    .contains("the server was restarted or replaced during the load");
            try (RedisClient client = RedisClient.connect(options)) {
                // Rows from before the failover may be missing, because replication is asynchronous.
                assertThat(client.call(Server.size())).isBetween((long) ROWS - killedAt / 3 - 5_000, (long) ROWS);
                assertThat(client.call(Strings.get("k" + (ROWS - 1)))).contains("Customer " + (ROWS - 1));
            }
        }
    }
}
