// SPDX-License-Identifier: Apache-2.0
package io.millrace.vertx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.SubscribeOptions;
import io.millrace.client.command.PubSub;
import io.millrace.client.exception.ConnectException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests subscriptions as streams. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class MessageStreamTest {

    @RegisterExtension
    final TestVertx test = new TestVertx();

    private final EmbeddedRedis server = EmbeddedRedis.start();
    private VertxRedis redis;

    private final List<String> received = new CopyOnWriteArrayList<>();

    @BeforeEach
    void connect() throws Exception {
        redis = test.onEventLoop(() -> VertxRedis.connect(
                test.vertx(), TestVertx.options(TestVertx.uri(server)).build()));
    }

    @AfterEach
    void close() throws Exception {
        TestVertx.await(redis.close());
        server.close();
    }

    private MessageStream subscribe() throws Exception {
        return test.onEventLoop(() -> redis.subscribe(SubscribeOptions.channels("news")));
    }

    private void publish(int from, int to) throws Exception {
        test.onEventLoop(() -> redis.pipeline(IntStream.range(from, to)
                .mapToObj(i -> PubSub.publish("news", Integer.toString(i)))
                .toList()));
    }

    private static List<String> numbers(int from, int to) {
        return IntStream.range(from, to).mapToObj(Integer::toString).toList();
    }

    @Test
    void messagesArriveInOrderOnTheContextOfTheSubscriber() throws Exception {
        ContextInternal context = ((ContextInternal) test.vertx().getOrCreateContext()).duplicate();
        MessageStream stream = TestVertx.on(context, () -> redis.subscribe(SubscribeOptions.channels("news")));
        CompletableFuture<Boolean> onContext = new CompletableFuture<>();
        stream.handler(message -> {
            onContext.complete(context.equals(Vertx.currentContext()));
            received.add(message.text());
        });

        publish(0, 1_000);

        TestVertx.await("all messages arrive", () -> received.size() == 1_000);
        assertThat(received).isEqualTo(numbers(0, 1_000));
        assertThat(TestVertx.await(onContext)).isTrue();
        assertThat(stream.subscription().dropped()).isZero();
    }

    @Test
    void pausedStreamDeliversOnlyWhatIsFetched() throws Exception {
        MessageStream stream = subscribe();
        stream.pause();
        stream.handler(message -> received.add(message.text()));

        publish(0, 100);
        TestVertx.await("all messages wait", () -> stream.subscription().waiting() == 100);
        assertThat(received).isEmpty();

        stream.fetch(10);
        TestVertx.await("ten messages arrive", () -> received.size() == 10);
        stream.fetch(0);
        stream.resume();
        TestVertx.await("all messages arrive", () -> received.size() == 100);
        assertThat(received).isEqualTo(numbers(0, 100));
    }

    @Test
    void handlerMayPauseTheStreamAtAnyMessage() throws Exception {
        MessageStream stream = subscribe();
        stream.handler(message -> {
            received.add(message.text());
            stream.pause();
            test.vertx().setTimer(1, unused -> stream.resume());
        });

        publish(0, 20);

        TestVertx.await("all messages arrive", () -> received.size() == 20);
        assertThat(received).isEqualTo(numbers(0, 20));
    }

    @Test
    void handlerThatThrowsDoesNotEndTheStream() throws Exception {
        CopyOnWriteArrayList<Throwable> reported = new CopyOnWriteArrayList<>();
        test.onEventLoop(() -> {
            test.vertx().getOrCreateContext().exceptionHandler(reported::add);
            return redis.subscribe(SubscribeOptions.channels("news"))
                    .onSuccess(stream -> stream.handler(message -> {
                        received.add(message.text());
                        throw new IllegalStateException("on purpose");
                    }));
        });

        publish(0, 5);

        TestVertx.await("all messages arrive", () -> received.size() == 5 && reported.size() == 5);
    }

    @Test
    void closedStreamCallsItsEndHandlerOnce() throws Exception {
        MessageStream stream = subscribe();
        CopyOnWriteArrayList<String> ends = new CopyOnWriteArrayList<>();
        CompletableFuture<Void> ended = new CompletableFuture<>();
        stream.handler(message -> received.add(message.text()));
        stream.endHandler(unused -> {
            ends.add(Thread.currentThread().getName());
            ended.complete(null);
        });

        TestVertx.await(stream.close());
        TestVertx.await(stream.close());
        TestVertx.await(ended);

        assertThat(stream.subscription().isOpen()).isFalse();
        assertThat(test.onEventLoop(() -> redis.send(PubSub.publish("news", "late"))))
                .isZero();
        assertThat(ends).singleElement().asString().contains("eventloop");
    }

    @Test
    void streamEndsWithItsVerticle() throws Exception {
        Promise<MessageStream> opened = Promise.promise();
        CompletableFuture<Void> ended = new CompletableFuture<>();
        try (RedisClient client =
                RedisClient.connect(TestVertx.options(TestVertx.uri(server)).build())) {
            String id = TestVertx.await(test.vertx().deployVerticle(new VerticleBase() {
                @Override
                public Future<?> start() {
                    return VertxRedis.of(vertx, client)
                            .subscribe(SubscribeOptions.channels("news"))
                            .onSuccess(stream -> stream.handler(message -> received.add(message.text()))
                                    .endHandler(ended::complete))
                            .onComplete(opened);
                }
            }));
            MessageStream stream = opened.future().result();

            TestVertx.await(test.vertx().undeploy(id));

            assertThat(stream.subscription().isOpen()).isFalse();
            TestVertx.await(ended);
        }
    }

    @Test
    void streamOfAnotherVerticleEndsBeforeTheAdapterIsClosed() throws Exception {
        Promise<MessageStream> opened = Promise.promise();
        String id = TestVertx.await(test.vertx().deployVerticle(new VerticleBase() {
            @Override
            public Future<?> start() {
                return redis.subscribe(SubscribeOptions.channels("news")).onComplete(opened);
            }
        }));

        TestVertx.await(test.vertx().undeploy(id));

        assertThat(opened.future().result().subscription().isOpen()).isFalse();
        assertThat(redis.client().isOpen()).isTrue();
    }

    @Test
    void subscriptionFailsIfTheServerIsGone() {
        server.close();

        assertThatThrownBy(this::subscribe).isInstanceOf(ConnectException.class);
    }
}
