// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.SHORT_LIMIT;
import static io.millrace.client.WatchedClients.TIMEOUT;
import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.command.Command;
import io.millrace.client.command.PubSub;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ConnectException.Reason;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Faults;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import io.millrace.testkit.RefusalMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests subscriptions over a faulty network. A lost connection is detected, replaced and counted as a gap. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SubscriptionLossTest {

    private static final SubscribeOptions NEWS = SubscribeOptions.channels("news");

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
    @EnumSource(ConnectionEnd.class)
    void lostConnectionIsReplacedAndCountedAsAGap(ConnectionEnd connectionEnd) throws Exception {
        withEachProtocol(protocol -> replaceAndCount(connectionEnd, protocol));
    }

    private void replaceAndCount(ConnectionEnd connectionEnd, Protocol protocol) {
        // Only a silent connection is detected by a missing reply to PING, so only this case needs a short timeout.
        Duration timeout = connectionEnd == ConnectionEnd.SILENCE ? Duration.ofSeconds(1) : TIMEOUT;
        try (FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient publisher = clients.connect(uri(server));
                RedisClient client = clients.connect(
                        RedisUri.of(network.host(), network.port()),
                        options -> options.protocol(protocol).commandTimeout(timeout));
                Subscription subscription = client.subscribe(SubscribeOptions.channels("news " + protocol))) {
            for (int round = 1; round <= 2; round++) {
                int gaps = round;

                network.disconnectAll(connectionEnd);
                Eventually.await("the loss is noticed", () -> subscription.gaps() == gaps);
                Eventually.await("the subscription is confirmed again", subscription::isOpen);

                publisher.call(PubSub.publish("news " + protocol, "message " + round));
                assertThat(subscription.poll(TIMEOUT).orElseThrow().text()).isEqualTo("message " + round);
            }
            assertThat(subscription.gaps()).isEqualTo(2);
        }
    }

    /**
     * Runs {@code test} twice at the same time, with RESP2 and with RESP3. This saves time, because the test mostly
     * waits.
     */
    private static void withEachProtocol(Consumer<Protocol> test) throws Exception {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> running = new ArrayList<>();
            for (Protocol protocol : Protocol.values()) {
                running.add(executor.submit(() -> test.accept(protocol)));
            }
            for (Future<?> one : running) {
                one.get();
            }
        }
    }

    @Test
    void outageIsCountedAsOneGapAndOnlySomeFailedReconnectsAreLogged() {
        try (RedisClient publisher = clients.connect(uri(server));
                RedisClient client = clients.connect(
                        throughProxy(),
                        options -> options.commandTimeout(TIMEOUT)
                                .reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(5)));
                Subscription subscription = client.subscribe(NEWS)) {
            int accepted = proxy.acceptedConnections();
            proxy.refuseConnections(RefusalMode.RESET);
            proxy.disconnectAll(ConnectionEnd.RESET);
            proxy.awaitRefused(100, TIMEOUT);

            proxy.acceptConnections();
            Eventually.await("the subscription is confirmed again", subscription::isOpen);
            publisher.call(PubSub.publish("news", "after the outage"));

            assertThat(subscription.poll(TIMEOUT)).isPresent();
            assertThat(subscription.gaps()).isEqualTo(1);
            // One connection for the subscription and one shared connection.
            Eventually.await("both connections are back", () -> proxy.acceptedConnections() - accepted >= 2);
            assertThat(proxy.acceptedConnections() - accepted).isEqualTo(2);
            assertThat(log.warnings()).hasSizeLessThan(20);
        }
    }

    @Test
    void idleSubscriptionConnectionIsPingedAndStaysOpen() throws Exception {
        withEachProtocol(this::stayIdle);
    }

    private void stayIdle(Protocol protocol) {
        try (FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = clients.connect(
                        RedisUri.of(network.host(), network.port()),
                        options -> options.protocol(protocol).commandTimeout(Duration.ofSeconds(1)));
                Subscription subscription = client.subscribe(NEWS)) {
            int accepted = network.acceptedConnections();
            long bytesBefore = network.forwardedBytes(Direction.TO_SERVER);

            // The connection counts as lost after two seconds without a reply. The poll lasts longer.
            assertThat(subscription.poll(Duration.ofMillis(2_500))).isEmpty();

            assertThat(network.forwardedBytes(Direction.TO_SERVER)).isGreaterThan(bytesBefore);
            assertThat(network.acceptedConnections()).isEqualTo(accepted);
            assertThat(subscription.gaps()).isZero();
        }
    }

    @Test
    void messageThatArrivesWithAPauseInTheMiddleIsReadCompletely() throws Exception {
        withEachProtocol(this::readInterruptedMessages);
    }

    private void readInterruptedMessages(Protocol protocol) {
        Random random = new Random(3);
        String channel = "news " + protocol;
        try (FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient publisher = clients.connect(uri(server));
                RedisClient client = clients.connect(
                        RedisUri.of(network.host(), network.port()),
                        options -> options.protocol(protocol).commandTimeout(Duration.ofSeconds(1)));
                Subscription subscription = client.subscribe(SubscribeOptions.channels(channel))) {
            network.faults(
                    Direction.TO_CLIENT, Faults.NONE.withBytesPerSecond(1_000).withWriteBytes(1));
            for (int i = 0; i < 5; i++) {
                byte[] payload = new byte[60];
                random.nextBytes(payload);
                long bytesBefore = network.forwardedBytes(Direction.TO_SERVER);

                publisher.call(Command.of("PUBLISH", channel, payload));
                network.stall(Direction.TO_CLIENT);
                if (i % 2 == 0) {
                    assertThat(subscription.poll(Duration.ofMillis(50))).isEmpty();
                } else {
                    // Waits until the client sends a PING. The client sends the PING because no bytes arrive.
                    network.awaitForwarded(Direction.TO_SERVER, bytesBefore + 1, TIMEOUT);
                    assertThat(subscription.waiting()).isZero();
                }
                network.resume(Direction.TO_CLIENT);

                assertThat(subscription.poll(TIMEOUT).orElseThrow().payload()).isEqualTo(payload);
            }
            assertThat(subscription.gaps()).isZero();
        }
    }

    // Faults of the server.

    @Test
    void subscribeWithoutAConfirmationFailsAndLeavesNoConnection() {
        Handler silent = Handler.afterHandshake(command -> Answer.noReply());
        try (FakeRedis fake = FakeRedis.start(silent);
                RedisClient client =
                        clients.connect(uri(fake), options -> options.commandTimeout(Duration.ofSeconds(1)))) {

            ConnectException failure = catchThrowableOfType(ConnectException.class, () -> client.subscribe(NEWS));

            assertThat(failure.reason()).isEqualTo(Reason.HANDSHAKE);
            assertThat(failure)
                    .hasMessageContainingAll("cannot subscribe at redis://", "no confirmation arrived within 1000 ms");
            fake.awaitDisconnections(1, TIMEOUT);
        }
    }

    @Test
    void interruptedSubscribeLeavesNoConnection() throws Exception {
        Handler silent = Handler.afterHandshake(command -> Answer.noReply());
        try (FakeRedis fake = FakeRedis.start(silent);
                RedisClient client = clients.connect(uri(fake))) {
            CompletableFuture<Throwable> thrown = new CompletableFuture<>();
            Thread subscriber =
                    Thread.ofVirtual().start(() -> thrown.complete(catchThrowable(() -> client.subscribe(NEWS))));
            fake.awaitConnections(2, TIMEOUT);

            subscriber.interrupt();

            assertThat(thrown.get(60, TimeUnit.SECONDS)).isInstanceOf(InterruptedCommandException.class);
            fake.awaitDisconnections(1, TIMEOUT);
        }
    }

    @Test
    void closeOfASubscriptionDoesNotWaitForAConnectAttempt() {
        Handler good = Handler.afterHandshake(SubscriptionLossTest::confirm);
        Handler silent = command -> Answer.noReply();
        try (FakeRedis fake = FakeRedis.start(Handler.perConnection(good, good, silent));
                RedisClient client = clients.connect(uri(fake))) {
            Subscription subscription = client.subscribe(NEWS);
            fake.send(1, Answer.end(ConnectionEnd.CLOSE));
            fake.awaitConnections(3, TIMEOUT);
            long before = System.nanoTime();

            subscription.close();

            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SHORT_LIMIT);
            fake.awaitDisconnections(2, TIMEOUT);
        }
    }

    @Test
    void subscribeRefusedAfterAReconnectIsRetriedWithBackoff() {
        Handler good = Handler.afterHandshake(SubscriptionLossTest::confirm);
        Handler refusing =
                Handler.afterHandshake(command -> Answer.reply("-NOPERM No permissions to access a channel\r\n"));
        try (FakeRedis fake = FakeRedis.start(Handler.perConnection(good, good, refusing, refusing, refusing, good));
                RedisClient client = clients.connect(
                        uri(fake), options -> options.reconnectDelay(Duration.ofMillis(5), Duration.ofMillis(20)));
                Subscription subscription = client.subscribe(NEWS)) {

            fake.send(1, Answer.end(ConnectionEnd.CLOSE));
            fake.awaitConnections(6, TIMEOUT);
            Eventually.await("the subscription is confirmed again", subscription::isOpen);

            assertThat(subscription.gaps()).isEqualTo(1);
            assertThat(log.warnings().stream().filter(line -> line.contains("channel \"news\" is refused: NOPERM")))
                    .hasSizeBetween(1, 2);
        }
    }

    @Test
    void malformedReplyClosesTheConnectionAndTheNextConnectionWorks() {
        Handler good = Handler.afterHandshake(SubscriptionLossTest::confirm);
        try (FakeRedis fake = FakeRedis.start(good);
                RedisClient client = clients.connect(uri(fake));
                Subscription subscription = client.subscribe(NEWS)) {

            fake.send(1, Answer.reply("\u0016\u0003\u0001\r\n"));
            fake.awaitConnections(3, TIMEOUT);
            Eventually.await("the subscription is confirmed again", subscription::isOpen);
            fake.send(2, Answer.push("message", "news", "fine"));

            assertThat(subscription.poll(TIMEOUT).orElseThrow().text()).isEqualTo("fine");
            assertThat(subscription.gaps()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void replyThatIsNotAMessageIsIgnored(Protocol protocol) {
        Handler good = Handler.afterHandshake(SubscriptionLossTest::confirm);
        try (FakeRedis fake = FakeRedis.start(good);
                RedisClient client = clients.connect(uri(fake), options -> options.protocol(protocol));
                Subscription subscription = client.subscribe(NEWS)) {
            for (String stray : new String[] {
                "+PONG\r\n", "*0\r\n", "*2\r\n$4\r\npong\r\n$0\r\n\r\n", ">1\r\n:1\r\n", "$-1\r\n", "-ERR stray\r\n"
            }) {
                fake.send(1, Answer.reply(stray));
            }
            fake.send(1, Answer.reply("*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$4\r\nfine\r\n"));

            assertThat(subscription.poll(TIMEOUT).orElseThrow().text()).isEqualTo("fine");
            assertThat(subscription.waiting() + subscription.gaps()).isZero();
        }
    }

    private static Answer confirm(ReceivedCommand command) {
        return Answer.reply(">3\r\n$9\r\nsubscribe\r\n$4\r\n" + command.text(1) + "\r\n:1\r\n");
    }
}
