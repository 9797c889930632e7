// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.RefusalMode;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests clients that start before their server. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ConnectLaterTest {

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @Test
    void clientStartsWithoutAServerAndSendsTheWaitingCommandsOverItsFirstConnections() throws Exception {
        Set<String> names = ConcurrentHashMap.newKeySet();
        CommandListener listener = command -> names.add(command.name());
        try (EmbeddedRedis server = EmbeddedRedis.start();
                FaultProxy port = FaultProxy.inFrontOf(server.host(), server.port())) {
            port.refuseConnections(RefusalMode.CLOSED_PORT);
            try (RedisClient client = clients.connect(
                    RedisUri.of(port.host(), port.port()),
                    options -> options.connectLater(true).connections(2).commandListener(listener))) {
                CompletableFuture<String> waiting = client.send(Strings.set("k", "v"));
                assertThat(client.isOpen()).isFalse();
                Eventually.await(
                        "an attempt fails",
                        () -> log.warnings().stream().anyMatch(line -> line.contains("cannot connect to")));

                port.acceptConnections();

                assertThat(waiting.get(60, TimeUnit.SECONDS)).isEqualTo("OK");
                assertThat(client.health(WatchedClients.TIMEOUT).healthy()).isTrue();
                assertThat(client.isOpen()).isTrue();
                assertThat(client.call(Strings.get("k"))).contains("v");
                assertThat(client.stats().reconnections()).isZero();
                assertThat(names).containsExactlyInAnyOrder("SET", "GET", "PING");
                assertThat(log.warnings()).noneMatch(line -> line.contains("lost the connection"));
            }
        }
    }

    @Test
    void commandThatFindsNoServerTimesOutAndTheMessageHasTheReason() {
        try (FaultProxy port = FaultProxy.inFrontOf("127.0.0.1", 1)) {
            port.refuseConnections(RefusalMode.CLOSED_PORT);
            try (RedisClient client =
                    clients.connect(RedisUri.of(port.host(), port.port()), options -> options.connectLater(true))) {
                Eventually.await("an attempt fails", () -> !log.warnings().isEmpty());

                assertThatThrownBy(() -> client.call(Server.ping().within(Duration.ofMillis(50))))
                        .isInstanceOf(TimedOutException.class)
                        .hasMessageContaining("phase=not connected")
                        .hasMessageContaining("The client has not been connected so far: cannot connect to redis://")
                        .hasMessageEndingWith("The command was not executed");
            }
        }
    }

    @Test
    void commandsAreLostAtOnceWhileTheServerRefusesTheFirstLogin() {
        try (EmbeddedRedis server =
                        EmbeddedRedis.start(EmbeddedOptions.defaults().withPassword("secret"));
                RedisClient client =
                        clients.connect(WatchedClients.uri(server), options -> options.connectLater(true))) {
            Eventually.await("the login is refused", () -> !log.warnings().isEmpty());

            assertThatThrownBy(() -> client.call(Server.ping()))
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("NOAUTH");
        }
    }

    @Test
    void lostConnectionIsReplacedAndCounted() throws Exception {
        try (EmbeddedRedis server = EmbeddedRedis.start();
                FaultProxy port = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client =
                        clients.connect(RedisUri.of(port.host(), port.port()), options -> options.connectLater(true))) {
            assertThat(client.call(Server.ping())).isEqualTo("PONG");

            port.disconnectAll(ConnectionEnd.RESET);

            assertThat(client.call(Strings.set("k", "v").idempotently())).isEqualTo("OK");
            Eventually.await("the connection is replaced", () -> client.stats().reconnections() == 1);
        }
    }

    @Test
    void clientThatNeverConnectedCanBeClosed() {
        try (FaultProxy port = FaultProxy.inFrontOf("127.0.0.1", 1)) {
            port.refuseConnections(RefusalMode.CLOSED_PORT);
            RedisClient client =
                    clients.connect(RedisUri.of(port.host(), port.port()), options -> options.connectLater(true));
            CompletableFuture<String> waiting = client.send(Server.ping());

            client.close();

            assertThatThrownBy(() -> waiting.get(60, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("maybeExecuted=false");
        }
    }
}
