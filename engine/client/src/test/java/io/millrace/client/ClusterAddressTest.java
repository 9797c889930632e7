// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectException;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.resp.Reply;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests clients of a cluster whose nodes announce ports on which nobody listens. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ClusterAddressTest {

    private static final String KEY = "{moving}:";
    private static final int SLOT = KeySlot.of(KEY);

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private static EmbeddedCluster cluster;
    private static AddressMap map;

    @BeforeAll
    static void announceOtherPorts() {
        cluster = EmbeddedCluster.start(EmbeddedOptions.defaults(), 3, 0);
        List<EmbeddedRedis> nodes = cluster.nodes();
        List<String> entries = new ArrayList<>();
        for (int i = 0; i < nodes.size(); i++) {
            // The ports 1 to 3: only the superuser could listen there.
            ask(nodes.get(i), "CONFIG SET", "cluster-announce-port", Integer.toString(i + 1));
            entries.add("127.0.0.1:" + (i + 1) + "=127.0.0.1:" + nodes.get(i).port());
        }
        map = AddressMap.of(entries);
        for (EmbeddedRedis node : nodes) {
            Eventually.await(
                    "the node knows the announced ports",
                    () -> IntStream.rangeClosed(1, nodes.size())
                            .allMatch(port -> ask(node, "CLUSTER NODES").contains("127.0.0.1:" + port + "@")));
        }
    }

    @AfterAll
    static void end() {
        cluster.close();
    }

    private static String ask(EmbeddedRedis node, String name, Object... arguments) {
        try (RedisClient client = RedisClient.connect(WatchedClients.uri(node))) {
            Reply reply = client.call(Command.of(name, arguments));
            return reply instanceof Reply.BulkString text ? text.text() : reply.toString();
        }
    }

    /** The client knows one node, so that it learns all addresses from the cluster. */
    private static RedisUri oneNode() {
        EmbeddedRedis first = cluster.nodes().getFirst();
        return RedisUri.cluster(List.of(new RedisUri.Tcp(first.host(), first.port())));
    }

    private static EmbeddedRedis otherThan(EmbeddedRedis node) {
        return cluster.nodes().get((cluster.nodes().indexOf(node) + 1) % 3);
    }

    private RedisClient connect() {
        return clients.connect(oneNode(), options -> options.addressMap(map));
    }

    @Test
    void clientWithoutTheMapReachesNoNode() {
        assertThatThrownBy(() -> clients.connect(oneNode(), options -> options.connectTimeout(Duration.ofSeconds(2))))
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("cannot connect to redis://127.0.0.1:");
    }

    @Test
    void eachNodeIsReachedAtItsMappedAddress() {
        try (RedisClient client = connect()) {
            for (int i = 0; i < 100; i++) {
                client.call(Strings.set("key-" + i, "v"));
            }

            assertThat(client.call(Server.size())).isGreaterThanOrEqualTo(100);
            assertThat(client.stats().connections())
                    .extracting(ConnectionStats::name)
                    .allMatch(
                            name -> cluster.nodes().stream().anyMatch(node -> name.contains(":" + node.port() + "/")));
        }
    }

    @Test
    void redirectsLeadToMappedAddresses() {
        try (RedisClient client = connect()) {
            client.call(Strings.set(KEY + "a", "1"));
            EmbeddedRedis target = otherThan(cluster.primaryOf(SLOT));

            cluster.beginMove(SLOT, target);
            // The owner has no such key, so it answers ASK.
            client.call(Strings.set(KEY + "b", "2"));
            assertThat(ask(target, "CLUSTER COUNTKEYSINSLOT", SLOT)).contains("1");
            cluster.finishMove(SLOT);

            // MOVED.
            assertThat(client.call(Strings.get(KEY + "a"))).isEqualTo(Optional.of("1"));
            assertThat(client.call(Strings.get(KEY + "b"))).isEqualTo(Optional.of("2"));
            assertThat(client.counts().error()).isZero();
        }
    }

    @Test
    void bulkWriterFollowsRedirectsToMappedAddresses() {
        List<Outcome> outcomes = new ArrayList<>();
        try (RedisClient client = connect();
                BulkWriter writer =
                        client.bulkWriter(BulkOptions.DEFAULT, (tag, command, outcome) -> outcomes.add(outcome))) {
            writer.begin(Strings.SET).arg(KEY + "c").arg("1").end(1);
            writer.finish();

            cluster.moveSlot(SLOT, otherThan(cluster.primaryOf(SLOT)));
            writer.begin(Strings.SET).arg(KEY + "d").arg("2").end(2);
            writer.finish();

            assertThat(outcomes).hasSize(2).allMatch(Outcome.Ok.class::isInstance);
            assertThat(client.call(Strings.get(KEY + "d"))).isEqualTo(Optional.of("2"));
        }
    }
}
