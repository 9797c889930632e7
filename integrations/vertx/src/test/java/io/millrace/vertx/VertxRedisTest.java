// SPDX-License-Identifier: Apache-2.0
package io.millrace.vertx;

import static io.millrace.vertx.TestVertx.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Outcome;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.Result;
import io.millrace.client.command.Command;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Script;
import io.millrace.client.command.Scripts;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.embedded.EmbeddedSentinels;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.vertx.core.Context;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests commands on event loops and in other contexts. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class VertxRedisTest {

    private static EmbeddedRedis server;

    @RegisterExtension
    final TestVertx test = new TestVertx();

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private VertxRedis connect() throws Exception {
        return test.onEventLoop(() -> VertxRedis.connect(
                test.vertx(), TestVertx.options(TestVertx.uri(server)).build()));
    }

    @Test
    void futureIsCompletedOnTheContextOfItsCaller() throws Exception {
        VertxRedis redis = connect();
        ContextInternal context = (ContextInternal) test.vertx().getOrCreateContext();
        ContextInternal duplicate = context.duplicate();

        Context seen =
                TestVertx.on(context, () -> redis.send(Strings.set("k", "v")).map(reply -> Vertx.currentContext()));
        Context seenByDuplicate =
                TestVertx.on(duplicate, () -> redis.send(Strings.get("k")).map(reply -> Vertx.currentContext()));

        assertThat(seen).isSameAs(context);
        assertThat(seenByDuplicate).isSameAs(duplicate);
    }

    @Test
    void clientFollowsThePrimaryThatSentinelsName() throws Exception {
        try (EmbeddedSentinels servers = EmbeddedSentinels.start(EmbeddedOptions.defaults(), 1, Optional.empty())) {
            VertxRedis redis = test.onEventLoop(() -> VertxRedis.connect(
                    test.vertx(),
                    TestVertx.options(RedisUri.parse(servers.uri())).build()));
            servers.firstPrimary().kill();

            test.onEventLoop(() -> redis.send(Strings.set("after", "v").idempotently()));

            try (RedisClient direct = RedisClient.connect(TestVertx.uri(servers.firstReplica()))) {
                assertThat(direct.call(Strings.get("after"))).contains("v");
            }
        }
    }

    @Test
    void futuresOfOneContextAreCompletedInTheOrderOfTheCalls() throws Exception {
        VertxRedis redis = connect();
        List<Integer> order = new ArrayList<>();

        List<Long> values = test.onEventLoop(() -> {
            List<Future<Long>> sent = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                int number = i;
                sent.add(redis.send(Strings.increment("order")).onSuccess(value -> order.add(number)));
            }
            return Future.all(sent).map(all -> all.<Long>list());
        });

        assertThat(values).isSorted().hasSize(1_000).endsWith(1_000L);
        assertThat(order).isSorted().hasSize(1_000);
    }

    @ParameterizedTest
    @EnumSource(
            value = ThreadingModel.class,
            names = {"EVENT_LOOP", "WORKER", "VIRTUAL_THREAD"})
    void commandsOfAVerticleStayInOrderWithEveryThreadingModel(ThreadingModel model) throws Exception {
        RedisUri uri = TestVertx.uri(server);
        List<Long> values = new ArrayList<>();
        VerticleBase verticle = new VerticleBase() {
            @Override
            public Future<?> start() {
                return VertxRedis.connect(
                                vertx, TestVertx.options(uri).connections(8).build())
                        .compose(redis -> step(redis, 200));
            }

            private Future<?> step(VertxRedis redis, int left) {
                if (left == 0) {
                    return Future.succeededFuture();
                }
                Future<Long> first = redis.send(Strings.increment("model"));
                Future<Long> second = redis.send(Strings.increment("model"));
                assertThat(Vertx.currentContext()).isSameAs(context);
                return Future.all(first, second).compose(both -> {
                    values.add(first.result());
                    values.add(second.result());
                    return step(redis, left - 1);
                });
            }
        };
        await(test.vertx().deployVerticle(() -> verticle, new DeploymentOptions().setThreadingModel(model)));

        long last = values.getLast();
        assertThat(values)
                .isEqualTo(IntStream.rangeClosed((int) last - 399, (int) last)
                        .mapToObj(Long::valueOf)
                        .toList());
    }

    @Test
    void failureOfACommandFailsItsFuture() throws Exception {
        VertxRedis redis = connect();

        assertThatThrownBy(() -> test.onEventLoop(() -> redis.send(Strings.set("text", "v"))
                        .compose(reply -> redis.send(Lists.pushRight("text", "v")))))
                .isInstanceOf(ErrorReplyException.class)
                .hasMessageContaining("WRONGTYPE");
    }

    @Test
    void pipelineReturnsOneResultForEachCommand() throws Exception {
        VertxRedis redis = connect();

        List<Result<Object>> mixed = test.onEventLoop(() -> redis.pipeline(List.of(
                Strings.set("p", "v"), Lists.pushRight("p", "v"), Strings.get("p"), Strings.increment("p-count"))));
        List<Result<Long>> numbers = test.onEventLoop(
                () -> redis.pipeline(List.of(Strings.increment("p-count"), Strings.increment("p-count"))));
        List<Result<Long>> none = test.onEventLoop(() -> redis.pipeline(List.<Command<Long>>of()));

        assertThat(mixed).extracting(Result::ok).containsExactly(true, false, true, true);
        assertThat(mixed.get(0).value()).isEqualTo("OK");
        assertThat(mixed.get(1).outcome()).isInstanceOf(Outcome.Failed.class);
        assertThatThrownBy(mixed.get(1)::value).isInstanceOf(ErrorReplyException.class);
        assertThat(mixed.get(2).value()).isEqualTo(Optional.of("v"));
        assertThat(mixed.get(3).value()).isEqualTo(1L);
        assertThat(numbers).extracting(Result::value).containsExactly(2L, 3L);
        assertThat(none).isEmpty();
    }

    @Test
    void pipelineLargerThanTheWindowReportsTheRefusedCommands() throws Exception {
        VertxRedis redis = test.onEventLoop(() -> VertxRedis.connect(
                test.vertx(),
                TestVertx.options(TestVertx.uri(server)).inFlight(10).build()));

        List<Result<Long>> results = test.onEventLoop(() -> redis.pipeline(IntStream.range(0, 1_000)
                .mapToObj(i -> Strings.increment("wide"))
                .toList()));

        long ok = results.stream().filter(Result::ok).count();
        assertThat(ok).isBetween(10L, 999L);
        assertThat(results)
                .hasSize(1_000)
                .allMatch(result -> result.ok() || result.outcome() instanceof Outcome.Refused);
        assertThat(redis.client().counts().refused()).isEqualTo(1_000 - ok);
    }

    @Test
    void transactionReturnsItsResultsAndKeepsTheOrder() throws Exception {
        VertxRedis redis = connect();

        List<Result<Object>> results = test.onEventLoop(() -> {
            Future<String> before = redis.send(Strings.set("tx", "1"));
            Future<List<Result<Object>>> transaction =
                    redis.transaction(List.of(Strings.increment("tx"), Strings.get("tx")));
            Future<Long> after = redis.send(Strings.increment("tx"));
            return Future.all(before, transaction, after).map(all -> {
                assertThat(after.result()).isEqualTo(3);
                return transaction.result();
            });
        });

        assertThat(results).extracting(Result::value).containsExactly(2L, Optional.of("2"));
        assertThatThrownBy(() -> test.onEventLoop(() -> redis.transaction(List.of(Command.of("GET")))))
                .isInstanceOf(ErrorReplyException.class);
    }

    @Test
    void scriptRunsWithoutAndWithItsBody() throws Exception {
        VertxRedis redis = connect();
        Script script = Script.of("return ARGV[1] .. '" + System.nanoTime() + "'");

        for (int i = 0; i < 2; i++) {
            String value = test.onEventLoop(() ->
                    redis.send(Scripts.run(script, List.of("k"), List.of("a")).as(Replies::text)));

            assertThat(value).startsWith("a");
        }
    }

    @Test
    void commandThatNeedsADedicatedConnectionIsRejected() throws Exception {
        VertxRedis redis = connect();

        assertThatIllegalArgumentException().isThrownBy(() -> redis.send(Lists.awaitLeft(Duration.ofSeconds(1), "q")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> redis.pipeline(List.of(Strings.get("k"), Command.of("WATCH", "k"))));
        assertThat(redis.client().counts().submitted()).isZero();
    }

    @Test
    void clientThatBlocksAtItsLimitsIsRejected() {
        RedisUri uri = TestVertx.uri(server);
        try (RedisClient client = RedisClient.connect(uri)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> VertxRedis.of(test.vertx(), client))
                    .withMessageContaining("overflow=BLOCK. Build its options with Overflow.REFUSE");
            assertThatIllegalArgumentException().isThrownBy(() -> VertxRedis.connect(test.vertx(), client.options()));
        }
    }

    @Test
    void connectFailsIfTheServerCannotBeReached() {
        assertThatThrownBy(() -> test.onEventLoop(() -> VertxRedis.connect(test.vertx(), RedisUri.of("127.0.0.1", 1))))
                .isInstanceOf(ConnectException.class);
    }

    @Test
    void clientIsClosedWithTheVerticleThatConnected() throws Exception {
        List<VertxRedis> opened = new ArrayList<>();
        RedisUri uri = TestVertx.uri(server);
        String id = await(test.vertx().deployVerticle(new VerticleBase() {
            @Override
            public Future<?> start() {
                return VertxRedis.connect(vertx, uri).onSuccess(opened::add);
            }
        }));
        VertxRedis redis = opened.getFirst();
        assertThat(redis.client().isOpen()).isTrue();

        await(test.vertx().undeploy(id));

        assertThat(redis.client().isOpen()).isFalse();
        assertThatThrownBy(() -> await(redis.send(Strings.get("k")))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> await(redis.pipeline(List.of(Strings.get("k")))))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void sharedClientStaysOpenAfterItsVerticle() throws Exception {
        RedisUri uri = TestVertx.uri(server);
        Set<VertxRedis> opened = ConcurrentHashMap.newKeySet();
        try (RedisClient client = RedisClient.connect(TestVertx.options(uri).build())) {
            String id = await(test.vertx().deployVerticle(new VerticleBase() {
                @Override
                public Future<?> start() {
                    VertxRedis redis = VertxRedis.of(vertx, client);
                    opened.add(redis);
                    return redis.send(Strings.set("shared", "v"));
                }
            }));

            await(test.vertx().undeploy(id));

            assertThat(client.call(Strings.get("shared"))).contains("v");
            assertThatThrownBy(() -> await(opened.iterator().next().send(Strings.get("k"))))
                    .isInstanceOf(IllegalStateException.class);
        }
    }
}
