// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.TIMEOUT;
import static io.millrace.client.WatchedClients.uri;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.command.Command;
import io.millrace.client.command.PubSub;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the topics of a subscription on a real server: kinds, binary names, and changes of an open subscription. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SubscriptionChangeTest {

    private static EmbeddedRedis server;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private RedisClient connect(Protocol protocol) {
        return clients.connect(uri(server), options -> options.protocol(protocol));
    }

    @ParameterizedTest
    @EnumSource
    void addedTopicsReceiveMessagesAndRemovedTopicsDoNot(Protocol protocol) {
        Topic first = Topic.channel("first");
        Topic added = Topic.channel("added");
        Topic pattern = Topic.pattern("p.*");
        Topic shard = Topic.shardChannel("shard");
        try (RedisClient client = connect(protocol);
                Subscription subscription = client.subscribe(SubscribeOptions.of(first))) {

            subscription.subscribe(added, pattern, shard, first);
            List<Long> receivers = List.of(
                    client.call(PubSub.publish("first", "1")),
                    client.call(PubSub.publish("added", "2")),
                    client.call(PubSub.publish("p.x", "3")),
                    client.call(PubSub.publishToShard("shard", "4")));
            List<Message> messages =
                    List.of(next(subscription), next(subscription), next(subscription), next(subscription));
            subscription.unsubscribe(added, pattern, shard, Topic.channel("unknown"));
            List<Long> receiversAfter = List.of(
                    client.call(PubSub.publish("first", "5")),
                    client.call(PubSub.publish("added", "6")),
                    client.call(PubSub.publish("p.x", "7")),
                    client.call(PubSub.publishToShard("shard", "8")));

            assertThat(receivers).containsExactly(1L, 1L, 1L, 1L);
            assertThat(messages.stream().map(Message::topic)).containsExactly(first, added, pattern, shard);
            assertThat(messages.stream().map(Message::channel)).containsExactly("first", "added", "p.x", "shard");
            assertThat(messages.stream().map(Message::text)).containsExactly("1", "2", "3", "4");
            assertThat(receiversAfter).containsExactly(1L, 0L, 0L, 0L);
            assertThat(next(subscription).text()).isEqualTo("5");
            assertThat(subscription.waiting()).isZero();
            assertThat(subscription.topics()).containsExactly(first);
            assertThat(subscription.gaps()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void binaryNamesAndPayloadsArriveUnchanged(Protocol protocol) {
        byte[] name = {(byte) 0xff, 0, '\r', '\n', (byte) 0xc3, 'x'};
        byte[] pattern = {(byte) 0xfe, '*'};
        byte[] matching = {(byte) 0xfe, (byte) 0x80, 0};
        byte[] payload = {(byte) 0x80, '\n', (byte) 0xff};
        try (RedisClient client = connect(protocol);
                Subscription subscription = client.subscribe(SubscribeOptions.of(Topic.channel(name)))) {
            subscription.subscribe(Topic.pattern(pattern), Topic.shardChannel(name));

            client.call(PubSub.publish(name, payload));
            client.call(PubSub.publish(matching, payload));
            client.call(PubSub.publishToShard(name, payload));

            for (Topic topic : List.of(Topic.channel(name), Topic.pattern(pattern), Topic.shardChannel(name))) {
                Message message = next(subscription);
                assertThat(message.topic()).isEqualTo(topic);
                assertThat(message.channelBytes()).isEqualTo(topic.kind() == Topic.Kind.PATTERN ? matching : name);
                assertThat(message.payload()).isEqualTo(payload);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void subscriptionBeginsWithTopicsOfAnyKind(Protocol protocol) {
        try (RedisClient client = connect(protocol);
                Subscription subscription = client.subscribe(SubscribeOptions.shardChannels("orders"))) {

            assertThat(client.call(PubSub.publish("orders", "channel"))).isZero();
            assertThat(client.call(PubSub.publishToShard("orders", "shard"))).isOne();

            Message message = next(subscription);
            assertThat(message.text()).isEqualTo("shard");
            assertThat(message.pattern()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource
    void subscriptionWithoutTopicsStaysOpenAndAcceptsNewTopics(Protocol protocol) {
        try (RedisClient client = clients.connect(
                        uri(server), options -> options.protocol(protocol).commandTimeout(Duration.ofSeconds(1)));
                Subscription subscription = client.subscribe(SubscribeOptions.channels("only"))) {

            subscription.unsubscribe(Topic.channel("only"));
            // The client sends a PING after one second, and treats the connection as lost after two seconds.
            Optional<Message> none = subscription.poll(Duration.ofMillis(2_500));
            boolean open = subscription.isOpen();
            subscription.subscribe(Topic.channel("next"));
            client.call(PubSub.publish("next", "message"));

            assertThat(none).isEmpty();
            assertThat(open).isTrue();
            assertThat(next(subscription).text()).isEqualTo("message");
            assertThat(subscription.gaps()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void refusedTopicFailsItsCallAndTheOtherTopicsContinue(Protocol protocol) {
        try (RedisClient admin = clients.connect(uri(server))) {
            admin.call(Command.of("ACL SETUSER", "reader", "on", ">secret", "resetchannels", "&open:*", "+@all"));
            try (RedisClient client = clients.connect(
                            uri(server).withLogin("reader", "secret"), options -> options.protocol(protocol));
                    Subscription subscription = client.subscribe(SubscribeOptions.channels("open:1"))) {

                ErrorReplyException failure = catchThrowableOfType(
                        ErrorReplyException.class,
                        () -> subscription.subscribe(
                                Topic.channel("open:2"), Topic.channel("closed"), Topic.channel("open:3")));
                subscription.subscribe(Topic.channel("open:4"));

                assertThat(failure).hasMessageStartingWith("subscribing to channel \"closed\" failed: NOPERM");
                assertThat(failure.code()).isEqualTo("NOPERM");
                assertThat(failure.maybeExecuted()).isFalse();
                assertThat(subscription.topics().stream().map(Topic::text))
                        .containsExactly("open:1", "open:2", "open:3", "open:4");
                for (int i = 1; i <= 4; i++) {
                    assertThat(admin.call(PubSub.publish("open:" + i, "message")))
                            .isOne();
                }
                assertThat(subscription.gaps()).isZero();
                assertThat(log.warnings()).isEmpty();
            }
        }
    }

    @Test
    void refusedRemovalFailsItsCallAndTheTopicRemains() {
        try (RedisClient admin = clients.connect(uri(server))) {
            admin.call(Command.of("ACL SETUSER", "keeper", "on", ">secret", "allchannels", "+@all", "-unsubscribe"));
            try (RedisClient client = clients.connect(uri(server).withLogin("keeper", "secret"));
                    Subscription subscription = client.subscribe(SubscribeOptions.channels("kept"))) {

                ErrorReplyException failure = catchThrowableOfType(
                        ErrorReplyException.class, () -> subscription.unsubscribe(Topic.channel("kept")));

                assertThat(failure).hasMessageStartingWith("unsubscribing from channel \"kept\" failed: NOPERM");
                assertThat(subscription.topics()).containsExactly(Topic.channel("kept"));
                assertThat(admin.call(PubSub.publish("kept", "message"))).isOne();
            }
        }
    }

    @Test
    void messagesOfARemovedTopicStayInTheBuffer() {
        try (RedisClient client = clients.connect(uri(server));
                Subscription subscription = client.subscribe(SubscribeOptions.channels("left"))) {
            client.call(PubSub.publish("left", "last"));

            subscription.unsubscribe(Topic.channel("left"));

            assertThat(subscription.waiting()).isOne();
            assertThat(next(subscription).text()).isEqualTo("last");
        }
    }

    @Test
    void closedSubscriptionRefusesChanges() {
        try (RedisClient client = clients.connect(uri(server))) {
            Subscription subscription = client.subscribe(SubscribeOptions.channels("closed"));
            subscription.close();

            ConnectionLostException failure = catchThrowableOfType(
                    ConnectionLostException.class, () -> subscription.subscribe(Topic.channel("more")));

            assertThat(failure).hasMessage("the subscription has ended: closed by this client");
            assertThat(failure.maybeExecuted()).isFalse();
            assertThat(subscription.topics()).containsExactly(Topic.channel("closed"));
        }
    }

    @Test
    void bytesOfWaitingMessagesStayWithinTheLimit() {
        String large = "x".repeat(1 << 20);
        SubscribeOptions options = SubscribeOptions.channels("large").withBufferBytes(10L << 20);
        try (RedisClient client = clients.connect(uri(server));
                Subscription slow = client.subscribe(options)) {
            for (int i = 0; i < 30; i++) {
                client.call(PubSub.publish("large", i + large));
            }
            Eventually.await("all messages have arrived", () -> slow.waiting() + slow.dropped() == 30);

            assertThat(slow.waiting()).as("messages of slightly more than 1 MB").isEqualTo(9);
            assertThat(slow.dropped()).isEqualTo(21);
            assertThat(next(slow).text()).startsWith("21x");
        }
    }

    @Test
    void messageAboveTheLimitOfBytesIsKeptAlone() {
        SubscribeOptions options = SubscribeOptions.channels("large").withBufferBytes(1 << 16);
        try (RedisClient client = clients.connect(uri(server));
                Subscription slow = client.subscribe(options)) {
            for (String text : List.of("small", "x".repeat(1 << 17), "y".repeat(1 << 17))) {
                client.call(PubSub.publish("large", text));
            }
            Eventually.await("all messages have arrived", () -> slow.waiting() + slow.dropped() == 3);

            assertThat(slow.waiting()).isOne();
            assertThat(next(slow).text()).startsWith("y");
            client.call(PubSub.publish("large", "next"));
            assertThat(next(slow).text()).isEqualTo("next");
            assertThat(slow.dropped()).isEqualTo(2);
        }
    }

    // Values.

    @Test
    void topicsWithTheSameKindAndBytesAreEqual() {
        byte[] name = "größe".getBytes(UTF_8);

        assertThat(Topic.channel("größe")).isEqualTo(Topic.channel(name)).hasSameHashCodeAs(Topic.channel(name));
        assertThat(Topic.channel(name)).isNotEqualTo(Topic.pattern(name)).isNotEqualTo(Topic.shardChannel(name));
        assertThat(Topic.channel(name)).isNotEqualTo(Topic.channel("other"));
        assertThat(Topic.shardChannel(name)).hasToString("shard channel \"größe\"");
    }

    @Test
    void topicDoesNotChangeWithTheArraysOfItsCaller() {
        byte[] name = {1, 2};
        Topic topic = Topic.channel(name);

        name[0] = 9;
        topic.bytes()[1] = 9;

        assertThat(topic.bytes()).containsExactly(1, 2);
        assertThat(topic.length()).isEqualTo(2);
    }

    @Test
    void subscribeOptionsRejectValuesOutOfRange() {
        SubscribeOptions options = SubscribeOptions.channels("a", "b", "a");

        assertThat(options.topics()).containsExactly(Topic.channel("a"), Topic.channel("b"));
        assertThat(options.bufferBytes()).isEqualTo(32 << 20);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.withBufferBytes((1 << 16) - 1))
                .withMessage("bufferBytes=65,535 bytes is out of range: 64 KB to just under 1 TB.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> options.withBuffer(0))
                .withMessageContaining("buffer=0 is out of range");
        assertThatIllegalArgumentException()
                .isThrownBy(SubscribeOptions::of)
                .withMessage("topics must not be empty. Give a channel, a pattern or a shard channel");
    }

    private static Message next(Subscription subscription) {
        return subscription.poll(TIMEOUT).orElseThrow();
    }
}
