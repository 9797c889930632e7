// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.CommandCounts;
import io.millrace.client.KeySlot;
import io.millrace.client.NodeCounts;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.load.LoadReport;
import io.millrace.load.LoadReportJson;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.metric.CustomTaskMetric;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
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
        LoadReport sum = LoadReportJson.parse(report.json());
        assertThat(sum.details().nodes()).hasSize(3);
        assertThat(sum.details().nodes().stream()
                        .map(NodeCounts::commands)
                        .reduce(CommandCounts.NONE, CommandCounts::plus))
                .isEqualTo(sum.commands());
        try (RedisClient client = RedisClient.connect(RedisUri.parse(cluster.uri()))) {
            assertThat(client.call(Server.size())).isEqualTo(3_000);

            write("overwrite", 100);

            assertThat(client.call(Server.size())).isEqualTo(100);
            assertThat(client.call(Hashes.getAll("user:99"))).containsEntry("name", "name 99");
        }
    }

    /** The client of the task knows the old owner of the slot. */
    @Test
    void redirectsAreCounted() throws Exception {
        JobPlan plan = JobPlan.of(
                "q",
                WriteOptions.of(Map.of("uri", cluster.uri(), "key", "moved:{id}", "as", "hash")),
                new StructType().add("id", DataTypes.LongType));
        int slot = KeySlot.of("moved:7");
        try (SharedClients.Loan loan = SharedClients.OF_THIS_JVM.borrow(plan.server(), ConnectPatience.none());
                DataWriter<InternalRow> writer = new AttemptFactory(plan, Optional.empty()).createWriter(0, 1)) {
            assertThat(loan.client().call(Hashes.getAll("moved:7"))).isEmpty();
            EmbeddedRedis owner = cluster.primaryOf(slot);
            cluster.moveSlot(
                    slot,
                    cluster.nodes().stream()
                            .filter(node -> node != owner)
                            .findFirst()
                            .orElseThrow());

            writer.writeAll(List.<InternalRow>of(new GenericInternalRow(new Object[] {7L}))
                    .iterator());

            assertThat(writer.currentMetricsValues())
                    .filteredOn(metric -> metric.name().equals(Redirects.NAME))
                    .extracting(CustomTaskMetric::value)
                    .containsExactly(1L);
            assertThat(loan.client().call(Keys.delete("moved:7"))).isEqualTo(1);
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
