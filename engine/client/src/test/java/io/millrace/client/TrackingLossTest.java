// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.PATIENCE;
import static io.millrace.client.WatchedClients.SOON;
import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.ConnectException.Reason;
import io.millrace.client.Invalidation.Cause;
import io.millrace.client.Invalidation.Everything;
import io.millrace.client.Invalidation.Keys;
import io.millrace.client.internal.Surroundings;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Answer;
import io.millrace.testkit.Direction;
import io.millrace.testkit.Ending;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Handler;
import io.millrace.testkit.ManualClock;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import io.millrace.testkit.Refusal;
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

/** Tracking over a bad network and with servers that misbehave: what is not known is everything. */
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
        return tracking.poll(PATIENCE).orElseThrow();
    }

    @ParameterizedTest
    @EnumSource(Ending.class)
    void anythingMayHaveChangedWhileTheConnectionWasGone(Ending ending) {
        try (RedisClient writer = clients.connect(uri(server));
                RedisClient client = clients.connect(throughProxy());
                Tracking tracking = client.track(USERS.withQuiet(Duration.ofMillis(150)))) {
            for (int round = 1; round <= 3; round++) {
                proxy.refuseConnections(Refusal.RESET);
                proxy.disconnectAll(ending);

                assertThat(next(tracking)).isEqualTo(new Everything(Cause.LOST));
                assertThat(tracking.isEstablished()).isFalse();

                writer.call(Strings.set("user:meanwhile", "is not told by name"));
                proxy.acceptConnections();

                assertThat(next(tracking)).isEqualTo(new Everything(Cause.ESTABLISHED));
                Eventually.await("it is established again", tracking::isEstablished);
                writer.call(Strings.set("user:" + round, "is"));
                assertThat(next(tracking)).isEqualTo(new Keys(List.of("user:" + round)));
            }
        }
    }

    @Test
    void whoSeesItEstablishedAgainSeesEverythingWait() {
        try (RedisClient client = clients.connect(throughProxy());
                Tracking tracking = client.track(USERS)) {
            for (int round = 0; round < 20; round++) {
                proxy.disconnectAll(Ending.RESET);
                Eventually.await("the loss is noticed", () -> !tracking.isEstablished());
                while (tracking.poll(Duration.ZERO).isPresent()) {
                    // That it was lost, which is not what this is about.
                }

                while (!tracking.isEstablished()) {
                    Thread.onSpinWait();
                }

                assertThat(tracking.waiting()).isEqualTo(1);
                assertThat(tracking.poll(Duration.ZERO)).contains(new Everything(Cause.ESTABLISHED));
            }
        }
    }

    @Test
    void aHalfOpenConnectionIsNotTrustedForLong() {
        Duration quiet = Duration.ofMillis(200);
        try (RedisClient client = clients.connect(throughProxy());
                Tracking tracking = client.track(USERS.withQuiet(quiet))) {
            proxy.refuseConnections(Refusal.RESET);
            proxy.disconnectAll(Ending.SILENCE);
            long before = System.nanoTime();

            Eventually.await("it is not trusted any more", () -> !tracking.isEstablished());
            Duration trusted = Duration.ofNanos(System.nanoTime() - before);
            Invalidation told = next(tracking);
            Duration noticed = Duration.ofNanos(System.nanoTime() - before);

            // By the clock, so whatever else the machine does meanwhile; Eventually looks each millisecond.
            assertThat(trusted).isLessThan(quiet.multipliedBy(2).plusMillis(100));
            assertThat(told).isEqualTo(new Everything(Cause.LOST));
            assertThat(noticed).isLessThan(SOON);
        }
    }

    @Test
    void whatIsEstablishedIsProvenAndNotBelieved() {
        ManualClock clock = new ManualClock();
        Duration quiet = Duration.ofSeconds(1);
        Surroundings surroundings = new Surroundings(clock, Surroundings.SYSTEM.random());
        try (RedisClient client = RedisClient.connect(
                        WatchedClients.options(throughProxy()).build(), surroundings);
                Tracking tracking = client.track(USERS.withQuiet(quiet))) {
            proxy.stall(Direction.TO_CLIENT);
            clock.advance(quiet.multipliedBy(2));
            boolean atTheLimit = tracking.isEstablished();

            clock.advance(Duration.ofNanos(1));
            boolean beyondIt = tracking.isEstablished();
            proxy.resume(Direction.TO_CLIENT);
            Eventually.await("the next answer to PING is a proof", tracking::isEstablished);

            assertThat(atTheLimit).isTrue();
            assertThat(beyondIt).isFalse();
            // The connection was there all the time, and nothing was missed.
            assertThat(tracking.waiting()).isZero();
        }
    }

    @Test
    void anotherServerInTheSamePlaceIsFollowed() {
        try (EmbeddedRedis second = EmbeddedRedis.start();
                RedisClient client = clients.connect(throughProxy());
                RedisClient writer = clients.connect(uri(second));
                Tracking tracking = client.track(USERS)) {
            proxy.forwardTo(second.host(), second.port());

            proxy.disconnectAll(Ending.RESET);
            Eventually.await("the loss is noticed", () -> tracking.waiting() == 1);
            Eventually.await("it is established again", tracking::isEstablished);
            Invalidation sum = next(tracking);
            writer.call(Strings.set("user:1", "x"));

            assertThat(sum).isInstanceOf(Everything.class);
            assertThat(next(tracking)).isEqualTo(new Keys(List.of("user:1")));
        }
    }

    // What the server may do to us.

    @Test
    void pingsAreSentThoughItIsNeverQuiet() {
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(TrackingLossTest::echo));
                RedisClient client = clients.connect(uri(fake));
                Tracking tracking = client.track(USERS.withQuiet(Duration.ofMillis(50)))) {
            int[] said = {0};

            Eventually.await("five PINGs came", () -> {
                fake.say(1, invalidate("user:" + said[0]++ % 10));
                return fake.commands().stream()
                                .filter(command -> command.name().equals("PING"))
                                .count()
                        >= 5;
            });

            assertThat(tracking.poll(PATIENCE)).get().isInstanceOf(Keys.class);
            assertThat(fake.acceptedConnections()).isEqualTo(2);
        }
    }

    @Test
    void theRequestsGoOutTogether() {
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(TrackingLossTest::echo));
                RedisClient client = clients.connect(uri(fake));
                Tracking tracking = client.track(TrackingOptions.prefixes("a:", "b:"))) {

            List<String> lines = fake.commands().stream()
                    .filter(command -> command.connection() == 1)
                    .map(ReceivedCommand::line)
                    .toList();

            assertThat(tracking.isEstablished()).isTrue();
            assertThat(lines.subList(lines.size() - 3, lines.size() - 1))
                    .containsExactly("HELLO 3", "CLIENT TRACKING ON BCAST PREFIX a: PREFIX b:");
            assertThat(lines.getLast()).matches("PING -?\\d+");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {Handler.NO_RESP3, Handler.HELLO_UNKNOWN, "*2\r\n$5\r\nproto\r\n:2\r\n"})
    void aServerThatSpeaksResp2AloneIsRefused(String hello) {
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(hello, TrackingLossTest::echo));
                RedisClient client = clients.connect(uri(fake))) {

            ConnectException refused = catchThrowableOfType(ConnectException.class, () -> client.track(USERS));

            assertThat(refused.reason()).isEqualTo(Reason.HANDSHAKE);
            assertThat(refused).hasMessageContainingAll("cannot track keys at redis://", "It takes RESP3");
            assertThat(refused.getMessage())
                    .containsAnyOf("HELLO 3 is refused: " + hello.substring(1).strip(), "it does not speak RESP3");
            fake.awaitDisconnections(1, PATIENCE);
        }
    }

    @Test
    void aRightThatIsTakenAwayIsAskedForAgainWithPatience() {
        Handler good = Handler.afterHandshake(TrackingLossTest::echo);
        Handler refusing = Handler.afterHandshake(command -> Answer.reply("-NOPERM User has no permissions\r\n"));
        try (FakeRedis fake = FakeRedis.start(Handler.inTurn(good, good, refusing, refusing, good));
                RedisClient client = clients.connect(
                        uri(fake), options -> options.reconnectDelay(Duration.ofMillis(5), Duration.ofMillis(20)));
                Tracking tracking = client.track(USERS)) {

            fake.say(1, Answer.end(Ending.CLOSE));
            fake.awaitConnections(5, PATIENCE);
            Eventually.await("it is established again", tracking::isEstablished);

            assertThat(next(tracking)).isEqualTo(new Everything(Cause.ESTABLISHED));
            assertThat(log.warnings().stream().filter(line -> line.contains("PING is refused: NOPERM")))
                    .hasSizeBetween(1, 2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"+PONG\r\n", "\u0016\u0003\u0001\r\n", "-ERR stray\r\n", "$1\r\nx\r\n"})
    void anAnswerThatCannotBeIsTheEndOfTheConnection(String stray) {
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(TrackingLossTest::echo));
                RedisClient client = clients.connect(uri(fake));
                Tracking tracking = client.track(USERS)) {

            fake.say(1, Answer.reply(stray));
            fake.awaitConnections(3, PATIENCE);
            Eventually.await("it is established again", tracking::isEstablished);

            assertThat(next(tracking)).isInstanceOf(Everything.class);
            fake.say(2, invalidate("user:1"));
            assertThat(next(tracking)).isEqualTo(new Keys(List.of("user:1")));
        }
    }

    @Test
    void pushesOfOtherKindsArePassedOverAndWhatIsNotUnderstoodIsEverything() {
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(TrackingLossTest::echo));
                RedisClient client = clients.connect(uri(fake));
                Tracking tracking = client.track(USERS)) {
            fake.say(1, Answer.push("message", "news", "fine"));
            fake.say(1, Answer.reply(">1\r\n:1\r\n"));
            fake.say(1, Answer.push("invalidate"));
            Optional<Invalidation> nothing = tracking.poll(Duration.ofMillis(50));

            fake.say(1, Answer.reply(">2\r\n$10\r\ninvalidate\r\n:5\r\n"));
            Invalidation odd = next(tracking);
            fake.say(1, Answer.reply(">2\r\n$10\r\ninvalidate\r\n_\r\n"));
            Invalidation flushed = next(tracking);

            assertThat(nothing).isEmpty();
            assertThat(odd).isEqualTo(new Everything(Cause.FLUSHED));
            assertThat(flushed).isEqualTo(new Everything(Cause.FLUSHED));
        }
    }

    private static Answer invalidate(String key) {
        return Answer.reply(">2\r\n$10\r\ninvalidate\r\n*1\r\n$" + key.length() + "\r\n" + key + "\r\n");
    }

    /** Answers PING as a server does. */
    private static Answer echo(ReceivedCommand command) {
        String said = command.arguments().size() < 2 ? "" : command.text(1);
        return Answer.reply("$" + said.length() + "\r\n" + said + "\r\n");
    }
}
