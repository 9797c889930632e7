// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.command.Command;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RefusedException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the calls of a command listener: their number, threads, times and values. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CommandListenerTest {

    private static final Handler SILENT = Handler.afterHandshake(command -> Answer.noReply());

    private static EmbeddedRedis server;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    private final RecordedCommands recorded = new RecordedCommands();

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    private RedisClient connect() {
        return clients.connect(WatchedClients.uri(server), options -> options.commandListener(recorded));
    }

    @Test
    void everyCommandOfTheStatsIsReportedOnceWithItsContext() throws Exception {
        try (RedisClient client = connect()) {
            client.call(Strings.set("k", "v"));
            client.send(Strings.get("k")).get(60, TimeUnit.SECONDS);
            Pipeline pipeline = client.pipeline();
            for (int i = 0; i < 300; i++) {
                pipeline.add(Strings.increment("n"));
            }
            pipeline.run();
            Pipeline listened = client.pipeline((index, result) -> {});
            for (int i = 0; i < 300; i++) {
                listened.add(Strings.get("n"));
            }
            listened.run();
            Transaction transaction = client.transaction();
            transaction.add(Strings.get("k"));
            transaction.run();
            client.call(Lists.pushLeft("list", "v"));
            client.call(Lists.awaitLeft(Duration.ofSeconds(1), "list"));
            try (DedicatedConnection borrowed = client.borrow()) {
                borrowed.call(Keys.type("k"));
            }
            client.health(WatchedClients.TIMEOUT);

            CommandCounts counts = client.counts();
            assertThat(recorded.ends()).hasSize((int) counts.submitted());
            assertThat(recorded.ends().stream().map(RecordedCommands.End::start))
                    .containsExactlyInAnyOrderElementsOf(recorded.submitted);
            assertThat(recorded.ends()).allSatisfy(end -> {
                assertThat(end.name()).isEqualTo(end.start().name());
                assertThat(end.kind()).isEqualTo(EndedCommand.Kind.OK);
                assertThat(end.endpoint()).isEqualTo(server.host() + ":" + server.port());
                assertThat(end.wasSent()).isTrue();
                assertThat(end.sentNanos() - end.submittedNanos()).isNotNegative();
                assertThat(end.endedNanos() - end.sentNanos()).isNotNegative();
            });
            assertThat(recorded.names()).contains("SET", "GET", "INCRBY", "EXEC", "LPUSH", "BLPOP", "TYPE", "PING");
            assertThat(recorded.ends().getFirst().connection()).isEqualTo("1");
        }
    }

    @Test
    void commandOfTheWarmUpIsNotReported() {
        try (RedisClient client = connect()) {
            assertThat(client.counts().submitted()).isZero();
            assertThat(recorded.submitted).isEmpty();
            assertThat(recorded.ends()).isEmpty();
        }
    }

    @Test
    void waitingThreadReportsACallAndAVirtualThreadReportsASend() throws Exception {
        try (RedisClient client = connect()) {
            client.call(Server.ping());
            CompletableFuture<Boolean> reportedBefore = client.send(Server.ping())
                    .thenApply(reply -> recorded.ends().size() == 2);

            assertThat(reportedBefore.get(60, TimeUnit.SECONDS)).isTrue();
            RecordedCommands.End call = recorded.ends().get(0);
            RecordedCommands.End send = recorded.ends().get(1);
            assertThat(call.thread()).isEqualTo(Thread.currentThread());
            assertThat(call.start().thread()).isEqualTo(Thread.currentThread());
            assertThat(send.thread().isVirtual()).isTrue();
            assertThat(send.start().thread()).isEqualTo(Thread.currentThread());
        }
    }

    @Test
    void requestBytesAreTheBytesOnTheWire() {
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+OK\r\n")));
                RedisClient client =
                        clients.connect(WatchedClients.uri(fake), options -> options.commandListener(recorded))) {
            int before = fake.received(0).length;
            client.call(Strings.set("key", "a value of some bytes"));
            client.call(Command.of("OBJECT ENCODING", "k"));

            assertThat(recorded.ends().stream()
                            .mapToLong(RecordedCommands.End::requestBytes)
                            .sum())
                    .isEqualTo(fake.received(0).length - before);
        }
    }

    @Test
    void errorReplyIsReportedWithItsCode() {
        try (RedisClient client = connect()) {
            client.call(Strings.set("text", "v"));
            assertThatThrownBy(() -> client.call(Strings.increment("text"))).isInstanceOf(ErrorReplyException.class);
            Pipeline pipeline = client.pipeline();
            pipeline.add(Strings.increment("text"));
            pipeline.add(Strings.get("text"));
            pipeline.run();

            assertThat(recorded.kinds())
                    .containsExactly(
                            EndedCommand.Kind.OK,
                            EndedCommand.Kind.ERROR,
                            EndedCommand.Kind.ERROR,
                            EndedCommand.Kind.OK);
            assertThat(recorded.ends().get(2).outcome().orElseThrow())
                    .isInstanceOfSatisfying(
                            Outcome.Failed.class,
                            failed -> assertThat(failed.error().message()).startsWith("ERR value is not an integer"));
        }
    }

    @Test
    void timedOutAndRefusedCommandsAreReported() {
        try (FakeRedis fake = FakeRedis.start(SILENT);
                RedisClient client = clients.connect(
                        WatchedClients.uri(fake),
                        options -> options.inFlight(1).overflow(Overflow.REFUSE).commandListener(recorded))) {
            Command<String> ping = Server.ping().within(Duration.ofMillis(50));

            Throwable late = catchThrowable(() -> client.call(ping));
            Throwable refused = catchThrowable(() -> client.call(ping));
            Throwable refusedSend = catchThrowable(() -> client.send(ping).get(60, TimeUnit.SECONDS));

            assertThat(late).hasMessageContaining("PING timed out");
            assertThat(refused).isInstanceOf(RefusedException.class);
            assertThat(refusedSend).hasCauseInstanceOf(RefusedException.class);
            assertThat(recorded.kinds())
                    .containsExactly(EndedCommand.Kind.TIMED_OUT, EndedCommand.Kind.REFUSED, EndedCommand.Kind.REFUSED);
            RecordedCommands.End timedOut = recorded.ends().getFirst();
            assertThat(timedOut.wasSent()).isTrue();
            assertThat(timedOut.endedNanos() - timedOut.submittedNanos())
                    .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(50));
            assertThat(recorded.ends().get(1).wasSent()).isFalse();
            assertThat(recorded.ends().get(1).sentNanos()).isZero();
        }
    }

    @Test
    void commandThatFindsNoConnectionOfThePoolIsReported() {
        try (RedisClient client = clients.connect(
                        WatchedClients.uri(server),
                        options -> options.poolSize(1).commandListener(recorded));
                DedicatedConnection only = client.borrow()) {
            Throwable refused = catchThrowable(() ->
                    client.call(Lists.awaitLeft(Duration.ofMillis(10), "none").within(Duration.ofMillis(10))));

            assertThat(only.isOpen()).isTrue();
            assertThat(refused).isInstanceOf(RefusedException.class);
            assertThat(recorded.kinds()).containsExactly(EndedCommand.Kind.REFUSED);
            assertThat(recorded.ends().getFirst().connection()).isEmpty();
            assertThat(client.counts().refused()).isOne();
        }
    }

    @Test
    void lostAndRepeatedCommandsAreReportedWithTheNumberOfLostConnections() {
        Handler closing = Handler.afterHandshake(command -> Answer.end(ConnectionEnd.CLOSE));
        Handler answering = Handler.afterHandshake(command -> Answer.reply("$1\r\nv\r\n"));
        try (FakeRedis fake = FakeRedis.start(Handler.perConnection(closing, closing, answering));
                RedisClient client = clients.connect(
                        WatchedClients.uri(fake),
                        options -> options.reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(1))
                                .commandListener(recorded))) {
            Throwable lostWrite = catchThrowable(() -> client.call(Strings.set("k", "v")));
            client.call(Strings.get("k"));

            assertThat(lostWrite).isInstanceOf(ConnectionLostException.class);
            assertThat(recorded.kinds()).containsExactly(EndedCommand.Kind.LOST, EndedCommand.Kind.OK);
            assertThat(recorded.ends().get(0).outcome().orElseThrow())
                    .isInstanceOfSatisfying(
                            Outcome.Lost.class,
                            lost -> assertThat(lost.maybeExecuted()).isTrue());
            assertThat(recorded.ends().get(1).lostConnections()).isOne();
        }
    }

    @Test
    void interruptedCallIsReportedOnceWithoutAnOutcome() throws Exception {
        CountDownLatch reply = new CountDownLatch(1);
        Handler held =
                Handler.afterHandshake(command -> Answer.reply("+PONG\r\n").heldUntil(reply));
        try (FakeRedis fake = FakeRedis.start(held);
                RedisClient client =
                        clients.connect(WatchedClients.uri(fake), options -> options.commandListener(recorded))) {
            AtomicReference<Throwable> thrown = new AtomicReference<>();
            Thread caller =
                    Thread.ofVirtual().start(() -> thrown.set(catchThrowable(() -> client.call(Server.ping()))));
            fake.awaitCommands(3, WatchedClients.TIMEOUT);
            caller.interrupt();
            caller.join();
            reply.countDown();
            Eventually.await("the reply arrives", () -> client.counts().ok() == 1);

            assertThat(thrown.get()).isInstanceOf(InterruptedCommandException.class);
            assertThat(recorded.kinds()).containsExactly(EndedCommand.Kind.INTERRUPTED);
            assertThat(recorded.ends().getFirst().outcome()).isEmpty();
        }
    }

    @Test
    void exceptionOfAListenerChangesNoOutcomeAndIsCountedAndLoggedOnce() throws Exception {
        CommandListener failing = new CommandListener() {
            @Override
            public Object submitted(String name) {
                throw new IllegalStateException("failing start");
            }

            @Override
            public void ended(EndedCommand command) {
                throw new AssertionError("failing end");
            }
        };
        try (RedisClient client =
                clients.connect(WatchedClients.uri(server), options -> options.commandListener(failing))) {
            assertThat(client.call(Server.ping())).isEqualTo("PONG");
            assertThat(client.send(Server.ping()).get(60, TimeUnit.SECONDS)).isEqualTo("PONG");
            Pipeline pipeline = client.pipeline();
            Result<String> result = pipeline.add(Server.ping());
            pipeline.run();

            assertThat(result.value()).isEqualTo("PONG");
            assertThat(client.stats().listenerFailures()).isEqualTo(6);
            assertThat(log.warnings())
                    .singleElement()
                    .asString()
                    .contains("a command listener failed", "failing start");
        }
    }

    @Test
    void blockedListenerDelaysOnlyItsOwnCommand() throws Exception {
        CountDownLatch blocked = new CountDownLatch(4);
        CountDownLatch release = new CountDownLatch(1);
        CommandListener blocking = command -> {
            if (command.name().equals("GET")) {
                blocked.countDown();
                awaitUninterruptibly(release);
            }
        };
        try (RedisClient client = clients.connect(
                WatchedClients.uri(server), options -> options.inFlight(4).commandListener(blocking))) {
            List<CompletableFuture<?>> gets = new ArrayList<>();
            gets.add(client.send(Strings.get("a")));
            gets.add(client.send(Strings.get("b")));
            gets.add(CompletableFuture.runAsync(() -> client.call(Strings.get("c")), Thread::startVirtualThread));
            gets.add(CompletableFuture.runAsync(() -> client.call(Strings.get("d")), Thread::startVirtualThread));
            boolean allBlocked = blocked.await(60, TimeUnit.SECONDS);
            for (int i = 0; i < 20; i++) {
                client.call(Server.ping());
                client.send(Server.ping()).get(60, TimeUnit.SECONDS);
            }
            boolean stillBlocked = gets.stream().noneMatch(CompletableFuture::isDone);
            release.countDown();

            assertThat(allBlocked).isTrue();
            assertThat(stillBlocked).isTrue();
            for (CompletableFuture<?> get : gets) {
                get.get(60, TimeUnit.SECONDS);
            }
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
