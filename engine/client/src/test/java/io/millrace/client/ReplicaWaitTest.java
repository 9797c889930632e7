// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tests {@code WAIT} on a real primary with a real replica: the number of replicas counts for the writes of the same
 * connection, and other connections refuse the command.
 */
@ExtendWith(NoThreadLeft.class)
class ReplicaWaitTest {

    private static final Duration SHORT_WAIT = Duration.ofMillis(200);

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private EmbeddedRedis primary;
    private EmbeddedRedis replica;
    private RedisClient client;

    @BeforeEach
    void startServers() {
        primary = EmbeddedRedis.start(EmbeddedOptions.defaults().withConfig("repl-diskless-sync-delay 0"));
        replica = EmbeddedRedis.start(
                EmbeddedOptions.defaults().withConfig("replicaof " + primary.host() + " " + primary.port()));
        client = clients.connect(WatchedClients.uri(primary));
        Eventually.await(
                "the replica is connected",
                () -> client.call(Server.info("replication")).contains("state=online"));
    }

    @AfterEach
    void stopServers() {
        client.close();
        replica.close();
        primary.close();
    }

    @Test
    void replicaIsCountedAfterItReceivedTheWriteOfTheSameConnection() {
        try (DedicatedConnection connection = client.borrow();
                RedisClient readsReplica = clients.connect(WatchedClients.uri(replica))) {
            connection.call(Strings.set("k", "v"));

            long replicas = connection.call(Server.awaitReplicas(1, WatchedClients.TIMEOUT));

            assertThat(replicas).isEqualTo(1);
            assertThat(readsReplica.call(Strings.get("k"))).hasValue("v");
        }
    }

    @Test
    void replicaIsCountedAfterItReceivedTheWritesOfAPipelineAndOfATransaction() {
        try (DedicatedConnection connection = client.borrow();
                RedisClient readsReplica = clients.connect(WatchedClients.uri(replica))) {
            Pipeline pipeline = connection.pipeline();
            pipeline.add(Strings.set("a", "1"));
            pipeline.run();
            Transaction transaction = connection.transaction();
            transaction.add(Strings.set("b", "2"));
            transaction.run();

            assertThat(connection.call(Server.awaitReplicas(1, WatchedClients.TIMEOUT)))
                    .isEqualTo(1);
            assertThat(readsReplica.call(Strings.getAll("a", "b")))
                    .allSatisfy(value -> assertThat(value).isPresent());
        }
    }

    @Test
    void pausedReplicaIsNotCountedBeforeItContinues() {
        try (DedicatedConnection connection = client.borrow()) {
            replica.pause();
            connection.call(Strings.set("k", "v"));

            long whilePaused = connection.call(Server.awaitReplicas(1, SHORT_WAIT));
            replica.resume();
            long afterwards = connection.call(Server.awaitReplicas(1, WatchedClients.TIMEOUT));

            assertThat(whilePaused).isZero();
            assertThat(afterwards).isEqualTo(1);
        }
    }

    @Test
    void stoppedReplicaIsNotCounted() {
        try (DedicatedConnection connection = client.borrow()) {
            replica.kill();
            connection.call(Strings.set("k", "v"));

            assertThat(connection.call(Server.awaitReplicas(1, SHORT_WAIT))).isZero();
        }
    }

    @Test
    void callDoesNotConfirmAWriteThatNoReplicaHas() {
        // The pool now has a connection whose earlier commands precede the write.
        client.borrow().close();
        replica.pause();
        client.call(Strings.set("k", "v"));

        Command<Long> wait = Server.awaitReplicas(1, SHORT_WAIT);
        assertThatThrownBy(() -> assertThat(client.call(wait))
                        .as("replicas that have the write")
                        .isZero())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("WAIT waits for the earlier writes of its own connection")
                .hasMessageEndingWith("RedisClient.borrow().call(command)");
        assertThatThrownBy(() -> client.call(Command.of("wait", 1, 200).blockingFor(SHORT_WAIT)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> client.send(wait)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> client.pipeline().add(wait)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> client.transaction().add(wait)).isInstanceOf(IllegalArgumentException.class);
        replica.resume();
    }

    @Test
    void connectionIsReusedAfterWait() {
        long first;
        try (DedicatedConnection connection = client.borrow()) {
            first = connection.call(Server.clientId());
            connection.call(Server.awaitReplicas(1, WatchedClients.TIMEOUT));
        }
        try (DedicatedConnection connection = client.borrow()) {
            assertThat(connection.call(Server.clientId())).isEqualTo(first);
        }
    }

    @Test
    void waitAfterALostConnectionFailsInsteadOfConfirmingOtherWrites() {
        try (DedicatedConnection connection = client.borrow()) {
            connection.call(Strings.set("k", "v"));
            client.call(Command.of("CLIENT KILL", "ID", connection.call(Server.clientId())));

            assertThatThrownBy(() -> connection.call(Server.awaitReplicas(1, SHORT_WAIT)))
                    .isInstanceOf(ConnectionLostException.class);
        }
    }
}
