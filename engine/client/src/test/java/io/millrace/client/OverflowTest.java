// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.client.exception.RefusedException;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.StatsCheck;
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

/** Tests callers that submit more commands than the window permits. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class OverflowTest {

    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @RegisterExtension
    final StatsCheck stats = new StatsCheck();

    @Test
    void commandWithoutAPermitIsRefusedAtOnceAndCounted() throws Exception {
        int permits = 100;
        int each = 2_500;
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.end(ConnectionEnd.SILENCE)));
                RedisClient client = connect(options(server)
                        .inFlight(permits)
                        .overflow(Overflow.REFUSE)
                        .build());
                ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            List<CompletableFuture<String>> taken = Stream.generate(() -> client.send(Server.ping()))
                    .limit(permits)
                    .toList();
            long before = System.nanoTime();

            List<Future<Long>> refusals = List.of(
                    executor.submit(() -> refusedCalls(client, each)),
                    executor.submit(() -> refusedCalls(client, each)),
                    executor.submit(() -> refusedFutures(client, each)),
                    executor.submit(() -> refusedResults(client, each)));
            long refused = 0;
            for (Future<Long> refusal : refusals) {
                refused += refusal.get(60, TimeUnit.SECONDS);
            }

            // A refusal takes microseconds. A caller that waits for a permit would be refused only at its timeout.
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(50));
            assertThat(refused).isEqualTo(4L * each);
            assertThat(client.counts()).isEqualTo(new CommandCounts(permits + refused, 0, 0, 0, refused, 0, permits));
            assertThat(taken).noneMatch(CompletableFuture::isDone);
            assertThat(server.commands())
                    .filteredOn(command -> command.name().equals("PING"))
                    .hasSizeLessThanOrEqualTo(permits);
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
                .filter(future -> CommandFate.of(future) == CommandFate.REFUSED)
                .count();
    }

    private static long refusedResults(RedisClient client, int count) {
        Pipeline pipeline = client.pipeline();
        for (int i = 0; i < count; i++) {
            pipeline.add(Server.ping());
        }
        return pipeline.run().stream()
                .filter(result -> CommandFate.of(result.outcome()) == CommandFate.REFUSED)
                .count();
    }

    @Test
    void eachOfManyCallersWaitingForAPermitIsRefusedAtItsDeadline() throws Exception {
        int waiting = 200;
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.end(ConnectionEnd.SILENCE)));
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
                    CommandFate commandFate = send ? CommandFate.of(client.send(ping)) : CallMode.call(client, ping);
                    Duration took = Duration.ofNanos(System.nanoTime() - before);
                    assertThat(commandFate).isEqualTo(CommandFate.REFUSED);
                    return took.minus(limit);
                }));
            }

            for (Future<Duration> delay : overdue) {
                // No caller is refused before its deadline. Every caller is refused although no permit becomes free.
                assertThat(delay.get(60, TimeUnit.SECONDS)).isBetween(Duration.ZERO, Duration.ofSeconds(20));
            }
            assertThat(first).isNotDone();
            assertThat(client.counts()).isEqualTo(new CommandCounts(waiting + 1, 0, 0, 0, waiting, 0, 1));
        }
    }

    @Test
    void timedOutCommandKeepsItsPermitUntilItsReply() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(
                        command -> Answer.reply("+PONG\r\n").heldUntil(released)));
                RedisClient client = connect(
                        options(server).inFlight(2).overflow(Overflow.REFUSE).build())) {
            Command<String> withShortTimeout = Server.ping().within(Duration.ofMillis(20));
            assertThat(CommandFate.of(client.send(withShortTimeout))).isEqualTo(CommandFate.TIMED_OUT);
            assertThat(CallMode.call(client, withShortTimeout)).isEqualTo(CommandFate.TIMED_OUT);

            CommandFate beforeTheReplies = CallMode.call(client, Server.ping());
            released.countDown();
            awaitPermits(client);
            CommandFate afterTheReplies = CallMode.call(client, Server.ping());

            assertThat(beforeTheReplies).isEqualTo(CommandFate.REFUSED);
            assertThat(afterTheReplies).isEqualTo(CommandFate.OK);
            assertThat(client.stats().lateReplies()).isEqualTo(2);
            assertThat(client.counts()).isEqualTo(new CommandCounts(4, 1, 0, 2, 1, 0, 0));
        }
    }

    private static void awaitPermits(RedisClient client) {
        long giveUp = System.nanoTime() + TIMEOUT.toNanos();
        while (client.stats().connections().getFirst().inFlight() > 0 && System.nanoTime() - giveUp < 0) {
            LockSupport.parkNanos(100_000);
        }
    }

    private RedisClient connect(ClientOptions options) {
        RedisClient client = RedisClient.connect(options);
        stats.watch("client", () -> StatsAdapter.of(client.counts()));
        return client;
    }

    private static ClientOptions.Builder options(FakeRedis server) {
        return ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                .connectTimeout(Duration.ofSeconds(60))
                .connections(1)
                .commandTimeout(TIMEOUT);
    }
}
