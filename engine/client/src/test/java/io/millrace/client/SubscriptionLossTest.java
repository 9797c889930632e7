// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.PATIENCE;
import static io.millrace.client.WatchedClients.SOON;
import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.ConnectException.Reason;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Answer;
import io.millrace.testkit.Direction;
import io.millrace.testkit.Ending;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Faults;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import io.millrace.testkit.Refusal;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Subscriptions over a bad network: a lost connection is noticed, replaced and counted. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SubscriptionLossTest {

    private static final Topics NEWS = Topics.channels("news");

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

    @ParameterizedTest
    @CsvSource({"RESET, RESP3", "CLOSE, RESP2", "SILENCE, RESP3", "SILENCE, RESP2"})
    void aLostConnectionIsReplacedAndCountedAsAGap(Ending ending, Protocol protocol) {
        try (RedisClient publisher = clients.connect(uri(server));
                RedisClient client = clients.connect(
                        throughProxy(), options -> options.protocol(protocol).commandTimeout(Duration.ofMillis(150)));
                Subscription subscription = client.subscribe(NEWS)) {
            for (int round = 1; round <= 3; round++) {
                int gaps = round;

                proxy.disconnectAll(ending);
                Eventually.await("the loss is noticed", () -> subscription.gaps() == gaps);
                Eventually.await("it is confirmed again", subscription::isOpen);

                publisher.call(PubSub.publish("news", "message " + round));
                assertThat(subscription.poll(PATIENCE).orElseThrow().text()).isEqualTo("message " + round);
            }
            assertThat(subscription.gaps()).isEqualTo(3);
        }
    }

    @Test
    void anOutageOfAnyLengthIsOneGapAndIsReportedEverMoreRarely() {
        try (RedisClient publisher = clients.connect(uri(server));
                RedisClient client = clients.connect(
                        throughProxy(),
                        options -> options.commandTimeout(Duration.ofMillis(50))
                                .reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(5)));
                Subscription subscription = client.subscribe(NEWS)) {
            int accepted = proxy.acceptedConnections();
            proxy.refuseConnections(Refusal.RESET);
            proxy.disconnectAll(Ending.RESET);
            proxy.awaitRefused(100, PATIENCE);

            proxy.acceptConnections();
            Eventually.await("it is confirmed again", subscription::isOpen);
            publisher.call(PubSub.publish("news", "after it"));

            assertThat(subscription.poll(PATIENCE)).isPresent();
            assertThat(subscription.gaps()).isEqualTo(1);
            // One for the subscription, one for the shared connection.
            Eventually.await("both are back", () -> proxy.acceptedConnections() - accepted >= 2);
            assertThat(proxy.acceptedConnections() - accepted).isEqualTo(2);
            assertThat(log.warnings()).hasSizeLessThan(20);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aQuietConnectionIsAskedForASignOfLifeAndKept(Protocol protocol) {
        try (RedisClient client = clients.connect(
                        throughProxy(), options -> options.protocol(protocol).commandTimeout(Duration.ofMillis(40)));
                Subscription subscription = client.subscribe(NEWS)) {
            int accepted = proxy.acceptedConnections();
            long asked = proxy.forwardedBytes(Direction.TO_SERVER);

            assertThat(subscription.poll(Duration.ofMillis(400))).isEmpty();

            assertThat(proxy.forwardedBytes(Direction.TO_SERVER)).isGreaterThan(asked);
            assertThat(proxy.acceptedConnections()).isEqualTo(accepted);
            assertThat(subscription.gaps()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void messagesThatTrickleInAreWholeThoughItIsQuietInTheirMiddle(Protocol protocol) {
        Random random = new Random(3);
        try (RedisClient publisher = clients.connect(uri(server));
                RedisClient client = clients.connect(
                        throughProxy(), options -> options.protocol(protocol).commandTimeout(Duration.ofMillis(250)));
                Subscription subscription = client.subscribe(NEWS)) {
            proxy.faults(
                    Direction.TO_CLIENT, Faults.NONE.withBytesPerSecond(1_000).withWriteBytes(1));
            for (int i = 0; i < 5; i++) {
                byte[] payload = new byte[60];
                random.nextBytes(payload);

                publisher.call(Command.of("PUBLISH", "news", payload));
                proxy.stall(Direction.TO_CLIENT);
                assertThat(subscription.poll(Duration.ofMillis(150 + 50 * i))).isEmpty();
                proxy.resume(Direction.TO_CLIENT);

                assertThat(subscription.poll(PATIENCE).orElseThrow().payload()).isEqualTo(payload);
            }
            assertThat(subscription.gaps()).isZero();
        }
    }

    // What the server may do to us.

    @Test
    void aServerThatDoesNotConfirmIsATypedErrorAndLeavesNothing() {
        Handler silent = Handler.afterHandshake(command -> Answer.nothing());
        try (FakeRedis fake = FakeRedis.start(silent);
                RedisClient client =
                        clients.connect(uri(fake), options -> options.commandTimeout(Duration.ofMillis(100)))) {

            ConnectException failure = catchThrowableOfType(ConnectException.class, () -> client.subscribe(NEWS));

            assertThat(failure.reason()).isEqualTo(Reason.HANDSHAKE);
            assertThat(failure)
                    .hasMessageContainingAll("cannot subscribe at redis://", "no confirmation came within 100 ms");
            fake.awaitDisconnections(1, PATIENCE);
        }
    }

    @Test
    void whoIsInterruptedWhileSubscribingLeavesNothing() throws Exception {
        Handler silent = Handler.afterHandshake(command -> Answer.nothing());
        try (FakeRedis fake = FakeRedis.start(silent);
                RedisClient client = clients.connect(uri(fake))) {
            CompletableFuture<Throwable> thrown = new CompletableFuture<>();
            Thread subscriber =
                    Thread.ofVirtual().start(() -> thrown.complete(catchThrowable(() -> client.subscribe(NEWS))));
            fake.awaitConnections(2, PATIENCE);

            subscriber.interrupt();

            assertThat(thrown.get(5, TimeUnit.SECONDS)).isInstanceOf(InterruptedCommandException.class);
            fake.awaitDisconnections(1, PATIENCE);
        }
    }

    @Test
    void closingDoesNotWaitForAConnectionThatIsBeingMade() {
        Handler good = Handler.afterHandshake(SubscriptionLossTest::confirm);
        Handler deaf = command -> Answer.nothing();
        try (FakeRedis fake = FakeRedis.start(Handler.inTurn(good, good, deaf));
                RedisClient client = clients.connect(uri(fake))) {
            Subscription subscription = client.subscribe(NEWS);
            fake.say(1, Answer.end(Ending.CLOSE));
            fake.awaitConnections(3, PATIENCE);
            long before = System.nanoTime();

            subscription.close();

            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SOON);
            fake.awaitDisconnections(2, PATIENCE);
        }
    }

    @Test
    void aRightThatIsTakenAwayIsAskedForAgainWithPatience() {
        Handler good = Handler.afterHandshake(SubscriptionLossTest::confirm);
        Handler refusing =
                Handler.afterHandshake(command -> Answer.reply("-NOPERM No permissions to access a channel\r\n"));
        try (FakeRedis fake = FakeRedis.start(Handler.inTurn(good, good, refusing, refusing, refusing, good));
                RedisClient client = clients.connect(
                        uri(fake), options -> options.reconnectDelay(Duration.ofMillis(5), Duration.ofMillis(20)));
                Subscription subscription = client.subscribe(NEWS)) {

            fake.say(1, Answer.end(Ending.CLOSE));
            fake.awaitConnections(6, PATIENCE);
            Eventually.await("it is confirmed again", subscription::isOpen);

            assertThat(subscription.gaps()).isEqualTo(1);
            assertThat(log.warnings().stream().filter(line -> line.contains("channel \"news\" is refused: NOPERM")))
                    .hasSizeBetween(1, 2);
        }
    }

    @Test
    void garbageEndsTheConnectionAndTheNextOneIsFine() {
        Handler good = Handler.afterHandshake(SubscriptionLossTest::confirm);
        try (FakeRedis fake = FakeRedis.start(good);
                RedisClient client = clients.connect(uri(fake));
                Subscription subscription = client.subscribe(NEWS)) {

            fake.say(1, Answer.reply("\u0016\u0003\u0001\r\n"));
            fake.awaitConnections(3, PATIENCE);
            Eventually.await("it is confirmed again", subscription::isOpen);
            fake.say(2, Answer.push("message", "news", "fine"));

            assertThat(subscription.poll(PATIENCE).orElseThrow().text()).isEqualTo("fine");
            assertThat(subscription.gaps()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatIsNoMessageIsPassedOver(Protocol protocol) {
        Handler good = Handler.afterHandshake(SubscriptionLossTest::confirm);
        try (FakeRedis fake = FakeRedis.start(good);
                RedisClient client = clients.connect(uri(fake), options -> options.protocol(protocol));
                Subscription subscription = client.subscribe(NEWS)) {
            for (String stray : new String[] {
                "+PONG\r\n", "*0\r\n", "*2\r\n$4\r\npong\r\n$0\r\n\r\n", ">1\r\n:1\r\n", "$-1\r\n", "-ERR stray\r\n"
            }) {
                fake.say(1, Answer.reply(stray));
            }
            fake.say(1, Answer.reply("*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$4\r\nfine\r\n"));

            assertThat(subscription.poll(PATIENCE).orElseThrow().text()).isEqualTo("fine");
            assertThat(subscription.waiting() + subscription.gaps()).isZero();
        }
    }

    private static Answer confirm(ReceivedCommand command) {
        return Answer.reply(">3\r\n$9\r\nsubscribe\r\n$4\r\n" + command.text(1) + "\r\n:1\r\n");
    }
}
