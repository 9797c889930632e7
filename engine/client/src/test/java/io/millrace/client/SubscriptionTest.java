// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

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
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests subscriptions on a real server. Messages arrive completely, in order and unchanged, unless the buffer is full
 * or the subscription has ended.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SubscriptionTest {

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

    @ParameterizedTest
    @EnumSource
    void messagesArriveInOrderWithTheirChannelAndPattern(Protocol protocol) {
        int messages = 2_000;
        try (RedisClient client = clients.connect(uri(server), options -> options.protocol(protocol));
                Subscription news = client.subscribe(SubscribeOptions.of(Topic.channel("news"), Topic.pattern("n?ws.*"))
                        .withBuffer(10_000))) {
            assertThat(news.isOpen()).isTrue();
            Pipeline pipeline = client.pipeline();
            for (int i = 0; i < messages; i++) {
                pipeline.add(PubSub.publish(i % 2 == 0 ? "news" : "news.sport", "message " + i));
            }
            pipeline.add(PubSub.publish("elsewhere", "not subscribed"));
            pipeline.run();

            for (int i = 0; i < messages; i++) {
                Message message = news.poll(TIMEOUT).orElseThrow();
                assertThat(message.text()).isEqualTo("message " + i);
                assertThat(message.channel()).isEqualTo(i % 2 == 0 ? "news" : "news.sport");
                assertThat(message.pattern()).isEqualTo(i % 2 == 0 ? Optional.empty() : Optional.of("n?ws.*"));
            }
            assertThat(news.poll(Duration.ofMillis(20))).isEmpty();
            assertThat(news.waiting() + news.dropped() + news.gaps()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void binaryPayloadsOfAnySizeArriveUnchanged(Protocol protocol) {
        Random random = new Random(7);
        try (RedisClient client = clients.connect(uri(server), options -> options.protocol(protocol));
                Subscription subscription = client.subscribe(SubscribeOptions.channels("bytes", "größe"))) {
            for (int size : new int[] {0, 1, 2, 16_383, 16_384, 16_385, 3_000_000}) {
                byte[] payload = new byte[size];
                random.nextBytes(payload);

                client.call(Command.of("PUBLISH", size % 2 == 0 ? "bytes" : "größe", payload));

                Message message = subscription.poll(TIMEOUT).orElseThrow();
                assertThat(message.payload()).isEqualTo(payload);
                assertThat(message.channel()).isEqualTo(size % 2 == 0 ? "bytes" : "größe");
            }
        }
    }

    @Test
    void oneConnectionServesHundredsOfChannels() {
        List<Topic> topics = new ArrayList<>();
        for (int i = 0; i < 400; i++) {
            topics.add(Topic.channel("channel:" + i));
            topics.add(Topic.pattern("pattern:" + i + ":*"));
        }
        try (RedisClient client = clients.connect(uri(server));
                Subscription subscription = client.subscribe(SubscribeOptions.of(topics.toArray(Topic[]::new)))) {
            Pipeline pipeline = client.pipeline();
            for (int i = 0; i < 400; i++) {
                pipeline.add(PubSub.publish("channel:" + i, "c" + i));
                pipeline.add(PubSub.publish("pattern:" + i + ":x", "p" + i));
            }
            pipeline.run();

            Set<String> texts = new HashSet<>();
            for (int i = 0; i < 800; i++) {
                texts.add(subscription.poll(TIMEOUT).orElseThrow().text());
            }

            assertThat(texts).hasSize(800);
        }
    }

    @Test
    void fullBufferDropsAndCountsTheOldestMessages() {
        try (RedisClient client = clients.connect(uri(server));
                Subscription slow =
                        client.subscribe(SubscribeOptions.channels("flood").withBuffer(10))) {
            for (int i = 0; i < 100; i++) {
                client.call(PubSub.publish("flood", "message " + i));
            }
            Eventually.await("all messages have arrived", () -> slow.waiting() + slow.dropped() == 100);

            List<String> kept = new ArrayList<>();
            slow.poll(Duration.ZERO).ifPresent(message -> kept.add(message.text()));
            while (slow.waiting() > 0) {
                kept.add(slow.poll(Duration.ZERO).orElseThrow().text());
            }

            assertThat(slow.dropped()).isEqualTo(90);
            assertThat(kept).hasSize(10).startsWith("message 90").endsWith("message 99");
        }
    }

    // Waiting for messages.

    @Test
    void pollWithoutAMessageReturnsAfterItsTimeout() {
        try (RedisClient client = clients.connect(uri(server));
                Subscription quiet = client.subscribe(SubscribeOptions.channels("quiet"))) {
            long before = System.nanoTime();

            assertThat(quiet.poll(Duration.ofSeconds(-1))).isEmpty();
            assertThat(quiet.poll(Duration.ZERO)).isEmpty();
            assertThat(quiet.poll(Duration.ofMillis(100))).isEmpty();

            assertThat(Duration.ofNanos(System.nanoTime() - before)).isBetween(Duration.ofMillis(100), TIMEOUT);
        }
    }

    @Test
    void eachMessageIsReturnedToExactlyOnePoller() throws Exception {
        try (RedisClient client = clients.connect(uri(server));
                Subscription shared = client.subscribe(SubscribeOptions.channels("shared"))) {
            List<CompletableFuture<Optional<Message>>> polls = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                polls.add(polling(shared, Duration.ofSeconds(Long.MAX_VALUE)));
            }

            for (int i = 0; i < 20; i++) {
                client.call(PubSub.publish("shared", "message " + i));
            }

            Set<String> texts = new HashSet<>();
            for (CompletableFuture<Optional<Message>> poll : polls) {
                texts.add(poll.get(60, TimeUnit.SECONDS).orElseThrow().text());
            }
            assertThat(texts).hasSize(20);
        }
    }

    @Test
    void interruptedPollerReturnsAndTheSubscriptionContinues() throws Exception {
        try (RedisClient client = clients.connect(uri(server));
                Subscription subscription = client.subscribe(SubscribeOptions.channels("interrupted"))) {
            CompletableFuture<Throwable> thrown = new CompletableFuture<>();
            Thread poller =
                    Thread.ofVirtual().start(() -> thrown.complete(catchThrowable(() -> subscription.poll(TIMEOUT))));
            Eventually.await("the poller waits", () -> poller.getState() == Thread.State.TIMED_WAITING);

            poller.interrupt();

            assertThat(thrown.get(60, TimeUnit.SECONDS)).isInstanceOf(InterruptedCommandException.class);
            client.call(PubSub.publish("interrupted", "still here"));
            assertThat(subscription.poll(TIMEOUT)).isPresent();
        }
    }

    @Test
    void closeEndsEveryPollAtOnceAndKeepsBufferedMessages() throws Exception {
        try (RedisClient client = clients.connect(uri(server))) {
            Subscription empty = client.subscribe(SubscribeOptions.channels("empty"));
            Subscription full = client.subscribe(SubscribeOptions.channels("full"));
            client.call(PubSub.publish("full", "last message"));
            Eventually.await("the message has arrived", () -> full.waiting() == 1);
            CompletableFuture<Optional<Message>> poll = polling(empty, Duration.ofSeconds(60));

            empty.close();
            full.close();
            full.close();

            assertThat(poll.get(60, TimeUnit.SECONDS)).isEmpty();
            assertThat(empty.isOpen() || full.isOpen()).isFalse();
            assertThat(full.poll(TIMEOUT).orElseThrow().text()).isEqualTo("last message");
            assertThat(full.poll(TIMEOUT)).isEmpty();
            assertThat(full.gaps()).isZero();
            assertThat(log.warnings()).isEmpty();
        }
    }

    private static CompletableFuture<Optional<Message>> polling(Subscription subscription, Duration timeout) {
        CompletableFuture<Optional<Message>> result = new CompletableFuture<>();
        Thread poller = Thread.ofVirtual().start(() -> {
            try {
                result.complete(subscription.poll(timeout));
            } catch (RuntimeException e) {
                result.completeExceptionally(e);
            }
        });
        Eventually.await("the poller waits", () -> poller.getState() == Thread.State.TIMED_WAITING);
        return result;
    }

    // Permissions.

    @ParameterizedTest
    @EnumSource
    void subscribeWithoutPermissionReportsTheRefusedChannel(Protocol protocol) {
        try (RedisClient admin = clients.connect(uri(server))) {
            admin.call(Command.of("ACL SETUSER", "reader", "on", ">secret", "resetchannels", "&open:*", "+@all"));
            try (RedisClient client =
                    clients.connect(uri(server).withLogin("reader", "secret"), options -> options.protocol(protocol))) {
                SubscribeOptions mixed = SubscribeOptions.channels("open:1", "closed:1", "open:2");
                SubscribeOptions pattern = SubscribeOptions.of(Topic.channel("open:1"), Topic.pattern("*"));

                ConnectException channelRefused =
                        catchThrowableOfType(ConnectException.class, () -> client.subscribe(mixed));
                ConnectException patternRefused =
                        catchThrowableOfType(ConnectException.class, () -> client.subscribe(pattern));

                assertThat(channelRefused.reason()).isEqualTo(Reason.HANDSHAKE);
                assertThat(channelRefused).hasMessageContainingAll("channel \"closed:1\"", "NOPERM");
                assertThat(patternRefused).hasMessageContainingAll("pattern \"*\"", "NOPERM");
            }
        }
    }

    @Test
    void subscriptionOfAUserWithoutPermissionForPingStaysOpen() {
        try (RedisClient admin = clients.connect(uri(server))) {
            admin.call(Command.of("ACL SETUSER", "noping", "on", ">secret", "allchannels", "+@all", "-ping"));
            try (RedisClient client = clients.connect(
                            uri(server).withLogin("noping", "secret"),
                            options -> options.commandTimeout(Duration.ofSeconds(1)));
                    Subscription subscription = client.subscribe(SubscribeOptions.channels("quiet"))) {

                assertThat(subscription.poll(Duration.ofMillis(2_500))).isEmpty();

                assertThat(subscription.gaps()).isZero();
                assertThat(subscription.isOpen()).isTrue();
            }
        }
    }

    @Test
    void subscriptionOfADeletedUserContinuesAfterTheUserIsCreatedAgain() {
        try (RedisClient admin = clients.connect(uri(server))) {
            admin.call(Command.of("ACL SETUSER", "leaver", "on", ">marked-secret", "allchannels", "+@all"));
            try (RedisClient client = clients.connect(uri(server).withLogin("leaver", "marked-secret"));
                    Subscription subscription = client.subscribe(SubscribeOptions.channels("news"))) {
                client.call(PubSub.publish("news", "last message"));
                Eventually.await("the message has arrived", () -> subscription.waiting() == 1);

                admin.call(Command.of("ACL DELUSER", "leaver"));
                Eventually.await(
                        "the login is refused", () -> log.warnings().toString().contains("WRONGPASS"));
                Optional<Message> last = subscription.poll(TIMEOUT);
                Optional<Message> none = subscription.poll(Duration.ofMillis(1));
                boolean openMeanwhile = subscription.isOpen();
                admin.call(Command.of("ACL SETUSER", "leaver", "on", ">marked-secret", "allchannels", "+@all"));
                Eventually.await("the subscription works again", subscription::isOpen);
                admin.call(PubSub.publish("news", "next message"));

                assertThat(last.map(Message::text)).contains("last message");
                assertThat(none).isEmpty();
                assertThat(openMeanwhile).isFalse();
                assertThat(subscription.poll(TIMEOUT).map(Message::text)).contains("next message");
                assertThat(subscription.gaps()).isEqualTo(1);
                assertThat(log.lines().toString()).doesNotContain("marked-secret");
            }
        }
    }
}
