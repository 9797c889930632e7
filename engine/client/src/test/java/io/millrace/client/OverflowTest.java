// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.testkit.AccountCheck;
import io.millrace.testkit.Answer;
import io.millrace.testkit.Ending;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** More commands than may be in flight. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class OverflowTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @RegisterExtension
    final AccountCheck accounts = new AccountCheck();

    @Test
    void refusingTakesNoTimeAndEachRefusalIsCounted() throws Exception {
        int places = 100;
        int each = 2_500;
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.end(Ending.SILENCE)));
                RedisClient client = connect(options(server)
                        .inFlight(places)
                        .overflow(Overflow.REFUSE)
                        .build());
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<CompletableFuture<String>> taken = Stream.generate(() -> client.send(Server.ping()))
                    .limit(places)
                    .toList();
            long before = System.nanoTime();

            List<Future<Long>> refusals = List.of(
                    executor.submit(() -> refusedCalls(client, each)),
                    executor.submit(() -> refusedCalls(client, each)),
                    executor.submit(() -> refusedFutures(client, each)),
                    executor.submit(() -> refusedResults(client, each)));
            long refused = 0;
            for (Future<Long> one : refusals) {
                refused += one.get(20, TimeUnit.SECONDS);
            }

            // A refusal costs microseconds; waiting for a place would take the timeout.
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(5));
            assertThat(refused).isEqualTo(4L * each);
            assertThat(client.counts()).isEqualTo(new CommandCounts(places + refused, 0, 0, 0, refused, 0, places));
            assertThat(taken).noneMatch(CompletableFuture::isDone);
            assertThat(server.commands())
                    .filteredOn(command -> command.name().equals("PING"))
                    .hasSizeLessThanOrEqualTo(places);
        }
    }

    private static long refusedCalls(RedisClient client, int count) {
        for (int i = 0; i < count; i++) {
            assertThatThrownBy(() -> client.call(Server.ping()))
                    .isInstanceOf(RefusedException.class)
                    .hasMessageContainingAll("waiting for a permit", "inFlight=100", "limit=100");
        }
        return count;
    }

    private static long refusedFutures(RedisClient client, int count) {
        return Stream.generate(() -> client.send(Server.ping()))
                .limit(count)
                .filter(future -> Fate.of(future) == Fate.REFUSED)
                .count();
    }

    private static long refusedResults(RedisClient client, int count) {
        Pipeline pipeline = client.pipeline();
        for (int i = 0; i < count; i++) {
            pipeline.add(Server.ping());
        }
        return pipeline.run().stream()
                .filter(result -> Fate.of(result.outcome()) == Fate.REFUSED)
                .count();
    }

    @Test
    void whoWaitsForAPlaceIsRefusedAtItsDeadlineHoweverManyWait() throws Exception {
        int waiting = 200;
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.end(Ending.SILENCE)));
                RedisClient client = connect(options(server).inFlight(1).build());
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            CompletableFuture<String> first = client.send(Server.ping());

            List<Future<Duration>> overdue = new ArrayList<>();
            for (int i = 0; i < waiting; i++) {
                Duration limit = Duration.ofMillis(50 + i);
                boolean send = i % 2 == 0;
                overdue.add(executor.submit(() -> {
                    long before = System.nanoTime();
                    Command<String> ping = Server.ping().within(limit);
                    Fate fate = send ? Fate.of(client.send(ping)) : Way.call(client, ping);
                    Duration took = Duration.ofNanos(System.nanoTime() - before);
                    assertThat(fate).isEqualTo(Fate.REFUSED);
                    return took.minus(limit);
                }));
            }

            for (Future<Duration> one : overdue) {
                // Never early, and long before the place becomes free.
                assertThat(one.get(20, TimeUnit.SECONDS)).isBetween(Duration.ZERO, Duration.ofSeconds(2));
            }
            assertThat(first).isNotDone();
            assertThat(client.counts()).isEqualTo(new CommandCounts(waiting + 1, 0, 0, 0, waiting, 0, 1));
        }
    }

    @Test
    void aTimedOutCommandKeepsItsPlaceUntilItsReplyComes() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(
                        command -> Answer.reply("+PONG\r\n").heldUntil(released)));
                RedisClient client = connect(
                        options(server).inFlight(2).overflow(Overflow.REFUSE).build())) {
            Command<String> hurried = Server.ping().within(Duration.ofMillis(20));
            assertThat(Fate.of(client.send(hurried))).isEqualTo(Fate.TIMED_OUT);
            assertThat(Way.call(client, hurried)).isEqualTo(Fate.TIMED_OUT);

            Fate whileTheServerStillOwesBoth = Way.call(client, Server.ping());
            released.countDown();
            awaitPlaces(client);
            Fate afterwards = Way.call(client, Server.ping());

            assertThat(whileTheServerStillOwesBoth).isEqualTo(Fate.REFUSED);
            assertThat(afterwards).isEqualTo(Fate.OK);
            assertThat(client.account().lateReplies()).isEqualTo(2);
            assertThat(client.counts()).isEqualTo(new CommandCounts(4, 1, 0, 2, 1, 0, 0));
        }
    }

    private static void awaitPlaces(RedisClient client) {
        long giveUp = System.nanoTime() + PATIENCE.toNanos();
        while (client.account().connections().getFirst().inFlight() > 0 && System.nanoTime() - giveUp < 0) {
            LockSupport.parkNanos(100_000);
        }
    }

    private RedisClient connect(ClientOptions options) {
        RedisClient client = RedisClient.connect(options);
        accounts.watch("client", () -> AccountFigures.of(client.counts()));
        return client;
    }

    private static ClientOptions.Builder options(FakeRedis server) {
        return ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                .connections(1)
                .commandTimeout(PATIENCE);
    }
}
