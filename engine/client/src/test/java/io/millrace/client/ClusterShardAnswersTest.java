// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests answers of the nodes of a cluster about shard channels. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ClusterShardAnswersTest {

    /** A shard channel of the first of two nodes. */
    private static final String FIRST = "b";

    /** A shard channel of the second of two nodes. */
    private static final String SECOND = "a";

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private FakeCluster cluster;

    @BeforeEach
    void start() {
        cluster = FakeCluster.start(2);
        cluster.answer(0, ClusterShardAnswersTest::confirm);
        cluster.answer(1, ClusterShardAnswersTest::confirm);
    }

    @AfterEach
    void end() {
        cluster.close();
    }

    private static Answer confirm(ReceivedCommand command) {
        return switch (command.name()) {
            case "SSUBSCRIBE" -> Answer.push("ssubscribe", name(command), "1");
            case "SUNSUBSCRIBE" -> Answer.push("sunsubscribe", name(command), "0");
            default -> Answer.reply("+OK\r\n");
        };
    }

    private static String name(ReceivedCommand command) {
        return command.line().substring(command.line().indexOf(' ') + 1);
    }

    private static boolean subscribesTo(ReceivedCommand command, String channel) {
        return command.line().equals("SSUBSCRIBE " + channel);
    }

    private RedisClient connect() {
        return clients.connect(cluster.uri(), options -> options.commandTimeout(Duration.ofSeconds(10)));
    }

    private int connectionOf(int node, String channel) {
        return cluster.node(node).commands().stream()
                .filter(command -> subscribesTo(command, channel))
                .mapToInt(ReceivedCommand::connection)
                .max()
                .orElseThrow();
    }

    private long subscriptions(int node, String channel) {
        return cluster.node(node).commands().stream()
                .filter(command -> subscribesTo(command, channel))
                .count();
    }

    @Test
    void shardChannelWithoutANodeIsAskedForAgainUntilItHasOne() {
        AtomicInteger refusals = new AtomicInteger(3);
        Handler down = command -> subscribesTo(command, FIRST) && refusals.getAndDecrement() > 0
                ? Answer.reply("-CLUSTERDOWN Hash slot not served\r\n")
                : confirm(command);
        try (RedisClient client = connect();
                Subscription subscription = client.subscribe(SubscribeOptions.shardChannels(SECOND))) {
            cluster.answer(0, down);

            subscription.subscribe(Topic.shardChannel(FIRST));

            assertThat(subscriptions(0, FIRST)).isEqualTo(4);
            assertThat(subscription.isOpen()).isTrue();
            assertThat(subscription.gaps()).isZero();
        }
    }

    @Test
    void shardChannelThatNoNodeServesIsStillWantedAfterTheTimeLimit() {
        Handler down = command -> subscribesTo(command, FIRST) ? Answer.reply("-CLUSTERDOWN no\r\n") : confirm(command);
        try (RedisClient client =
                        clients.connect(cluster.uri(), options -> options.commandTimeout(Duration.ofMillis(300)));
                Subscription subscription = client.subscribe(SubscribeOptions.shardChannels(SECOND))) {
            cluster.answer(0, down);

            assertThatThrownBy(() -> subscription.subscribe(Topic.shardChannel(FIRST)))
                    .isInstanceOf(TimedOutException.class)
                    .hasMessageContaining("the server did not confirm a change of the subscription within 300 ms");

            assertThat(subscription.topics()).contains(Topic.shardChannel(FIRST));
            assertThat(subscription.isOpen()).isFalse();
            cluster.answer(0, ClusterShardAnswersTest::confirm);
            Eventually.await("the subscription is confirmed", subscription::isOpen);
        }
    }

    @Test
    void refusedShardChannelFailsAndTheOthersStay() {
        Handler forbidden = command ->
                subscribesTo(command, FIRST) ? Answer.reply("-NOPERM no such channel\r\n") : confirm(command);
        try (RedisClient client = connect();
                Subscription subscription = client.subscribe(SubscribeOptions.shardChannels(SECOND))) {
            cluster.answer(0, forbidden);

            assertThatThrownBy(() -> subscription.subscribe(Topic.shardChannel(FIRST)))
                    .isInstanceOf(ErrorReplyException.class)
                    .hasMessageContaining("NOPERM");

            assertThat(subscription.topics()).containsExactly(Topic.shardChannel(SECOND));
            Eventually.await("the other shard channels are confirmed", subscription::isOpen);
        }
    }

    @Test
    void shardChannelThatItsOwnerEndsIsSubscribedToAgain() {
        try (RedisClient client = connect();
                Subscription subscription = client.subscribe(SubscribeOptions.shardChannels(FIRST, SECOND))) {
            FakeRedis owner = cluster.node(0);

            owner.send(connectionOf(0, FIRST), Answer.push("sunsubscribe", FIRST, "0"));

            Eventually.await(
                    "the client has subscribed again", () -> subscriptions(0, FIRST) == 2 && subscription.isOpen());
            assertThat(subscription.gaps()).isEqualTo(1);
            assertThat(subscriptions(1, SECOND)).isEqualTo(1);
        }
    }

    @Test
    void movedShardChannelIsSubscribedToAtTheNodeThatTheServerNames() {
        try (RedisClient client = connect();
                Subscription subscription = client.subscribe(SubscribeOptions.shardChannels(SECOND))) {
            cluster.answer(
                    0,
                    command -> subscribesTo(command, FIRST) ? cluster.redirect("MOVED", FIRST, 1) : confirm(command));
            cluster.assign(1, 1);

            subscription.subscribe(Topic.shardChannel(FIRST));

            assertThat(subscriptions(1, FIRST)).isEqualTo(1);
            assertThat(subscription.isOpen()).isTrue();
            assertThat(subscription.gaps()).isZero();
        }
    }

    @Test
    void nodeWithoutSlotsHasNoConnectionOfTheSubscriptionAnyMore() {
        try (RedisClient client = connect();
                Subscription subscription = client.subscribe(SubscribeOptions.shardChannels(FIRST, SECOND))) {
            cluster.assign(1, 1);

            cluster.node(0).send(connectionOf(0, FIRST), Answer.push("sunsubscribe", FIRST, "0"));

            Eventually.await(
                    "the shard channel has moved, and the former owner has no connection",
                    () -> subscriptions(1, FIRST) == 1
                            && subscription.isOpen()
                            && cluster.node(0).openConnections() <= 1);
            assertThat(subscription.gaps()).isEqualTo(1);
            assertThat(subscription.topics())
                    .containsExactlyInAnyOrder(Topic.shardChannel(FIRST), Topic.shardChannel(SECOND));
        }
    }
}
