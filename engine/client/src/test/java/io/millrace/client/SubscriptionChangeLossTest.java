// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.TIMEOUT;
import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.command.Command;
import io.millrace.client.command.PubSub;
import io.millrace.client.command.Replies;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import io.millrace.testkit.RefusalMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests changes of a subscription while its connection is lost, is replaced, or is closed. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SubscriptionChangeLossTest {

    private static final Topic OLD = Topic.channel("old");
    private static final Topic NEW = Topic.channel("new");

    private static EmbeddedRedis server;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    private FaultProxy proxy;
    private RedisClient admin;

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
        admin = clients.connect(uri(server));
    }

    @AfterEach
    void closeProxy() {
        admin.close();
        proxy.close();
    }

    private RedisClient connect(UnaryOperator<ClientOptions.Builder> change) {
        return clients.connect(
                RedisUri.of(proxy.host(), proxy.port()),
                options -> change.apply(options.reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(5))));
    }

    private void loseConnection(Subscription subscription) {
        long gaps = subscription.gaps();
        proxy.refuseConnections(RefusalMode.RESET);
        proxy.disconnectAll(ConnectionEnd.RESET);
        Eventually.await("the loss is noticed", () -> subscription.gaps() > gaps);
    }

    private Set<String> channelsOfTheServer() {
        return new HashSet<>(admin.call(Command.of("PUBSUB CHANNELS")
                .as(reply -> Replies.items(reply).stream().map(Replies::text).toList())));
    }

    /** Runs {@code change} on another thread. The future has the exception of {@code change}, or null. */
    private static CompletableFuture<@Nullable Throwable> running(Runnable change) {
        CompletableFuture<@Nullable Throwable> ended = new CompletableFuture<>();
        Thread thread = Thread.ofVirtual().start(() -> ended.complete(catchThrowable(change::run)));
        Eventually.await("the caller waits", () -> thread.getState() == Thread.State.TIMED_WAITING);
        return ended;
    }

    @ParameterizedTest
    @EnumSource
    void changedTopicsAreSubscribedAgainAfterALoss(Protocol protocol) {
        try (RedisClient client = connect(options -> options.protocol(protocol));
                Subscription subscription = client.subscribe(SubscribeOptions.of(OLD, Topic.channel("kept")))) {
            subscription.subscribe(NEW, Topic.shardChannel("shard"));
            subscription.unsubscribe(OLD);

            proxy.disconnectAll(ConnectionEnd.RESET);
            Eventually.await("the subscription is replaced", () -> subscription.gaps() == 1 && subscription.isOpen());

            assertThat(channelsOfTheServer()).containsExactlyInAnyOrder("kept", "new");
            assertThat(admin.call(PubSub.publishToShard("shard", "message"))).isOne();
            assertThat(subscription.poll(TIMEOUT).map(Message::text)).contains("message");
        }
    }

    @ParameterizedTest
    @EnumSource
    void changesDuringAnOutageWaitForTheNextConnection(Protocol protocol) throws Exception {
        try (RedisClient client = connect(options -> options.protocol(protocol));
                Subscription subscription = client.subscribe(SubscribeOptions.of(OLD))) {
            loseConnection(subscription);
            CompletableFuture<?> added = running(() -> subscription.subscribe(NEW));
            CompletableFuture<?> removed = running(() -> subscription.unsubscribe(OLD));
            boolean early = added.isDone() || removed.isDone();

            proxy.acceptConnections();

            assertThat(added.get(60, TimeUnit.SECONDS)).isNull();
            assertThat(removed.get(60, TimeUnit.SECONDS)).isNull();
            assertThat(early).isFalse();
            assertThat(channelsOfTheServer()).containsExactly("new");
            assertThat(subscription.gaps()).isEqualTo(1);
        }
    }

    @Test
    void subscriptionWithoutTopicsIsReplacedAfterALoss() {
        try (RedisClient client = connect(options -> options);
                Subscription subscription = client.subscribe(SubscribeOptions.of(OLD))) {
            subscription.unsubscribe(OLD);

            proxy.disconnectAll(ConnectionEnd.RESET);
            Eventually.await("the subscription is replaced", () -> subscription.gaps() == 1 && subscription.isOpen());
            subscription.subscribe(NEW);

            assertThat(channelsOfTheServer()).containsExactly("new");
        }
    }

    @Test
    void timedOutChangeIsMadeLaterUnlessItIsWithdrawn() {
        try (RedisClient client = connect(options -> options.commandTimeout(Duration.ofMillis(500)));
                Subscription subscription = client.subscribe(SubscribeOptions.of(OLD))) {
            loseConnection(subscription);

            TimedOutException added = catchThrowableOfType(
                    TimedOutException.class, () -> subscription.subscribe(NEW, Topic.channel("x")));
            TimedOutException withdrawn =
                    catchThrowableOfType(TimedOutException.class, () -> subscription.unsubscribe(Topic.channel("x")));
            proxy.acceptConnections();
            Eventually.await("the change is made", () -> channelsOfTheServer().equals(Set.of("old", "new")));

            assertThat(added)
                    .hasMessageContainingAll(
                            "within 500 ms: endpoint=", "phase=not connected", "subscribe=true", "channel \"new\"");
            assertThat(withdrawn).hasMessageContaining("subscribe=false");
            assertThat(subscription.topics()).containsExactly(OLD, NEW);
        }
    }

    @Test
    void interruptedCallerLeavesAndTheChangeIsMadeLater() throws Exception {
        try (RedisClient client = connect(options -> options);
                Subscription subscription = client.subscribe(SubscribeOptions.of(OLD))) {
            loseConnection(subscription);
            CompletableFuture<Throwable> thrown = new CompletableFuture<>();
            Thread caller =
                    Thread.ofVirtual().start(() -> thrown.complete(catchThrowable(() -> subscription.subscribe(NEW))));
            Eventually.await("the caller waits", () -> caller.getState() == Thread.State.TIMED_WAITING);

            caller.interrupt();
            Throwable failure = thrown.get(60, TimeUnit.SECONDS);
            proxy.acceptConnections();

            assertThat(failure).isInstanceOf(InterruptedCommandException.class);
            Eventually.await("the change is made", () -> channelsOfTheServer().contains("new"));
        }
    }

    @Test
    void closeEndsAWaitingChange() throws Exception {
        try (RedisClient client = connect(options -> options)) {
            Subscription subscription = client.subscribe(SubscribeOptions.of(OLD));
            loseConnection(subscription);
            CompletableFuture<?> change = running(() -> subscription.subscribe(NEW));

            subscription.close();

            assertThat(change.get(60, TimeUnit.SECONDS))
                    .isInstanceOf(ConnectionLostException.class)
                    .hasFieldOrPropertyWithValue("maybeExecuted", true);
            proxy.acceptConnections();
        }
    }

    /** Each thread changes separate channels. Losses happen at random times. */
    @ParameterizedTest
    @EnumSource
    void topicsOfTheServerFollowChangesOfManyThreadsAndLosses(Protocol protocol) throws Exception {
        long seed = System.nanoTime();
        System.out.println("SubscriptionChangeLossTest: seed=" + seed);
        AtomicBoolean over = new AtomicBoolean();
        try (RedisClient client = connect(options -> options.protocol(protocol));
                Subscription subscription = client.subscribe(SubscribeOptions.of(OLD))) {
            List<CompletableFuture<Set<String>>> threads = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                Random random = new Random(seed + thread);
                String prefix = "t" + thread + ":";
                CompletableFuture<Set<String>> wanted = new CompletableFuture<>();
                threads.add(wanted);
                Thread.ofVirtual().start(() -> {
                    try {
                        wanted.complete(changeAtRandom(subscription, prefix, random, over));
                    } catch (Throwable e) {
                        wanted.completeExceptionally(e);
                    }
                });
            }
            for (int loss = 1; loss <= 10; loss++) {
                long expected = loss;
                proxy.disconnectAll(ConnectionEnd.RESET);
                Eventually.await("the loss is noticed", () -> subscription.gaps() >= expected);
                Eventually.await("the subscription is confirmed again", subscription::isOpen);
            }
            over.set(true);

            Set<String> expected = new HashSet<>(Set.of("old"));
            for (CompletableFuture<Set<String>> thread : threads) {
                expected.addAll(thread.get(60, TimeUnit.SECONDS));
            }
            assertThat(subscription.topics().stream().map(Topic::text))
                    .as("seed=%d", seed)
                    .containsExactlyInAnyOrderElementsOf(expected);
            subscription.unsubscribe(Topic.channel("none")); // waits until the server has followed all changes
            assertThat(channelsOfTheServer()).as("seed=%d", seed).isEqualTo(expected);
        }
    }

    private static Set<String> changeAtRandom(
            Subscription subscription, String prefix, Random random, AtomicBoolean over) {
        Set<String> wanted = new HashSet<>();
        while (!over.get()) {
            String channel = prefix + random.nextInt(5);
            if (random.nextBoolean()) {
                subscription.subscribe(Topic.channel(channel));
                wanted.add(channel);
            } else {
                subscription.unsubscribe(Topic.channel(channel));
                wanted.remove(channel);
            }
        }
        return wanted;
    }

    // Faults of the server.

    @Test
    void changeWhoseConfirmationIsLostIsMadeOverTheNextConnection() {
        Handler good = Handler.afterHandshake(SubscriptionChangeLossTest::confirm);
        Handler ending = Handler.afterHandshake(
                command -> command.text(1).equals("new") ? Answer.end(ConnectionEnd.CLOSE) : confirm(command));
        try (FakeRedis fake = FakeRedis.start(Handler.perConnection(good, ending, good));
                RedisClient client = clients.connect(uri(fake));
                Subscription subscription = client.subscribe(SubscribeOptions.of(OLD))) {

            subscription.subscribe(NEW);

            assertThat(subscription.gaps()).isEqualTo(1);
            assertThat(subscription.isOpen()).isTrue();
            assertThat(subscribeCommands(fake, 2)).containsExactly("SUBSCRIBE old", "SUBSCRIBE new");
        }
    }

    @Test
    void topicRefusedAfterItsCallHasTimedOutIsRemovedAndLogged() {
        CountDownLatch timedOut = new CountDownLatch(1);
        Handler good = Handler.afterHandshake(SubscriptionChangeLossTest::confirm);
        Handler silent =
                Handler.afterHandshake(command -> command.text(1).equals("new") ? Answer.noReply() : confirm(command));
        Handler refusing = Handler.afterHandshake(command -> command.text(1).equals("new")
                ? Answer.reply("-NOPERM No permissions to access a channel\r\n").heldUntil(timedOut)
                : confirm(command));
        try (FakeRedis fake = FakeRedis.start(Handler.perConnection(good, silent, refusing));
                RedisClient client =
                        clients.connect(uri(fake), options -> options.commandTimeout(Duration.ofSeconds(1)));
                Subscription subscription = client.subscribe(SubscribeOptions.of(OLD))) {

            Throwable failure = catchThrowable(() -> subscription.subscribe(NEW));
            timedOut.countDown();
            Eventually.await("the subscription is replaced", () -> subscription.gaps() == 1 && subscription.isOpen());

            assertThat(failure).isInstanceOf(TimedOutException.class);
            assertThat(subscription.topics()).containsExactly(OLD);
            assertThat(log.warnings())
                    .anyMatch(line -> line.contains("subscribing to channel \"new\" is refused: NOPERM"));
        }
    }

    @ParameterizedTest
    @EnumSource
    void errorReplyToAPingIsNotMatchedWithAChange(Protocol protocol) throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        Handler rest = Handler.afterHandshake(command -> command.name().equals("PING")
                ? Answer.reply("-NOPERM no permission for ping\r\n").heldUntil(released)
                : confirm(command));
        // The shared connection sends a PING at its start.
        Handler first = Handler.afterHandshake(command -> Answer.reply("+PONG\r\n"));
        try (FakeRedis fake = FakeRedis.start(Handler.perConnection(first, rest));
                RedisClient client = clients.connect(
                        uri(fake), options -> options.protocol(protocol).commandTimeout(Duration.ofSeconds(5)));
                Subscription subscription = client.subscribe(SubscribeOptions.of(OLD))) {
            Eventually.await(
                    "the keep-alive is sent",
                    () -> fake.commands().stream()
                            .anyMatch(command ->
                                    command.connection() == 1 && command.name().equals("PING")));
            CompletableFuture<?> change = running(() -> subscription.subscribe(NEW));

            released.countDown();

            assertThat(change.get(60, TimeUnit.SECONDS)).isNull();
            assertThat(subscription.topics()).containsExactly(OLD, NEW);
            assertThat(subscription.gaps()).isZero();
        }
    }

    @Test
    void subscriptionThatTheServerEndsCountsAsALoss() {
        Handler good = Handler.afterHandshake(SubscriptionChangeLossTest::confirm);
        try (FakeRedis fake = FakeRedis.start(good);
                RedisClient client = clients.connect(uri(fake));
                Subscription subscription = client.subscribe(SubscribeOptions.shardChannels("moved"))) {

            fake.send(1, Answer.push("sunsubscribe", "other"));
            fake.send(1, Answer.push("sunsubscribe", "moved"));
            Eventually.await("the subscription is replaced", () -> subscription.gaps() == 1 && subscription.isOpen());

            assertThat(subscribeCommands(fake, 2)).containsExactly("SSUBSCRIBE moved");
            assertThat(log.warnings())
                    .anyMatch(line -> line.contains("the server ended the subscription to shard channel \"moved\""));
        }
    }

    private static List<String> subscribeCommands(FakeRedis fake, int connection) {
        return fake.commands().stream()
                .filter(command -> command.connection() == connection)
                .filter(command -> command.name().endsWith("SUBSCRIBE"))
                .map(ReceivedCommand::line)
                .toList();
    }

    private static Answer confirm(ReceivedCommand command) {
        return Answer.push(command.name().toLowerCase(Locale.ROOT), command.text(1));
    }
}
