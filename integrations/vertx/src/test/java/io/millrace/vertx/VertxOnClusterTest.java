// SPDX-License-Identifier: Apache-2.0
package io.millrace.vertx;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisUri;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.vertx.core.Future;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Commands whose keys have the slots of all nodes of a cluster. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class VertxOnClusterTest {

    private static final int KEYS = 300;

    private static EmbeddedCluster cluster;

    @RegisterExtension
    final TestVertx test = new TestVertx();

    @BeforeAll
    static void startCluster() {
        cluster = EmbeddedCluster.start(EmbeddedOptions.defaults(), 3, 0);
    }

    @AfterAll
    static void closeCluster() {
        cluster.close();
    }

    @Test
    void commandsPipelinesAndTransactionsReachTheNodesOfTheirKeys() throws Exception {
        VertxRedis redis = test.onEventLoop(() -> VertxRedis.connect(
                test.vertx(), TestVertx.options(RedisUri.parse(cluster.uri())).build()));
        List<Command<Optional<String>>> reads =
                IntStream.range(0, KEYS).mapToObj(i -> Strings.get("key-" + i)).toList();

        test.onEventLoop(() -> Future.all(IntStream.range(0, KEYS)
                .mapToObj(i -> redis.send(Strings.set("key-" + i, "value-" + i)))
                .toList()));
        List<Result<Optional<String>>> values = test.onEventLoop(() -> redis.pipeline(reads));
        List<Result<Long>> counts = test.onEventLoop(
                () -> redis.transaction(List.of(Strings.increment("{t}:1"), Strings.increment("{t}:1"))));
        long size = test.onEventLoop(() -> redis.send(Server.size()));

        for (int i = 0; i < KEYS; i++) {
            assertThat(values.get(i).value()).contains("value-" + i);
        }
        assertThat(counts).extracting(Result::value).containsExactly(1L, 2L);
        assertThat(size).isEqualTo(KEYS + 1);
    }
}
