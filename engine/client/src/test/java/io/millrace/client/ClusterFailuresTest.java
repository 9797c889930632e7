// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clusters in which a slot has no node, or a node refuses the client. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ClusterFailuresTest {

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @Test
    void commandOfASlotWithoutNodeIsLostAndNamesTheSlot() {
        try (FakeCluster cluster = FakeCluster.start(1)) {
            cluster.assign(0, FakeCluster.NO_NODE);
            try (RedisClient client = clients.connect(cluster.uri())) {
                long start = System.nanoTime();

                assertThatThrownBy(() -> client.call(Strings.set("a", "1")))
                        .isInstanceOf(ConnectionLostException.class)
                        .hasMessageContaining("slot 15495 has no usable node");

                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(WatchedClients.SHORT_LIMIT);
                assertThat(client.call(Strings.set("b", "1"))).isEqualTo("OK");
                assertThat(client.isOpen()).isFalse();
            }
        }
    }

    @Test
    void serverThatIsNoNodeOfAClusterIsNamed() {
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(
                command -> Answer.reply("-ERR This instance has cluster support disabled\r\n")))) {
            RedisUri uri = RedisUri.cluster(List.of(new RedisUri.Tcp(server.host(), server.port())));

            assertThatThrownBy(() -> clients.connect(uri))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining(
                            server.host() + ":" + server.port() + ": ERR This instance has cluster support disabled")
                    .hasMessageContaining("whether the servers are nodes of a cluster");
        }
    }

    @Test
    void clusterWithoutSlotsIsRefused() {
        try (FakeCluster cluster = FakeCluster.start(1)) {
            cluster.assign(FakeCluster.NO_NODE);

            assertThatThrownBy(() -> clients.connect(cluster.uri()))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("the node knows no slots");
        }
    }

    @Test
    void eachCallRedirectedToANewNodeThatRefusesTheLoginIsLostWithTheReason() {
        try (FakeCluster cluster = FakeCluster.start(1);
                FakeRedis refusing = refusingNode();
                RedisClient client = clients.connect(cluster.uri())) {
            cluster.answer(0, command -> FakeCluster.redirectToPort("ASK", "b", refusing.port()));

            // The first call makes the client open the node. The other calls come after the refusal.
            for (int i = 0; i < 3; i++) {
                assertLostBecauseOfTheLogin(client);
            }
        }
    }

    @Test
    void callRedirectedToANodeThatRefusedTheLoginAtTheStartIsLostWithTheReason() {
        try (FakeCluster cluster = FakeCluster.start(1);
                FakeRedis refusing = refusingNode()) {
            cluster.assignSecondHalfTo(refusing);
            try (RedisClient client = clients.connect(cluster.uri())) {
                cluster.answer(0, command -> FakeCluster.redirectToPort("MOVED", "b", refusing.port()));

                assertLostBecauseOfTheLogin(client);
            }
        }
    }

    private static FakeRedis refusingNode() {
        return FakeRedis.start(command -> Answer.reply("-WRONGPASS invalid password\r\n"));
    }

    /** The slot of the key {@code b} is in the first half. */
    private static void assertLostBecauseOfTheLogin(RedisClient client) {
        assertThatThrownBy(() -> client.call(Strings.get("b")))
                .isInstanceOf(ConnectionLostException.class)
                .hasMessageContaining("WRONGPASS");
    }

    @Test
    void nodeWithAnotherPasswordIsNamed() {
        try (FakeRedis guarded = FakeRedis.start(
                        command -> Answer.reply("-WRONGPASS invalid username-password pair or user is disabled.\r\n"));
                FakeCluster cluster = FakeCluster.start(1)) {
            cluster.assignSecondHalfTo(guarded);
            try (RedisClient client = clients.connect(cluster.uri())) {
                long start = System.nanoTime();

                assertThatThrownBy(() -> client.call(Strings.set("a", "1")))
                        .isInstanceOf(ConnectionLostException.class)
                        .hasMessageContaining("slot 15495 has no usable node")
                        .hasMessageContaining(guarded.host() + ":" + guarded.port())
                        .hasMessageContaining("WRONGPASS");

                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(WatchedClients.SHORT_LIMIT);
                assertThat(client.call(Strings.set("b", "1"))).isEqualTo("OK");
            }
        }
    }

    @Test
    void commandForAllPrimariesIsLostIfOneOfThemRefusesTheLogin() {
        try (FakeRedis guarded = FakeRedis.start(
                        command -> Answer.reply("-WRONGPASS invalid username-password pair or user is disabled.\r\n"));
                FakeCluster cluster = FakeCluster.start(1)) {
            cluster.assignSecondHalfTo(guarded);
            try (RedisClient client = clients.connect(cluster.uri())) {
                CompletableFuture<Long> size = client.send(Server.size());

                assertThatThrownBy(size::join)
                        .hasCauseInstanceOf(ConnectionLostException.class)
                        .hasMessageContaining("DBSIZE was lost: these primaries have no connection: " + guarded.host()
                                + ":" + guarded.port());
                assertThatThrownBy(() -> client.call(Server.size())).isInstanceOf(ConnectionLostException.class);
                assertThat(client.counts()).isEqualTo(new CommandCounts(2, 0, 0, 0, 0, 2, 0));
            }
        }
    }

    @Test
    void nodeWithoutTlsIsNamed() {
        try (EmbeddedRedis plain = EmbeddedRedis.start()) {
            RedisUri uri = RedisUri.cluster(List.of(new RedisUri.Tcp(plain.host(), plain.port())))
                    .withTls();

            assertThatThrownBy(() -> clients.connect(uri, options -> options.connectTimeout(Duration.ofMillis(500))))
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining(plain.host() + ":" + plain.port() + ": ")
                    .hasMessageContaining("TLS");
        }
    }
}
