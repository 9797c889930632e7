// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.command.Command;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.internal.time.ClockAndRandom;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Answer;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Handler;
import io.millrace.testkit.ManualClock;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import io.millrace.testkit.StatsCheck;
import io.millrace.testkit.TestCertificates;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * A peer that has disappeared without closing its connections is found by a {@code PING} after silence. The clock moves
 * only if a test advances it.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class DeadPeerTest {

    private static final Duration SILENCE = Duration.ofSeconds(30);
    private static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(10);
    private static final Duration PING_TIMEOUT = Duration.ofSeconds(2);

    private static final Handler OK = Handler.afterHandshake(command -> Answer.reply("+OK\r\n"));
    private static final Handler DEAD = Handler.afterHandshake(command -> Answer.noReply());

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @RegisterExtension
    final StatsCheck stats = new StatsCheck();

    private final ManualClock clock = new ManualClock();

    private RedisClient connect(RedisUri uri, UnaryOperator<ClientOptions.Builder> change) {
        ClientOptions.Builder options = WatchedClients.options(uri)
                .connectTimeout(PING_TIMEOUT)
                .commandTimeout(COMMAND_TIMEOUT)
                .pingAfterSilence(SILENCE)
                .fusion(Fusion.NONE)
                .reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(1));
        RedisClient client =
                RedisClient.connect(change.apply(options).build(), new ClockAndRandom(clock, new Random(1)));
        stats.watch("client", () -> StatsAdapter.of(client.counts()));
        return client;
    }

    private RedisClient connect(FakeRedis server) {
        return connect(WatchedClients.uri(server), UnaryOperator.identity());
    }

    private static Command<String> set(String key) {
        return Strings.set(key, "v");
    }

    /** The names of the commands after the handshake that the server has received over {@code connection}. */
    private static List<String> received(FakeRedis server, int connection) {
        return server.commands().stream()
                .filter(command -> command.connection() == connection)
                .map(ReceivedCommand::name)
                .filter(name -> name.equals("PING") || name.equals("SET") || name.equals("AUTH"))
                .toList();
    }

    private static void awaitReceived(FakeRedis server, int connection, String... names) {
        Eventually.await(
                "the server has received the commands",
                () -> received(server, connection).equals(List.of(names)));
    }

    @Test
    void writeAfterSilenceIsSentOverANewConnectionIfThePeerIsDead() {
        try (FakeRedis server = FakeRedis.start(Handler.perConnection(DEAD, OK));
                RedisClient client = connect(server)) {
            clock.advance(SILENCE);
            CompletableFuture<String> write = client.send(set("k"));
            awaitReceived(server, 0, "PING");

            clock.advance(PING_TIMEOUT);
            awaitReconnection(client);

            assertThat(CommandFate.of(write)).isEqualTo(CommandFate.OK);
            assertThat(received(server, 0)).containsExactly("PING");
            assertThat(received(server, 1)).containsExactly("SET");
            assertThat(client.counts()).isEqualTo(new CommandCounts(1, 1, 0, 0, 0, 0, 0));
            assertThat(log.lines()).anyMatch(line -> line.contains("no reply to a PING within 2000 ms"));
        }
    }

    private void awaitReconnection(RedisClient client) {
        Eventually.await("the client connects again", () -> {
            clock.advance(Duration.ofMillis(1));
            return client.stats().reconnections() == 1 && client.isOpen();
        });
    }

    @Test
    void commandsAfterSilenceFollowTheReplyToThePing() {
        try (FakeRedis server = FakeRedis.start(OK);
                RedisClient client = connect(server)) {
            clock.advance(SILENCE);
            List<CompletableFuture<String>> writes = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                writes.add(client.send(set("k" + i)));
            }

            assertThat(writes)
                    .allSatisfy(write -> assertThat(CommandFate.of(write)).isEqualTo(CommandFate.OK));
            assertThat(client.call(set("later"))).isEqualTo("OK");

            assertThat(received(server, 0)).containsExactly("PING", "SET", "SET", "SET", "SET");
            assertThat(client.counts()).isEqualTo(new CommandCounts(4, 4, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void errorReplyToThePingProvesThatTheServerReplies() {
        Handler refusing = Handler.afterHandshake(
                command -> Answer.reply(command.name().equals("PING") ? "-NOPERM no permission\r\n" : "+OK\r\n"));
        try (FakeRedis server = FakeRedis.start(refusing);
                RedisClient client = connect(server)) {
            clock.advance(SILENCE);

            assertThat(client.call(set("k"))).isEqualTo("OK");

            assertThat(received(server, 0)).containsExactly("PING", "SET");
            assertThat(client.stats().reconnections()).isZero();
        }
    }

    @Test
    void noPingIsSentBeforeTheSilenceIsLongEnough() {
        try (FakeRedis server = FakeRedis.start(OK);
                RedisClient client = connect(server)) {
            clock.advance(SILENCE.minusNanos(1));
            client.call(set("k"));
            clock.advance(SILENCE.minusNanos(1));
            client.call(set("k"));

            assertThat(received(server, 0)).containsExactly("SET", "SET");
        }
    }

    @Test
    void noPingIsSentIfTheOptionIsZero() {
        try (FakeRedis server = FakeRedis.start(OK);
                RedisClient client =
                        connect(WatchedClients.uri(server), options -> options.pingAfterSilence(Duration.ZERO))) {
            clock.advance(Duration.ofHours(25));

            client.call(set("k"));

            assertThat(received(server, 0)).containsExactly("SET");
        }
    }

    @Test
    void commandThatTimesOutDuringThePingIsNotSent() {
        Duration limit = Duration.ofSeconds(1);
        try (FakeRedis server = FakeRedis.start(Handler.perConnection(DEAD, OK));
                RedisClient client = connect(server)) {
            clock.advance(SILENCE);
            CompletableFuture<String> brief = client.send(set("k").within(limit));
            awaitReceived(server, 0, "PING");

            clock.advance(limit);
            assertThat(CommandFate.of(brief)).isEqualTo(CommandFate.TIMED_OUT);
            clock.advance(PING_TIMEOUT.minus(limit));
            awaitReconnection(client);
            assertThat(client.call(set("after"))).isEqualTo("OK");

            assertThat(received(server, 0)).containsExactly("PING");
            assertThat(received(server, 1)).containsExactly("SET");
        }
    }

    @Test
    void limitOfThePingIsHalfOfAShortCommandTimeout() {
        try (FakeRedis server = FakeRedis.start(Handler.perConnection(DEAD, OK));
                RedisClient client = connect(
                        WatchedClients.uri(server), options -> options.commandTimeout(Duration.ofMillis(600)))) {
            clock.advance(SILENCE);
            CompletableFuture<String> write = client.send(set("k"));
            awaitReceived(server, 0, "PING");

            clock.advance(Duration.ofMillis(300));
            awaitReconnection(client);

            assertThat(CommandFate.of(write)).isEqualTo(CommandFate.OK);
        }
    }

    @Test
    void commandOfABorrowedConnectionIsNotSentToADeadPeer() {
        try (FakeRedis server = FakeRedis.start(Handler.perConnection(OK, DEAD));
                RedisClient client = connect(server);
                DedicatedConnection borrowed = client.borrow()) {
            clock.advance(SILENCE);
            CompletableFuture<ConnectionLostException> failure = CompletableFuture.supplyAsync(
                    () -> catchThrowableOfType(ConnectionLostException.class, () -> borrowed.call(set("k"))));
            awaitReceived(server, 1, "PING");
            clock.advance(PING_TIMEOUT);

            assertThat(failure.join().maybeExecuted()).isFalse();
            assertThat(failure.join()).hasMessageContaining("no reply to a PING");
            assertThat(received(server, 1)).containsExactly("PING");
        }
    }

    @Test
    void poolTestsASilentConnectionBeforeTheNextBorrow() {
        try (FakeRedis server = FakeRedis.start(OK);
                RedisClient client = connect(server)) {
            client.borrow().close();
            clock.advance(SILENCE);

            try (DedicatedConnection borrowed = client.borrow()) {
                assertThat(received(server, 1)).isNotEmpty().containsOnly("PING");
                assertThat(borrowed.call(set("k"))).isEqualTo("OK");
            }

            assertThat(server.acceptedConnections()).isEqualTo(2);
            assertThat(client.counts().submitted()).isEqualTo(1);
        }
    }

    @Test
    void poolTestsOneDeadConnectionAndClosesTheOtherSilentConnections() {
        try (FakeRedis server = FakeRedis.start(Handler.perConnection(OK, DEAD, DEAD, DEAD, OK));
                RedisClient client = connect(server)) {
            List<DedicatedConnection> all = List.of(client.borrow(), client.borrow(), client.borrow());
            all.forEach(DedicatedConnection::close);
            clock.advance(SILENCE);
            CompletableFuture<String> reply = CompletableFuture.supplyAsync(() -> {
                try (DedicatedConnection borrowed = client.borrow()) {
                    return borrowed.call(set("k"));
                }
            });
            awaitReceived(server, 3, "PING");
            clock.advance(PING_TIMEOUT);

            assertThat(reply.join()).isEqualTo("OK");

            assertThat(received(server, 1)).isEmpty();
            assertThat(received(server, 2)).isEmpty();
            assertThat(received(server, 4)).containsExactly("SET");
            Eventually.await("the dead connections are closed", () -> server.openConnections() == 2);
            assertThat(client.counts()).isEqualTo(new CommandCounts(1, 1, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void writeAfterSilenceIsExecutedOnceWhenANetworkWithoutForwardingRecovers() {
        try (EmbeddedRedis server = EmbeddedRedis.start();
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port())) {
            writeIsExecutedOnce(network, RedisUri.of(network.host(), network.port()), UnaryOperator.identity());
        }
    }

    @Test
    void writeAfterSilenceOverTlsIsExecutedOnceWhenANetworkWithoutForwardingRecovers(@TempDir Path folder) {
        TestCertificates certificates = new TestCertificates(folder);
        Path valid = certificates.certificate("valid", "ip:127.0.0.1", "-1d", 2);
        EmbeddedOptions options = EmbeddedOptions.defaults()
                .withTls(new EmbeddedOptions.Tls(valid, certificates.key(), certificates.authority(), false));
        try (EmbeddedRedis server = EmbeddedRedis.start(options);
                FaultProxy network =
                        FaultProxy.inFrontOf("127.0.0.1", server.tlsPort().orElseThrow())) {
            writeIsExecutedOnce(
                    network,
                    RedisUri.of(network.host(), network.port()).withTls(),
                    builder -> builder.tls(TlsOptions.DEFAULT.trusting(certificates.authority())));
        }
    }

    private void writeIsExecutedOnce(FaultProxy network, RedisUri uri, UnaryOperator<ClientOptions.Builder> change) {
        try (RedisClient client = connect(
                uri,
                options -> change.apply(options)
                        .connectTimeout(WatchedClients.TIMEOUT)
                        .commandTimeout(Duration.ofHours(1)))) {
            assertThat(client.call(Strings.increment("n"))).isEqualTo(1);
            network.stall(Direction.TO_SERVER);
            network.stall(Direction.TO_CLIENT);
            clock.advance(SILENCE);
            CompletableFuture<Long> write = client.send(Strings.increment("n"));
            Eventually.await("the loss is found", () -> {
                clock.advance(Duration.ofSeconds(1));
                return log.lines().stream().anyMatch(line -> line.contains("no reply to a PING"));
            });

            network.resume(Direction.TO_SERVER);
            network.resume(Direction.TO_CLIENT);
            awaitReconnection(client);

            assertThat(write.join()).isEqualTo(2);
            assertThat(client.call(Strings.increment("n"))).isEqualTo(3);
        }
    }
}
