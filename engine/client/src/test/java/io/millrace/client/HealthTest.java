// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.SHORT_LIMIT;
import static io.millrace.client.WatchedClients.TIMEOUT;
import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.command.Server;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the health check with a server that works, is paused, is killed, or replies only on some connections. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class HealthTest {

    private static final Duration SHORT = Duration.ofMillis(300);

    /** Timeout of a health check. It is longer than a PING takes on a busy machine. */
    private static final Duration WORKING = Duration.ofSeconds(3);

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @Test
    void healthCheckSucceedsOnEverySharedConnectionOfAWorkingServer() {
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RedisClient client = clients.connect(uri(server), options -> options.connections(3))) {

            Health health = client.health(TIMEOUT);

            assertThat(health.healthy()).isTrue();
            assertThat(health.connections().stream().map(Health.Check::connection))
                    .containsExactly("1", "2", "3");
            assertThat(health.connections())
                    .allMatch(check -> check.problem().isEmpty()
                            && check.took().isPositive()
                            && check.took().compareTo(TIMEOUT) < 0);
            assertThat(client.counts()).isEqualTo(new CommandCounts(3, 3, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void healthCheckReportsAPausedServerAfterItsTimeout() {
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RedisClient client = clients.connect(uri(server), options -> options.connections(2))) {
            server.pause();
            long before = System.nanoTime();

            Health health = client.health(SHORT);

            Duration took = Duration.ofNanos(System.nanoTime() - before);
            server.resume();
            assertThat(took).isBetween(SHORT, SHORT_LIMIT);
            assertThat(health.healthy()).isFalse();
            assertThat(health.connections())
                    .hasSize(2)
                    .allSatisfy(check -> assertThat(check.problem().orElseThrow())
                            .startsWith("PING timed out after 300 ms: endpoint=" + server.host() + ":" + server.port()
                                    + ", connection=" + check.connection() + ", phase=sent"));
            Eventually.await(
                    "the late replies are counted", () -> client.stats().lateReplies() == 2);
            assertThat(client.health(TIMEOUT).healthy()).isTrue();
        }
    }

    @Test
    void healthCheckReportsAKilledServerWithoutALongDelay() {
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RedisClient client = clients.connect(uri(server))) {
            server.kill();
            Eventually.await("the loss is noticed", () -> !client.isOpen());
            long before = System.nanoTime();

            Health health = client.health(SHORT);

            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SHORT_LIMIT);
            assertThat(health.connections().getFirst().problem().orElseThrow()).contains("phase=not connected");
        }
    }

    @Test
    void workingConnectionIsHealthyAlthoughAnotherConnectionIsSilent() {
        CountDownLatch never = new CountDownLatch(1);
        Handler handler = Handler.afterHandshake(command -> {
            Answer pong = Answer.reply("+PONG\r\n");
            return command.connection() == 0 ? pong.heldUntil(never) : pong;
        });
        try (FakeRedis fake = FakeRedis.start(handler);
                RedisClient client = clients.connect(uri(fake), options -> options.connections(2))) {

            Health health = client.health(WORKING);

            Health.Check silent = health.connections().getFirst();
            Health.Check answering = health.connections().getLast();
            assertThat(silent.problem()).isPresent();
            assertThat(silent.took()).isGreaterThanOrEqualTo(WORKING);
            assertThat(answering.problem()).isEmpty();
            assertThat(answering.took()).isLessThan(WORKING);
            never.countDown();
        }
    }

    @Test
    void connectionWithoutAFreePermitIsReportedAndTheNextConnectionIsStillChecked() {
        CountDownLatch released = new CountDownLatch(1);
        Handler handler = Handler.afterHandshake(command -> {
            Answer pong = Answer.reply("+PONG\r\n");
            return command.connection() == 0 ? pong.heldUntil(released) : pong;
        });
        try (FakeRedis fake = FakeRedis.start(handler);
                RedisClient client = clients.connect(
                        uri(fake), options -> options.connections(2).inFlight(1))) {
            CompletableFuture<String> sent = onFirstConnection(client);

            Health health = client.health(SHORT);

            assertThat(health.connections().getFirst().problem().orElseThrow())
                    .startsWith("PING was refused after")
                    .contains("phase=waiting for a permit");
            assertThat(health.connections().getLast().problem()).isEmpty();
            released.countDown();
            assertThat(sent.join()).isEqualTo("PONG");
        }
    }

    /**
     * Sends a PING over the first of two connections. The id of the calling thread selects the connection: 32
     * consecutive ids select the first connection, the next 32 ids select the second connection, and so on. So the
     * method creates threads until the id of a thread selects the first connection.
     */
    private static CompletableFuture<String> onFirstConnection(RedisClient client) {
        CompletableFuture<CompletableFuture<String>> sent = new CompletableFuture<>();
        Thread thread = Thread.ofVirtual().unstarted(() -> sent.complete(client.send(Server.ping())));
        while (thread.threadId() / 32 % 2 != 0) {
            thread = Thread.ofVirtual().unstarted(() -> sent.complete(client.send(Server.ping())));
        }
        thread.start();
        return sent.join();
    }

    @Test
    void interruptedHealthCheckThrowsInsteadOfReportingTheServerUnhealthy() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(
                        command -> Answer.reply("+PONG\r\n").heldUntil(released)));
                RedisClient client = clients.connect(uri(fake), options -> options.connections(2))) {
            CompletableFuture<Throwable> thrown = new CompletableFuture<>();
            Thread caller =
                    Thread.ofVirtual().start(() -> thrown.complete(catchThrowable(() -> client.health(TIMEOUT))));
            Eventually.await(
                    "both connections are checked", () -> client.counts().pending() == 2);

            caller.interrupt();

            assertThat(thrown.get(60, TimeUnit.SECONDS)).isInstanceOf(InterruptedCommandException.class);
            released.countDown();
        }
    }

    @Test
    void closedClientIsUnhealthyAndZeroTimeoutIsRejected() {
        try (EmbeddedRedis server = EmbeddedRedis.start()) {
            RedisClient client = clients.connect(uri(server));
            assertThatThrownBy(() -> client.health(Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("1 ms to");
            client.close();

            Health health = client.health(TIMEOUT);

            assertThat(health.healthy()).isFalse();
            assertThat(health.connections().getFirst().problem().orElseThrow()).contains("closed by this client");
            assertThat(client.isOpen()).isFalse();
        }
    }
}
