// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.command.Command;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.RefusalMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ReconnectTest {

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @Test
    void clientReconnectsAfterALongOutageAndSendsTheWaitingCommands() throws Exception {
        try (EmbeddedRedis first = EmbeddedRedis.start();
                EmbeddedRedis second = EmbeddedRedis.start();
                FaultProxy port = FaultProxy.inFrontOf(first.host(), first.port());
                RedisClient client = RedisClient.connect(ClientOptions.builder(RedisUri.of(port.host(), port.port()))
                        .connectTimeout(Duration.ofSeconds(60))
                        .connections(1)
                        .commandTimeout(WatchedClients.TIMEOUT)
                        .build())) {
            assertThat(client.call(Strings.set("k", "v"))).isEqualTo("OK");

            port.refuseConnections(RefusalMode.CLOSED_PORT);
            first.kill();
            Eventually.await("the loss is noticed", () -> !client.isOpen());
            List<CompletableFuture<String>> duringOutage = new ArrayList<>();
            duringOutage.add(client.send(Strings.set("first", "v")));
            // This outage is usually long enough for the reconnect delay to grow to its maximum of one second.
            sleep(Duration.ofMillis(1_500));
            duringOutage.add(client.send(Strings.set("second", "v")));
            port.forwardTo(second.host(), second.port());
            port.acceptConnections();
            long back = System.nanoTime();
            String answer = client.call(Strings.set("third", "v"));
            Duration took = Duration.ofNanos(System.nanoTime() - back);

            System.out.println("back after " + took.toMillis() + " ms");
            assertThat(answer).isEqualTo("OK");
            // The guarantee is two seconds. The test allows more time, because the machine may be busy.
            assertThat(took).isLessThan(WatchedClients.SHORT_LIMIT);
            for (CompletableFuture<String> future : duringOutage) {
                assertThat(future.get(60, TimeUnit.SECONDS)).isEqualTo("OK");
            }
            assertThat(client.isOpen()).isTrue();
            assertThat(client.stats().reconnections()).isOne();
        }
    }

    @Test
    void commandsFailAtOnceWhileTheLoginIsRefusedAndWorkAfterALaterLogin() throws Exception {
        Handler silent = Handler.afterHandshake(command -> Answer.noReply());
        Handler refusing =
                command -> Answer.reply("-WRONGPASS invalid username-password pair or user is disabled.\r\n");
        Handler answering = Handler.afterHandshake(command -> Answer.reply("+OK\r\n"));
        try (FakeRedis server = FakeRedis.start(Handler.perConnection(silent, refusing, refusing, answering));
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = clients.connect(
                        RedisUri.of(network.host(), network.port()).withPassword("marked-secret"),
                        options -> options.fusion(Fusion.NONE)
                                .reconnectDelay(Duration.ofMillis(1), Duration.ofSeconds(1)))) {
            CompletableFuture<String> write = client.send(Strings.set("k", "v"));
            CompletableFuture<?> read = client.send(Strings.get("k"));
            server.awaitCommands(4, WatchedClients.TIMEOUT);
            long before = System.nanoTime();

            network.disconnectAll(ConnectionEnd.RESET);
            CommandFate ofWrite = CommandFate.of(write);
            CommandFate ofRead = CommandFate.of(read);
            ConnectionLostException later =
                    catchThrowableOfType(ConnectionLostException.class, () -> client.call(Strings.get("later")));

            // All three commands fail long before their timeout.
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(WatchedClients.SHORT_LIMIT);
            assertThat(ofWrite).isEqualTo(CommandFate.LOST_SENT);
            assertThat(ofRead).isEqualTo(CommandFate.LOST_SENT);
            assertThat(later).hasMessageContaining("WRONGPASS");
            assertThat(later.maybeExecuted()).isFalse();
            assertThat(client.isOpen()).isFalse();
            assertThat(client.counts()).isEqualTo(new CommandCounts(3, 0, 0, 0, 0, 3, 0));
            Eventually.await("the third login succeeds", client::isOpen);
            assertThat(client.call(Strings.set("k", "v"))).isEqualTo("OK");
            // Two logins are refused. A delay of half a second or more follows each of them.
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isGreaterThan(Duration.ofMillis(990));
            assertThat(server.acceptedConnections()).isEqualTo(4);
            assertThat(client.stats().reconnections()).isOne();
        }
    }

    /** The second connection is accepted, but the server never replies to its handshake. */
    @Test
    void timedOutCommandsReleaseTheirPermitsDuringAConnectionAttempt() {
        Handler answering = Handler.afterHandshake(command -> Answer.reply("+OK\r\n"));
        Handler silent = command -> Answer.noReply();
        try (FakeRedis server = FakeRedis.start(Handler.perConnection(answering, silent));
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = clients.connect(
                        RedisUri.of(network.host(), network.port()),
                        options -> options.connectTimeout(Duration.ofMinutes(10))
                                .connections(1)
                                .inFlight(2)
                                .overflow(Overflow.REFUSE))) {
            network.disconnectAll(ConnectionEnd.RESET);
            Eventually.await("the client connects again", () -> server.acceptedConnections() == 2);

            for (int round = 0; round < 3; round++) {
                Command<String> command = Strings.set("k", "v").within(Duration.ofMillis(20));
                List<CompletableFuture<String>> sent = List.of(client.send(command), client.send(command));

                for (CompletableFuture<String> future : sent) {
                    assertThatThrownBy(() -> future.get(60, TimeUnit.SECONDS))
                            .hasCauseInstanceOf(TimedOutException.class)
                            .hasMessageContaining("phase=not connected")
                            .hasMessageContaining("The connection was lost and not replaced in time");
                }
                Eventually.await(
                        "the permits are released",
                        () -> client.stats().connections().getFirst().inFlight() == 0);
            }
            assertThat(client.counts()).isEqualTo(new CommandCounts(6, 0, 0, 6, 0, 0, 0));
        }
    }

    /** Waits for a fixed time. The test uses this method only where it cannot wait for an event. */
    private static void sleep(Duration time) {
        for (long end = System.nanoTime() + time.toNanos(); System.nanoTime() - end < 0; ) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }
}
