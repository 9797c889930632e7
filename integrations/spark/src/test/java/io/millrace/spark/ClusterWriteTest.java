// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedOptions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ClusterWriteTest {

    private static EmbeddedCluster cluster;

    @BeforeAll
    static void startCluster() {
        cluster = EmbeddedCluster.start(EmbeddedOptions.defaults(), 3, 0);
    }

    @AfterAll
    static void closeCluster() {
        cluster.close();
    }

    @Test
    void rowsAreWrittenToAllNodesAndAnOverwriteRemovesThemFromAllNodes() {
        write("append", 3_000);

        JobReport report = LoadReports.latest().orElseThrow();
        assertThat(report.rowsWritten()).isEqualTo(3_000);
        try (RedisClient client = RedisClient.connect(RedisUri.parse(cluster.uri()))) {
            assertThat(client.call(Server.size())).isEqualTo(3_000);

            write("overwrite", 100);

            assertThat(client.call(Server.size())).isEqualTo(100);
            assertThat(client.call(Hashes.getAll("user:99"))).containsEntry("name", "name 99");
        }
    }

    /** The session of the tests has two slots. */
    @Test
    void connectionsToAllPrimariesAreCounted() {
        assertThatThrownBy(() -> TestSpark.write(
                                TestSpark.people(10, 2),
                                "uri",
                                cluster.uri(),
                                "key",
                                "user:{id}",
                                "as",
                                "hash",
                                "maxConnections",
                                "5")
                        .save())
                .isInstanceOf(SparkLoadException.class)
                .hasMessageContaining(
                        "slots of all executors=2, connections of a task to a primary=1, primaries=3, sum=6,");
    }

    private static void write(String mode, int rows) {
        TestSpark.write(
                        TestSpark.people(rows, 4),
                        "uri",
                        cluster.uri(),
                        "key",
                        "user:{id}",
                        "as",
                        "hash",
                        "verify",
                        "full")
                .mode(mode)
                .save();
    }
}
