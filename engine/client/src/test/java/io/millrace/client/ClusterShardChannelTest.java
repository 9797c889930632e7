// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.PubSub;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests shard channels in a cluster, also while their slots move and after the loss of a primary. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ClusterShardChannelTest {

    private static final Duration SOON = Duration.ofMillis(100);

    /** Channels whose slots belong to all primaries. */
    private static final List<String> CHANNELS =
            IntStream.range(0, 12).mapToObj(i -> "shard-" + i).toList();

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private static EmbeddedCluster cluster;
    private RedisClient client;

    @BeforeAll
    static void startCluster() {
        cluster = EmbeddedCluster.start(EmbeddedOptions.defaults(), 3, 1);
    }

    @AfterAll
    static void closeCluster() {
        cluster.close();
    }

    @BeforeEach
    void connect() {
        client = clients.connect(RedisUri.parse(cluster.uri()));
    }

    @AfterEach
    void closeClient() {
        client.close();
    }

    private static SubscribeOptions shardChannels() {
        return SubscribeOptions.shardChannels(CHANNELS.toArray(String[]::new));
    }

    private void publish(String channel, String text) {
        client.call(PubSub.publishToShard(channel, text));
    }

    /** Publishes to all channels, and returns those whose message arrives. */
    private Set<String> reached(Subscription subscription) {
        CHANNELS.forEach(channel -> publish(channel, channel));
        Set<String> reached = new HashSet<>();
        subscription.poll(SOON).ifPresent(first -> {
            reached.add(first.text());
            for (var next = subscription.poll(SOON); next.isPresent(); next = subscription.poll(SOON)) {
                reached.add(next.get().text());
            }
        });
        return reached;
    }

    private void awaitAll(Subscription subscription) {
        Eventually.await(
                "messages of all shard channels arrive",
                () -> reached(subscription).containsAll(CHANNELS));
        assertThat(subscription.isOpen()).isTrue();
    }

    private static EmbeddedRedis otherPrimary(int slot) {
        EmbeddedRedis owner = cluster.primaryOf(slot);
        return IntStream.of(0, KeySlot.COUNT / 2, KeySlot.COUNT - 1)
                .mapToObj(cluster::primaryOf)
                .filter(primary -> !primary.equals(owner))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @EnumSource(Protocol.class)
    void messagesOfTheShardChannelsOfAllNodesArriveOnce(Protocol protocol) {
        try (RedisClient subscriber =
                        clients.connect(RedisUri.parse(cluster.uri()), options -> options.protocol(protocol));
                Subscription subscription = subscriber.subscribe(shardChannels())) {
            assertThat(subscription.isOpen()).isTrue();
            assertThat(subscription.topics()).isEqualTo(shardChannels().topics());

            CHANNELS.forEach(channel -> publish(channel, "to " + channel));

            Set<String> received = new HashSet<>();
            for (int i = 0; i < CHANNELS.size(); i++) {
                Message message = subscription.poll(WatchedClients.TIMEOUT).orElseThrow();
                assertThat(message.text()).isEqualTo("to " + message.channel());
                assertThat(message.topic()).isEqualTo(Topic.shardChannel(message.channel()));
                received.add(message.channel());
            }
            assertThat(received).containsExactlyInAnyOrderElementsOf(CHANNELS);
            assertThat(subscription.poll(Duration.ZERO)).isEmpty();
            assertThat(subscription.gaps()).isZero();
        }
    }

    @Test
    void topicsOfAllKindsAreAddedAndRemoved() {
        try (Subscription subscription = client.subscribe(SubscribeOptions.channels("news"))) {
            subscription.subscribe(Topic.shardChannel("shard-0"), Topic.shardChannel("shard-1"), Topic.pattern("n*"));
            publish("shard-0", "a");
            publish("shard-1", "b");
            List<String> texts = List.of(
                    subscription.poll(WatchedClients.TIMEOUT).orElseThrow().text(),
                    subscription.poll(WatchedClients.TIMEOUT).orElseThrow().text());
            client.call(PubSub.publish("news", "c"));
            Message viaChannel = subscription.poll(WatchedClients.TIMEOUT).orElseThrow();
            Message viaPattern = subscription.poll(WatchedClients.TIMEOUT).orElseThrow();

            subscription.unsubscribe(Topic.shardChannel("shard-0"), Topic.pattern("n*"), Topic.channel("unknown"));
            publish("shard-0", "none");
            publish("shard-1", "d");

            assertThat(texts).containsExactlyInAnyOrder("a", "b");
            assertThat(List.of(viaChannel.text(), viaPattern.text())).containsExactly("c", "c");
            assertThat(subscription.poll(WatchedClients.TIMEOUT).orElseThrow().text())
                    .isEqualTo("d");
            assertThat(subscription.topics())
                    .containsExactlyInAnyOrder(Topic.channel("news"), Topic.shardChannel("shard-1"));
        }
    }

    @Test
    void closedSubscriptionHasNoMoreTopics() {
        Subscription subscription = client.subscribe(shardChannels());

        subscription.close();

        assertThat(subscription.poll(WatchedClients.TIMEOUT)).isEmpty();
        assertThatThrownBy(() -> subscription.subscribe(Topic.shardChannel("late")))
                .isInstanceOf(ConnectionLostException.class)
                .hasMessage("the subscription has ended: closed by this client");
    }

    @Test
    void shardChannelsFollowTheirSlotsAndEachMoveIsAGap() {
        try (Subscription subscription = client.subscribe(shardChannels())) {
            int slot = KeySlot.of("shard-3");
            int later = KeySlot.of("shard-4");

            cluster.moveSlot(slot, otherPrimary(slot));
            awaitAll(subscription);
            long afterFirst = subscription.gaps();
            cluster.moveSlot(later, otherPrimary(later));
            awaitAll(subscription);

            assertThat(afterFirst).isEqualTo(1);
            assertThat(subscription.gaps()).isEqualTo(2);
            assertThat(subscription.topics()).isEqualTo(shardChannels().topics());
        }
    }

    @Test
    void shardChannelOfASlotThatMovesIsSubscribedToAtItsOwner() {
        int slot = KeySlot.of("shard-5");
        try (Subscription subscription = client.subscribe(SubscribeOptions.channels("news"))) {
            cluster.beginMove(slot, otherPrimary(slot));

            subscription.subscribe(Topic.shardChannel("shard-5"));
            publish("shard-5", "before");
            cluster.finishMove(slot);
            Eventually.await("the subscription follows", () -> {
                publish("shard-5", "after");
                return subscription
                        .poll(SOON)
                        .filter(message -> message.text().equals("after"))
                        .isPresent();
            });

            assertThat(subscription.isOpen()).isTrue();
        }
    }

    @Test
    void topicIsAddedAtTheNewOwnerOfItsSlotAlthoughTheClientKnowsTheFormerOne() {
        int slot = KeySlot.of("shard-6");
        try (Subscription subscription = client.subscribe(SubscribeOptions.channels("news"))) {
            cluster.moveSlot(slot, otherPrimary(slot));

            // The client has not sent a command for the slot since.
            subscription.subscribe(Topic.shardChannel("shard-6"));
            publish("shard-6", "hello");

            assertThat(subscription.poll(WatchedClients.TIMEOUT).orElseThrow().text())
                    .isEqualTo("hello");
            assertThat(subscription.gaps()).isZero();
        }
    }

    @Test
    void shardChannelsOfALostPrimaryContinueAtItsReplica() {
        try (Subscription subscription = client.subscribe(shardChannels())) {
            cluster.primaryOf(KeySlot.of("shard-7")).kill();

            awaitAll(subscription);

            assertThat(subscription.gaps()).isPositive();
        }
    }
}
