// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedSentinels;
import io.millrace.load.LoadReport.Ending;
import io.millrace.load.source.RowSource;
import io.millrace.load.target.StringTarget;
import io.millrace.testkit.NoThreadLeft;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Loads into the primary that Sentinels name. */
@ExtendWith(NoThreadLeft.class)
class SentinelLoadTest {

    private static final int ROWS = 200_000;

    /** The primary is killed when the source has returned this row. */
    private static final int KILLED_AT = 100_000;

    @Test
    void loadContinuesWithTheNewPrimary() {
        try (EmbeddedSentinels servers = EmbeddedSentinels.start(EmbeddedOptions.defaults(), 1, Optional.empty())) {
            RowSource source = TestRows.of((row, opening, id) -> {
                if (id == KILLED_AT) {
                    servers.firstPrimary().kill();
                }
                return id < ROWS && TestRows.fill(row, id, "Customer " + id);
            });

            LoadReport report = new Loader(ClientOptions.of(RedisUri.parse(servers.uri())))
                    .run(new LoadPlan(source, StringTarget.of("k{id}", "name"), LoadOptions.defaults()), event -> {});

            assertThat(report.ending()).isEqualTo(new Ending.Completed());
            // Rows in flight at the kill have no reply, and are written again.
            assertThat(report.rows()).isEqualTo(new RowCounts(ROWS, ROWS, 0, 0, 0));
            assertThat(report.job().target()).startsWith(servers.uri());
            RedisUri promoted = RedisUri.of("127.0.0.1", servers.firstReplica().port());
            try (RedisClient direct = RedisClient.connect(promoted)) {
                // Rows from before the failover may be missing, because replication is asynchronous.
                assertThat(direct.call(Server.size())).isBetween((long) ROWS - KILLED_AT, (long) ROWS);
                assertThat(direct.call(Strings.get("k" + (ROWS - 1)))).contains("Customer " + (ROWS - 1));
            }
        }
    }
}
