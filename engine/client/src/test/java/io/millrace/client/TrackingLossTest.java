// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.SHORT_LIMIT;
import static io.millrace.client.WatchedClients.TIMEOUT;
import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.Invalidation.Cause;
import io.millrace.client.Invalidation.ChangedKeys;
import io.millrace.client.Invalidation.Everything;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
import io.millrace.client.internal.time.ClockAndRandom;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Handler;
import io.millrace.testkit.ManualClock;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import io.millrace.testkit.RefusalMode;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests tracking of changed keys ({@code CLIENT TRACKING}) over a faulty network and with faulty servers. When
 * invalidations may be missing, the client reports all keys as changed.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class TrackingLossTest {

    private static final TrackingOptions USERS = TrackingOptions.prefixes("user:");

    private static EmbeddedRedis server;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    private FaultProxy proxy;

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void openProxy() {
        proxy = FaultProxy.inFrontOf(server.host(), server.port());
    }

    @AfterEach
    void closeProxy() {
        proxy.close();
    }

    private RedisUri throughProxy() {
        return RedisUri.of(proxy.host(), proxy.port());
    }

    private static Invalidation next(Tracking tracking) {
        return tracking.poll(TIMEOUT).orElseThrow();
    }

    @ParameterizedTest
    @EnumSource(ConnectionEnd.class)
    void connectionLossInvalidatesAllKeys(ConnectionEnd connectionEnd) {
        // Only a silent connection is detected by a missing reply to PING, so only this case needs a short interval.
        Duration pingInterval = connectionEnd == ConnectionEnd.SILENCE ? Duration.ofSeconds(1) : TIMEOUT;
        try (RedisClient writer = clients.connect(uri(server));
                RedisClient client = clients.connect(throughProxy());
                Tracking tracking = client.track(USERS.withPingInterval(pingInterval))) {
            for (int round = 1; round <= 2; round++) {
                proxy.refuseConnections(RefusalMode.RESET);
                proxy.disconnectAll(connectionEnd);

                assertThat(next(tracking)).isEqualTo(new Everything(Cause.CONNECTION_LOST));
                assertThat(tracking.isUpToDate()).isFalse();

                writer.call(Strings.set("user:meanwhile", "not reported by its name"));
                proxy.acceptConnections();

                assertThat(next(tracking)).isEqualTo(new Everything(Cause.RECONNECTED));
                Eventually.await("tracking is established again", tracking::isUpToDate);
                writer.call(Strings.set("user:" + round, "is"));
                assertThat(next(tracking)).isEqualTo(new ChangedKeys(List.of("user:" + round)));
            }
        }
    }

    @Test
    void invalidationOfAllKeysIsQueuedBeforeTrackingIsEstablishedAgain() {
        try (RedisClient client = clients.connect(throughProxy());
                Tracking tracking = client.track(USERS)) {
            for (int round = 0; round < 20; round++) {
                proxy.refuseConnections(RefusalMode.RESET);
                proxy.disconnectAll(ConnectionEnd.RESET);
                Eventually.await("the loss is noticed", () -> !tracking.isUpToDate());
                while (tracking.poll(Duration.ZERO).isPresent()) {
                    // Skips the invalidations that the lost connection caused, because this test does not check them.
                }

                proxy.acceptConnections();
                while (!tracking.isUpToDate()) {
                    Thread.onSpinWait();
                }

                assertThat(tracking.waiting()).isEqualTo(1);
                assertThat(tracking.poll(Duration.ZERO)).contains(new Everything(Cause.RECONNECTED));
            }
        }
    }

    @Test
    void trackingOverASilentConnectionStaysUpToDateOnlyForAShortTime() {
        Duration quiet = Duration.ofMillis(200);
        try (RedisClient client = clients.connect(throughProxy());
                Tracking tracking = client.track(USERS.withPingInterval(quiet))) {
            proxy.refuseConnections(RefusalMode.RESET);
            proxy.disconnectAll(ConnectionEnd.SILENCE);
            long before = System.nanoTime();

            Eventually.await("the connection is no longer trusted", () -> !tracking.isUpToDate());
            Duration trusted = Duration.ofNanos(System.nanoTime() - before);
            Invalidation received = next(tracking);
            Duration noticed = Duration.ofNanos(System.nanoTime() - before);

            // This limit is not exact. The next test checks the exact limit with a manual clock.
            assertThat(trusted).isLessThan(SHORT_LIMIT);
            assertThat(received).isEqualTo(new Everything(Cause.CONNECTION_LOST));
            assertThat(noticed).isLessThan(SHORT_LIMIT);
        }
    }

    @Test
    void trackingIsUpToDateOnlyAfterARecentReplyToPing() {
        ManualClock clock = new ManualClock();
        Duration quiet = Duration.ofSeconds(1);
        ClockAndRandom clockAndRandom = new ClockAndRandom(clock, ClockAndRandom.SYSTEM.random());
        try (RedisClient client = RedisClient.connect(
                        WatchedClients.options(throughProxy()).build(), clockAndRandom);
                Tracking tracking = client.track(USERS.withPingInterval(quiet))) {
            proxy.stall(Direction.TO_CLIENT);
            clock.advance(quiet.multipliedBy(2));
            boolean atTheLimit = tracking.isUpToDate();

            clock.advance(Duration.ofNanos(1));
            boolean beyondTheLimit = tracking.isUpToDate();
            proxy.resume(Direction.TO_CLIENT);
            Eventually.await("the next reply to PING is a proof", tracking::isUpToDate);

            assertThat(atTheLimit).isTrue();
            assertThat(beyondTheLimit).isFalse();
            // The connection was not closed, so the client reports no invalidation.
            assertThat(tracking.waiting()).isZero();
        }
    }

    @Test
    void keysAreTrackedOnTheReplacementServerAfterAReconnect() {
        try (EmbeddedRedis second = EmbeddedRedis.start();
                RedisClient client = clients.connect(throughProxy());
                RedisClient writer = clients.connect(uri(second));
                Tracking tracking = client.track(USERS)) {
            proxy.forwardTo(second.host(), second.port());

            proxy.disconnectAll(ConnectionEnd.RESET);
            Eventually.await("the loss is noticed", () -> tracking.waiting() == 1);
            Eventually.await("tracking is established again", tracking::isUpToDate);
            Invalidation sum = next(tracking);
            writer.call(Strings.set("user:1", "x"));

            assertThat(sum).isInstanceOf(Everything.class);
            assertThat(next(tracking)).isEqualTo(new ChangedKeys(List.of("user:1")));
        }
    }

    // Faults of the server.

    @Test
    void pingsAreSentAlsoWhileInvalidationsArrive() {
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(TrackingLossTest::echo));
                RedisClient client = clients.connect(uri(fake));
                Tracking tracking = client.track(USERS.withPingInterval(Duration.ofMillis(500)))) {
            int[] count = {0};

            Eventually.await("three PINGs are received", () -> {
                fake.send(1, invalidate("user:" + count[0]++ % 10));
                return fake.commands().stream()
                                .filter(command -> command.name().equals("PING"))
                                .count()
                        >= 3;
            });

            assertThat(tracking.poll(TIMEOUT)).get().isInstanceOf(ChangedKeys.class);
            assertThat(fake.acceptedConnections()).isEqualTo(2);
        }
    }

    @Test
    void commandsThatEstablishTrackingAreSentTogether() {
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(TrackingLossTest::echo));
                RedisClient client = clients.connect(uri(fake));
                Tracking tracking = client.track(TrackingOptions.prefixes("a:", "b:"))) {

            List<String> lines = fake.commands().stream()
                    .filter(command -> command.connection() == 1)
                    .map(ReceivedCommand::line)
                    .toList();

            assertThat(tracking.isUpToDate()).isTrue();
            assertThat(lines.subList(lines.size() - 3, lines.size() - 1))
                    .containsExactly("HELLO 3", "CLIENT TRACKING ON BCAST PREFIX a: PREFIX b:");
            assertThat(lines.getLast()).matches("PING -?\\d+");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Handler.NO_RESP3, Handler.HELLO_UNKNOWN, "*2\r\n$5\r\nproto\r\n:2\r\n"})
    void trackingIsRejectedIfTheServerDoesNotSupportResp3(String hello) {
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(hello, TrackingLossTest::echo));
                RedisClient client = clients.connect(uri(fake))) {

            ConnectException refused = catchThrowableOfType(ConnectException.class, () -> client.track(USERS));

            assertThat(refused.reason()).isEqualTo(Reason.HANDSHAKE);
            assertThat(refused).hasMessageContainingAll("cannot track keys at redis://", "Tracking needs RESP3");
            assertThat(refused.getMessage())
                    .containsAnyOf(
                            "HELLO 3 is refused: " + hello.substring(1).strip(), "the server does not speak RESP3");
            fake.awaitDisconnections(1, TIMEOUT);
        }
    }

    @Test
    void trackingRefusedAfterAReconnectIsRetriedWithBackoff() {
        Handler good = Handler.afterHandshake(TrackingLossTest::echo);
        Handler refusing = Handler.afterHandshake(command -> Answer.reply("-NOPERM User has no permissions\r\n"));
        try (FakeRedis fake = FakeRedis.start(Handler.perConnection(good, good, refusing, refusing, good));
                RedisClient client = clients.connect(
                        uri(fake), options -> options.reconnectDelay(Duration.ofMillis(5), Duration.ofMillis(20)));
                Tracking tracking = client.track(USERS)) {

            fake.send(1, Answer.end(ConnectionEnd.CLOSE));
            fake.awaitConnections(5, TIMEOUT);
            Eventually.await("tracking is established again", tracking::isUpToDate);

            assertThat(next(tracking)).isEqualTo(new Everything(Cause.RECONNECTED));
            assertThat(log.warnings().stream().filter(line -> line.contains("PING is refused: NOPERM")))
                    .hasSizeBetween(1, 2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"+PONG\r\n", "\u0016\u0003\u0001\r\n", "-ERR stray\r\n", "$1\r\nx\r\n"})
    void unexpectedReplyClosesTheConnectionAndInvalidatesAllKeys(String stray) {
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(TrackingLossTest::echo));
                RedisClient client = clients.connect(uri(fake));
                Tracking tracking = client.track(USERS)) {

            fake.send(1, Answer.reply(stray));
            fake.awaitConnections(3, TIMEOUT);
            Eventually.await("tracking is established again", tracking::isUpToDate);

            assertThat(next(tracking)).isInstanceOf(Everything.class);
            fake.send(2, invalidate("user:1"));
            assertThat(next(tracking)).isEqualTo(new ChangedKeys(List.of("user:1")));
        }
    }

    @Test
    void pushOfAnotherKindIsIgnoredAndAMalformedInvalidationInvalidatesAllKeys() {
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(TrackingLossTest::echo));
                RedisClient client = clients.connect(uri(fake));
                Tracking tracking = client.track(USERS)) {
            fake.send(1, Answer.push("message", "news", "fine"));
            fake.send(1, Answer.reply(">1\r\n:1\r\n"));
            fake.send(1, Answer.push("invalidate"));
            Optional<Invalidation> nothing = tracking.poll(Duration.ofMillis(50));

            fake.send(1, Answer.reply(">2\r\n$10\r\ninvalidate\r\n:5\r\n"));
            Invalidation odd = next(tracking);
            fake.send(1, Answer.reply(">2\r\n$10\r\ninvalidate\r\n_\r\n"));
            Invalidation flushed = next(tracking);

            assertThat(nothing).isEmpty();
            assertThat(odd).isEqualTo(new Everything(Cause.FLUSHED));
            assertThat(flushed).isEqualTo(new Everything(Cause.FLUSHED));
        }
    }

    private static Answer invalidate(String key) {
        return Answer.reply(">2\r\n$10\r\ninvalidate\r\n*1\r\n$" + key.length() + "\r\n" + key + "\r\n");
    }

    /** Replies with the first argument of the command, as a server replies to PING. */
    private static Answer echo(ReceivedCommand command) {
        String text = command.arguments().size() < 2 ? "" : command.text(1);
        return Answer.reply("$" + text.length() + "\r\n" + text + "\r\n");
    }
}
