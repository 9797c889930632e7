// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.resp.Reply;
import io.millrace.testkit.Answer;
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
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests the fusion of commands of several callers that wait in the queue of a shared connection at the same time. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class FusionOfWaitingCallersTest {

    /** A value with more bytes than all buffers between a client and a server on loopback hold. */
    private static final byte[] BLOCKING_VALUE = new byte[16 << 20];

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private RedisClient connect(FakeRedis server) {
        return clients.connect(uri(server), options -> options.inFlightBytes(128L << 20));
    }

    /**
     * Sends a command that blocks the connection, and then runs {@code submit}. All commands of {@code submit} wait in
     * the queue until the server reads again.
     */
    private static void together(FakeRedis server, RedisClient client, Runnable submit) {
        server.stopReading();
        CompletableFuture<Reply> blocking = client.send(Command.of("STRLEN", BLOCKING_VALUE));
        submit.run();
        server.resumeReading();
        CommandFate.of(blocking);
    }

    /** Returns the commands that the server received, without the blocking command. */
    private static List<String> lines(FakeRedis server) {
        return FusionReplies.lines(server).stream()
                .filter(line -> !line.startsWith("STRLEN"))
                .toList();
    }

    @Test
    void commandsOfWaitingCallersAreFusedAndEachCallerReceivesItsReply() throws Exception {
        int callers = 20;
        List<CompletableFuture<Long>> futures = new ArrayList<>();
        List<Long> called = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler());
                RedisClient client = connect(server)) {
            together(server, client, () -> {
                for (int i = 0; i < callers; i++) {
                    futures.add(client.send(Lists.pushRight("l", "sent")));
                }
                threads.add(Thread.ofVirtual().start(() -> called.add(client.call(Lists.pushRight("l", "called")))));
                Eventually.await("all commands wait", () -> client.counts().pending() == callers + 2);
            });

            for (int i = 0; i < callers; i++) {
                assertThat(futures.get(i).get(60, TimeUnit.SECONDS)).isEqualTo(i + 1);
            }
            threads.getFirst().join();
            assertThat(lines(server)).hasSize(1);
            assertThat(called).containsExactly(callers + 1L);
            assertThat(client.stats().fusion()).isEqualTo(new FusionCounts(1, callers + 1));
        }
    }

    @Test
    void commandsBeforeAndAfterATransactionAreFusedSeparately() throws Exception {
        AtomicBoolean queueing = new AtomicBoolean();
        Handler handler = Handler.afterHandshake(command -> switch (command.name()) {
            case "MULTI" -> {
                queueing.set(true);
                yield Answer.reply("+OK\r\n");
            }
            case "EXEC" -> {
                queueing.set(false);
                yield Answer.reply("*2\r\n+OK\r\n+OK\r\n");
            }
            default -> queueing.get() ? Answer.reply("+QUEUED\r\n") : FusionReplies.to(command);
        });
        List<CompletableFuture<String>> futures = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = connect(server)) {
            together(server, client, () -> {
                futures.add(client.send(Strings.set("a", "1")));
                futures.add(client.send(Strings.set("b", "2")));
                Transaction transaction = client.transaction();
                transaction.add(Strings.set("c", "3"));
                transaction.add(Strings.set("d", "4"));
                threads.add(Thread.ofVirtual().start(transaction::run));
                Eventually.await("the transaction waits", () -> client.counts().pending() == 4);
                Eventually.await(
                        "the thread is parked", () -> threads.getFirst().getState() == Thread.State.WAITING);
                futures.add(client.send(Strings.set("e", "5")));
                futures.add(client.send(Strings.set("f", "6")));
            });

            for (CompletableFuture<String> future : futures) {
                assertThat(future.get(60, TimeUnit.SECONDS)).isEqualTo("OK");
            }
            threads.getFirst().join();
            assertThat(lines(server))
                    .containsExactly("MSET a 1 b 2", "MULTI", "SET c 3", "SET d 4", "EXEC", "MSET e 5 f 6");
            assertThat(client.stats().fusion()).isEqualTo(new FusionCounts(2, 4));
        }
    }

    @Test
    void commandsOnADedicatedConnectionAreNotFused() {
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler());
                RedisClient client = connect(server);
                DedicatedConnection connection = client.borrow()) {
            Pipeline pipeline = connection.pipeline();
            pipeline.add(Strings.set("a", "1"));
            pipeline.add(Strings.set("b", "2"));
            pipeline.run();

            assertThat(lines(server)).containsExactly("SET a 1", "SET b 2");
        }
    }

    @Test
    void eachCommandOfABatchHasItsOwnDeadline() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        Handler handler = Handler.afterHandshake(command -> command.name().equals("MSET")
                ? FusionReplies.to(command).heldUntil(released)
                : FusionReplies.to(command));
        List<CompletableFuture<String>> futures = new ArrayList<>();
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = connect(server)) {
            together(server, client, () -> {
                futures.add(client.send(Strings.set("a", "1").within(Duration.ofSeconds(3))));
                futures.add(client.send(Strings.set("b", "2")));
            });

            assertThat(CommandFate.of(futures.getFirst())).isEqualTo(CommandFate.TIMED_OUT);
            assertThat(futures.getLast()).isNotDone();
            released.countDown();

            assertThat(futures.getLast().get(60, TimeUnit.SECONDS)).isEqualTo("OK");
            assertThat(lines(server)).containsExactly("MSET a 1 b 2");
            assertThat(client.stats().lateReplies()).isEqualTo(1);
            assertThat(client.counts()).isEqualTo(new CommandCounts(3, 2, 0, 1, 0, 0, 0));
        }
    }

    @Test
    void commandThatTimesOutBeforeItIsSentIsNotPartOfTheBatch() throws Exception {
        List<CompletableFuture<String>> futures = new ArrayList<>();
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler());
                RedisClient client = connect(server)) {
            together(server, client, () -> {
                futures.add(client.send(Strings.set("a", "1")));
                futures.add(client.send(Strings.set("b", "2").within(Duration.ofMillis(1))));
                futures.add(client.send(Strings.set("c", "3")));
                Eventually.await("the command has timed out", futures.get(1)::isDone);
            });

            assertThat(CommandFate.of(futures.get(1))).isEqualTo(CommandFate.TIMED_OUT);
            assertThat(futures.getLast().get(60, TimeUnit.SECONDS)).isEqualTo("OK");
            assertThat(lines(server)).containsExactly("MSET a 1 c 3");
        }
    }

    @Test
    void unansweredBatchTimesOutAndItsLateReplyIsDropped() {
        CountDownLatch released = new CountDownLatch(1);
        Handler handler = Handler.afterHandshake(command -> command.name().equals("HMGET")
                ? Answer.reply("*3\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n").heldUntil(released)
                : FusionReplies.to(command));
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client =
                        clients.connect(uri(server), options -> options.commandTimeout(Duration.ofSeconds(1)))) {
            Pipeline pipeline = client.pipeline();
            for (String field : List.of("a", "b", "c")) {
                pipeline.add(Hashes.get("h", field));
            }
            List<Result<?>> results = pipeline.run();
            released.countDown();

            assertThat(results.stream().<Outcome>map(Result::outcome))
                    .hasSize(3)
                    .containsOnly(new Outcome.TimedOut());
            assertThat(client.call(Server.echo("after").within(WatchedClients.TIMEOUT)))
                    .isEqualTo("after");
            assertThat(client.stats().lateReplies()).isEqualTo(3);
        }
    }

    @Test
    void cancelledFutureDoesNotAffectTheRestOfTheBatch() throws Exception {
        List<CompletableFuture<Long>> futures = new ArrayList<>();
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler());
                RedisClient client = connect(server)) {
            together(server, client, () -> {
                for (int i = 0; i < 3; i++) {
                    futures.add(client.send(Lists.pushRight("l", "e" + i)));
                }
                futures.get(1).cancel(true);
            });

            assertThat(futures.get(0).get(60, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(futures.get(2).get(60, TimeUnit.SECONDS)).isEqualTo(3);
            assertThat(lines(server)).containsExactly("RPUSH l e0 e1 e2");
        }
    }
}
