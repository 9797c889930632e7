// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.SHORT_LIMIT;
import static io.millrace.client.WatchedClients.TIMEOUT;
import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.command.Command;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.command.Transactions;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RefusedException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests pipelines. The result of every command is at the index of the command, also when this or another command fails.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class PipelineTest {

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

    @Test
    void batchesOverlapInASmallWindow() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(
                        command -> Answer.reply("+PONG\r\n").heldUntil(released)));
                RedisClient client = clients.connect(
                        uri(fake), options -> options.inFlight(512).overflow(Overflow.REFUSE))) {
            Pipeline pipeline = client.pipeline();
            List<Result<String>> results = new ArrayList<>();
            for (int i = 0; i < 600; i++) {
                results.add(pipeline.add(Server.ping()));
            }
            released.countDown();
            pipeline.run();

            // The window has room for the first batch of 64 and one batch of 256. The next batch of 256 does not fit.
            assertThat(results)
                    .filteredOn(result -> result.outcome() instanceof Outcome.Refused)
                    .hasSize(256);
        }
    }

    @ParameterizedTest
    @EnumSource
    void resultsAreInCommandOrderAndAnErrorIsTheResultOfItsCommand(Protocol protocol) {
        int commands = 20_000;
        try (RedisClient client = clients.connect(uri(server), options -> options.protocol(protocol))) {
            client.call(Strings.set("text", "no list"));
            Pipeline pipeline = client.pipeline();
            List<Result<?>> added = new ArrayList<>();
            for (int i = 0; i < commands; i++) {
                added.add(
                        i % 10 == 7
                                ? pipeline.add(Lists.pushRight("text", "element"))
                                : pipeline.add(Server.echo("message " + i)));
            }

            List<Result<?>> results = pipeline.run();

            assertThat(results).isEqualTo(added);
            for (int i = 0; i < commands; i++) {
                Result<?> result = results.get(i);
                if (i % 10 == 7) {
                    assertThat(result.ok()).isFalse();
                    assertThatThrownBy(result::value)
                            .isInstanceOfSatisfying(
                                    ErrorReplyException.class,
                                    error -> assertThat(error.code()).isEqualTo("WRONGTYPE"));
                } else {
                    assertThat(result.value()).isEqualTo("message " + i);
                }
            }
            assertThat(client.counts())
                    .isEqualTo(new CommandCounts(commands + 1, commands * 9 / 10 + 1, commands / 10, 0, 0, 0, 0));
        }
    }

    @Test
    void pipelineCanBeReusedAndAnEmptyPipelineHasNoResults() {
        try (RedisClient client = clients.connect(uri(server))) {
            Pipeline pipeline = client.pipeline();
            Result<String> first = pipeline.add(Server.echo("first"));
            assertThatThrownBy(first::outcome)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("run the pipeline");

            List<Result<?>> firstRun = pipeline.run();
            List<Result<?>> nothing = pipeline.run();
            Result<String> second = pipeline.add(Server.echo("second"));
            List<Result<?>> secondRun = pipeline.run();

            assertThat(firstRun).isEqualTo(List.of(first));
            assertThat(nothing).isEmpty();
            assertThat(secondRun).isEqualTo(List.of(second));
            assertThat(first.value() + second.value()).isEqualTo("firstsecond");
        }
    }

    @Test
    void callersAndPipelinesOnOneConnectionReceiveTheirOwnReplies() throws Exception {
        long seed = Long.getLong("millrace.seed", System.nanoTime());
        System.out.println("callersAndPipelinesOnOneConnectionReceiveTheirOwnReplies seed: " + seed);
        List<CompletableFuture<String>> wrong = new ArrayList<>();
        try (RedisClient client = clients.connect(uri(server), options -> options.inFlight(256))) {
            for (int caller = 0; caller < 16; caller++) {
                int number = caller;
                Random random = new Random(seed + caller);
                wrong.add(inBackground(() -> number % 4 == 0 ? calls(client, number) : pipes(client, number, random)));
            }
            for (CompletableFuture<String> errors : wrong) {
                assertThat(errors.get(60, TimeUnit.SECONDS)).isEmpty();
            }
        }
    }

    private static String calls(RedisClient client, int number) {
        for (int i = 0; i < 1_000; i++) {
            String message = number + " calls " + i;
            if (!client.call(Server.echo(message)).equals(message)) {
                return "not mine: " + message;
            }
        }
        return "";
    }

    private static String pipes(RedisClient client, int number, Random random) {
        for (int i = 0; i < 20; i++) {
            Pipeline pipeline = client.pipeline();
            int length = random.nextInt(700);
            List<String> messages = IntStream.range(0, length)
                    .mapToObj(k -> number + " pipes " + k + "x".repeat(random.nextInt(100)))
                    .toList();
            messages.forEach(message -> pipeline.add(Server.echo(message)));
            List<Object> answers =
                    pipeline.run().stream().<Object>map(Result::value).toList();
            if (!answers.equals(messages)) {
                return "not mine: " + number + ", " + i;
            }
        }
        return "";
    }

    @Test
    void interruptedPipelineRunCanBeRepeated() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        try (FakeRedis fake = FakeRedis.start(
                        Handler.afterHandshake(command -> echo(command).heldUntil(released)));
                RedisClient client = clients.connect(uri(fake))) {
            Pipeline pipeline = client.pipeline();
            Result<?> first = pipeline.add(Strings.get("first"));
            CompletableFuture<Throwable> thrown = new CompletableFuture<>();
            Thread runner = Thread.ofVirtual().start(() -> thrown.complete(catchThrowable(pipeline::run)));
            fake.awaitCommands(3, TIMEOUT);

            runner.interrupt();
            Throwable interrupted = thrown.get(60, TimeUnit.SECONDS);
            Result<?> second = pipeline.add(Strings.get("second"));
            released.countDown();
            List<Result<?>> results = pipeline.run();

            assertThat(interrupted)
                    .isInstanceOfSatisfying(
                            InterruptedCommandException.class,
                            failure -> assertThat(failure.maybeExecuted()).isTrue());
            assertThat(results).isEqualTo(List.of(first, second));
            assertThat(results).allMatch(Result::ok);
        }
    }

    @Test
    void pipelineMayBeFilledByOneThreadAndRunByAnotherThread() throws Exception {
        try (RedisClient client = clients.connect(uri(server), options -> options.inFlight(1_024))) {
            Pipeline pipeline = client.pipeline();
            for (int i = 0; i < 5_000; i++) {
                pipeline.add(Server.echo("message " + i));
            }

            List<Result<?>> results = inBackground(pipeline::run).get(60, TimeUnit.SECONDS);

            assertThat(results).hasSize(5_000).allMatch(Result::ok);
        }
    }

    @Test
    void onlyTheCommandWithAShortTimeoutTimesOutInAPipeline() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        Handler handler = Handler.afterHandshake(
                command -> command.text(1).equals("short") ? echo(command).heldUntil(released) : echo(command));
        try (FakeRedis fake = FakeRedis.start(handler);
                RedisClient client = clients.connect(uri(fake))) {
            Pipeline pipeline = client.pipeline();
            pipeline.add(Strings.get("before"));
            pipeline.add(Strings.get("short").within(Duration.ofSeconds(1)));
            pipeline.add(Strings.get("after"));
            Thread releaser = Thread.ofVirtual().start(() -> {
                Eventually.await(
                        "the command has timed out", () -> client.counts().timedOut() == 1);
                released.countDown();
            });

            List<Result<?>> results = pipeline.run();
            releaser.join();

            assertThat(results.get(0).ok()).isTrue();
            assertThat(results.get(1).outcome()).isEqualTo(new Outcome.TimedOut());
            assertThat(results.get(2).value()).hasToString("Optional[after]");
            assertThatThrownBy(results.get(1)::value)
                    .isInstanceOf(TimedOutException.class)
                    .hasMessageStartingWith("GET timed out after 1000 ms: endpoint=" + fake.host() + ":" + fake.port()
                            + ", connection=1, phase=sent");
        }
    }

    @Test
    void runReturnsAtItsDeadlineWithTheRepliesReceivedSoFar() {
        CountDownLatch never = new CountDownLatch(1);
        Handler handler = Handler.afterHandshake(
                command -> command.text(1).equals("last") ? echo(command).heldUntil(never) : echo(command));
        try (FakeRedis fake = FakeRedis.start(handler);
                RedisClient client = clients.connect(uri(fake))) {
            Pipeline pipeline = client.pipeline();
            pipeline.add(Strings.get("first"));
            pipeline.add(Strings.get("second"));
            pipeline.add(Strings.get("last").within(Duration.ofSeconds(3)));
            // The client still waits for the reply to this command, and the command has not timed out. So the client
            // does not treat the connection as hanging.
            CompletableFuture<?> withDefaultTimeout = client.send(Strings.get("other"));
            long before = System.nanoTime();

            List<Result<?>> results = pipeline.run();

            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(SHORT_LIMIT);
            assertThat(results.stream().map(Result::ok)).containsExactly(true, true, false);
            assertThat(results.get(2).outcome()).isEqualTo(new Outcome.TimedOut());
            never.countDown();
            assertThat(withDefaultTimeout.join()).isNotNull();
        }
    }

    @Test
    void commandWithoutAPermitIsRefusedAtOnceIfTheOverflowOptionIsSetToRefuse() {
        CountDownLatch released = new CountDownLatch(1);
        int permits = 8;
        try (FakeRedis fake = FakeRedis.start(
                        Handler.afterHandshake(command -> echo(command).heldUntil(released)));
                RedisClient client = clients.connect(
                        uri(fake), options -> options.inFlight(permits).overflow(Overflow.REFUSE))) {
            Pipeline pipeline = client.pipeline();
            for (int i = 0; i < 3 * permits; i++) {
                pipeline.add(Strings.get("k" + i));
            }
            assertThat(client.counts().refused()).isEqualTo(2L * permits);
            released.countDown();

            List<Result<?>> results = pipeline.run();

            assertThat(results).hasSize(3 * permits);
            assertThat(results.subList(0, permits)).allMatch(Result::ok);
            assertThat(results.subList(permits, 3 * permits))
                    .allMatch(result -> result.outcome().equals(new Outcome.Refused()));
            assertThatThrownBy(results.getLast()::value).isInstanceOf(RefusedException.class);
        }
    }

    @Test
    void onlyTheCommandThatWaitsForAPermitIsRefusedIfItsThreadIsInterrupted() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        try (FakeRedis fake = FakeRedis.start(
                        Handler.afterHandshake(command -> echo(command).heldUntil(released)));
                RedisClient client = clients.connect(uri(fake), options -> options.inFlight(1))) {
            Pipeline pipeline = client.pipeline();
            pipeline.add(Strings.get("sent"));
            CompletableFuture<Boolean> stillInterrupted = new CompletableFuture<>();
            Thread adder = Thread.ofPlatform().start(() -> {
                pipeline.add(Strings.get("waits"));
                stillInterrupted.complete(Thread.interrupted());
            });
            Eventually.await("the thread waits", () -> adder.getState() == Thread.State.TIMED_WAITING);

            adder.interrupt();
            assertThat(stillInterrupted.get(60, TimeUnit.SECONDS)).isTrue();
            released.countDown();
            pipeline.add(Strings.get("later"));
            List<Result<?>> results = pipeline.run();

            assertThat(results.stream().map(Result::ok)).containsExactly(true, false, true);
            assertThat(results.get(1).outcome()).isEqualTo(new Outcome.Refused());
        }
    }

    @Test
    void pipelineThatIsNeverRunRejectsCommandsAboveItsLimit() {
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(command -> Answer.end(ConnectionEnd.SILENCE)));
                RedisClient client = clients.connect(
                        uri(fake),
                        options ->
                                options.inFlight(1).overflow(Overflow.REFUSE).commandTimeout(Duration.ofMillis(100)))) {
            Pipeline pipeline = client.pipeline();
            Command<?> ping = Server.ping();
            for (int i = 0; i < Pipeline.MAX_RESULTS; i++) {
                pipeline.add(ping);
            }

            assertThatThrownBy(() -> pipeline.add(ping))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("1000000 results");

            assertThat(pipeline.run()).hasSize(Pipeline.MAX_RESULTS);
        }
    }

    @Test
    void commandThatNeedsADedicatedConnectionIsRejectedAndNotCounted() {
        try (RedisClient client = clients.connect(uri(server));
                DedicatedConnection connection = client.borrow()) {
            for (Pipeline pipeline : List.of(client.pipeline(), connection.pipeline())) {
                for (Command<?> command :
                        List.of(Lists.awaitLeft(TIMEOUT, "list"), Transactions.watch("k"), Command.of("SELECT", 1))) {
                    assertThatThrownBy(() -> pipeline.add(command)).isInstanceOf(IllegalArgumentException.class);
                }
                assertThat(pipeline.run()).isEmpty();
            }
            assertThat(client.counts().submitted()).isZero();
        }
    }

    private static Answer echo(ReceivedCommand command) {
        String key = command.text(1);
        return Answer.reply("$" + key.length() + "\r\n" + key + "\r\n");
    }

    private interface Call<T> {
        T run();
    }

    private static <T> CompletableFuture<T> inBackground(Call<T> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                result.complete(call.run());
            } catch (Throwable e) {
                result.completeExceptionally(e);
            }
        });
        return result;
    }
}
