// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Keys;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectException;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedRedis;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of a bulk writer over a cluster that loses a primary. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterBulkLossTest {

    private static final int COMMANDS = 30_000;
    private static final int KILLED_AT = 10_000;

    /** The killed primary has the first third of the slots. */
    private static final int FIRST_SLOT_ELSEWHERE = (KeySlot.COUNT + 2) / 3;

    /** Number of commands until the test looks whether the writer is open. */
    private static final int STEP = 500;

    @Test
    void lostNodeEndsTheWriterAndTheNextWriterContinuesWithTheReplica() {
        try (EmbeddedCluster cluster = EmbeddedCluster.start();
                RedisClient client = RedisClient.connect(
                        WatchedClients.options(RedisUri.parse(cluster.uri())).build())) {
            EmbeddedRedis doomed = cluster.primaryOf(0);
            BulkRecorder first = new BulkRecorder();
            int written = 0;
            try (BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, first)) {
                for (; written < COMMANDS && (written % STEP != 0 || writer.isOpen()); written++) {
                    if (written == KILLED_AT) {
                        doomed.kill();
                    }
                    writer.begin(Lists.RPUSH).arg(key(written)).arg(written).end(written);
                }
                writer.finish();

                assertThat(writer.isOpen()).isFalse();
                assertThat(writer.counts().pending()).isZero();
                assertThat(client.counts()).isEqualTo(writer.counts());
                List<NodeCounts> nodes = writer.nodes();
                writer.close();
                assertThat(writer.nodes()).isEqualTo(nodes);
                assertThat(okOf(nodes)).isEqualTo(writer.counts().ok());
                assertThat(nodes)
                        .filteredOn(node -> node.node().equals("127.0.0.1:" + doomed.port()))
                        .allMatch(node -> node.commands().lost() > 0)
                        .hasSize(1);
            }
            assertThat(first.outcomes).hasSize(written);
            assertThat(first.count(Outcome.Lost.class)).isPositive();
            long lostElsewhere = first.outcomes.entrySet().stream()
                    .filter(entry -> entry.getValue() instanceof Outcome.Lost lost && lost.maybeExecuted())
                    .filter(entry -> KeySlot.of(key(entry.getKey().intValue())) >= FIRST_SLOT_ELSEWHERE)
                    .count();
            assertThat(lostElsewhere).isZero();

            awaitAllPrimaries(client);
            BulkRecorder second = new BulkRecorder();
            try (BulkWriter writer = openLater(client, second)) {
                for (int i = 0; i < COMMANDS; i++) {
                    writer.begin(Strings.SET).arg("second:" + i).arg(i).end(i);
                }
                for (int i = 0; i < written; i++) {
                    writer.begin(Keys.EXISTS).arg(key(i)).end(COMMANDS + i);
                }
                writer.finish();

                assertThat(second.count(Outcome.Ok.class)).as(second::others).isEqualTo(COMMANDS + written);
            }
        }
    }

    private static long okOf(List<NodeCounts> nodes) {
        return nodes.stream().mapToLong(node -> node.commands().ok()).sum();
    }

    private static String key(int number) {
        return "list:" + number % 5_000;
    }

    /** After a promotion, the other primaries answer {@code CLUSTERDOWN} for a moment, and the calls wait for the end of this state. */
    private static void awaitAllPrimaries(RedisClient client) {
        for (int i = 0; i < 100; i++) {
            client.call(Strings.set("probe:" + i, ""));
        }
    }

    private static BulkWriter openLater(RedisClient client, BulkListener listener) {
        BulkWriter[] opened = new BulkWriter[1];
        Eventually.await("the replica is promoted", () -> {
            try {
                opened[0] = client.bulkWriter(BulkOptions.DEFAULT, listener);
                return true;
            } catch (ConnectException e) {
                return false;
            }
        });
        return opened[0];
    }
}
