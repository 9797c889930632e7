// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.client.exception.RedisException;
import io.millrace.resp.Reply;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import io.millrace.testkit.RefusalMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Answers of the nodes of a cluster that need another attempt, or that lead nowhere. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ClusterAnswersTest {

    /** A key of the first of two nodes: its slot is 3,300. */
    private static final String FIRST = "b";

    /** Another key of the first of two nodes: its slot is 7,365. */
    private static final String OTHER_OF_FIRST = "c";

    /** A key of the second of two nodes: its slot is 15,495. */
    private static final String SECOND = "a";

    /** Attempts of a command that is redirected in a loop: one, and 16 redirects. */
    private static final int ATTEMPTS_IN_A_LOOP = 17;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private static Command<String> get(String key) {
        return Command.of("GET", key).as(Replies::text);
    }

    private static boolean isGet(ReceivedCommand command, String key) {
        return command.line().equals("GET " + key);
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Test
    void nodeThatRedirectsToItselfIsAskedUntilTheLimit() {
        try (FakeCluster cluster = FakeCluster.start(1);
                RedisClient client = clients.connect(cluster.uri())) {
            cluster.answer(0, command -> cluster.redirect("MOVED", FIRST, 0));
            long start = System.nanoTime();

            assertThatThrownBy(() -> client.call(get(FIRST)))
                    .isInstanceOf(ErrorReplyException.class)
                    .hasMessageContaining(
                            "MOVED 3300 127.0.0.1:" + cluster.node(0).port());

            assertThat(since(start)).isLessThan(WatchedClients.SHORT_LIMIT);
            assertThat(cluster.lines(0)).hasSize(ATTEMPTS_IN_A_LOOP).containsOnly("GET " + FIRST);
            assertThat(client.counts().error()).isEqualTo(1);
        }
    }

    @Test
    void nodesThatRedirectToEachOtherAreAskedUntilTheLimit() {
        for (String kind : List.of("MOVED", "ASK")) {
            try (FakeCluster cluster = FakeCluster.start(2);
                    RedisClient client = clients.connect(cluster.uri())) {
                cluster.answer(
                        0,
                        command -> command.name().equals("ASKING")
                                ? Answer.reply("+OK\r\n")
                                : cluster.redirect(kind, FIRST, 1));
                cluster.answer(
                        1,
                        command -> command.name().equals("ASKING")
                                ? Answer.reply("+OK\r\n")
                                : cluster.redirect(kind, FIRST, 0));
                long start = System.nanoTime();

                assertThatThrownBy(() -> client.call(get(FIRST)))
                        .isInstanceOf(ErrorReplyException.class)
                        .hasMessageContaining(kind + " 3300 127.0.0.1:");

                assertThat(since(start)).isLessThan(WatchedClients.SHORT_LIMIT);
                assertThat(count("GET " + FIRST, cluster.lines(0)) + count("GET " + FIRST, cluster.lines(1)))
                        .isEqualTo(ATTEMPTS_IN_A_LOOP);
            }
        }
    }

    private static long count(String line, List<String> lines) {
        return lines.stream().filter(line::equals).count();
    }

    @Test
    void askedCommandDirectlyFollowsAskingAndTheMapStays() {
        try (FakeCluster cluster = FakeCluster.start(2);
                RedisClient client = clients.connect(cluster.uri())) {
            cluster.answer(0, command -> cluster.redirect("ASK", FIRST, 1));
            List<CompletableFuture<String>> replies = new ArrayList<>();

            for (int i = 0; i < 300; i++) {
                replies.add(client.send(get(FIRST)));
                replies.add(client.send(get(SECOND)));
            }

            assertThat(replies).allSatisfy(reply -> assertThat(reply.join()).isEqualTo("OK"));
            assertThat(client.call(get(FIRST))).isEqualTo("OK");
            assertThat(count("GET " + FIRST, cluster.lines(0))).isEqualTo(301);
            List<String> asked = cluster.lines(1);
            for (int i = 0; i < asked.size(); i++) {
                boolean followsAsking = i > 0 && asked.get(i - 1).equals("ASKING");
                assertThat(followsAsking)
                        .as("%d: %s", i, asked.get(i))
                        .isEqualTo(asked.get(i).equals("GET " + FIRST));
            }
            assertThat(count("ASKING", asked)).isEqualTo(301);
        }
    }

    @Test
    void errorReplyOfAskingDoesNotReplaceTheReplyOfTheCommand() {
        try (FakeCluster cluster = FakeCluster.start(2);
                RedisClient client = clients.connect(cluster.uri())) {
            cluster.answer(0, command -> cluster.redirect("ASK", FIRST, 1));
            cluster.answer(
                    1,
                    command -> command.name().equals("ASKING")
                            ? Answer.reply("-ERR no asking\r\n")
                            : Answer.reply("$5\r\nvalue\r\n"));

            assertThat(client.call(get(FIRST))).isEqualTo("value");
            assertThat(client.call(get(SECOND))).isEqualTo("value");
        }
    }

    @Test
    void redirectsToAnUnreachableNodeEndWithErrorsAndOtherSlotsContinue() {
        int calls = 1_000;
        try (FaultProxy closed = FaultProxy.inFrontOf("127.0.0.1", 1);
                FakeCluster cluster = FakeCluster.start(2);
                RedisClient client = clients.connect(cluster.uri(), options -> options.inFlight(calls))) {
            closed.refuseConnections(RefusalMode.CLOSED_PORT);
            cluster.answer(
                    0,
                    command -> isGet(command, FIRST)
                            ? FakeCluster.redirectToPort("MOVED", FIRST, closed.port())
                            : Answer.reply("+OK\r\n"));
            List<CompletableFuture<String>> redirected = new ArrayList<>();
            for (int i = 0; i < calls; i++) {
                redirected.add(client.send(get(FIRST).within(Duration.ofSeconds(1))));
            }

            for (int i = 0; i < 100; i++) {
                assertThat(client.call(get(OTHER_OF_FIRST))).isEqualTo("OK");
                assertThat(client.call(get(SECOND))).isEqualTo("OK");
            }

            assertThat(redirected)
                    .allSatisfy(call -> assertThatThrownBy(call::join).hasCauseInstanceOf(RedisException.class));
            cluster.answer(0, command -> Answer.reply("+OK\r\n"));
            assertThat(client.call(get(FIRST))).isEqualTo("OK");
        }
    }

    @Test
    void commandIsSentAgainAfterATemporaryRefusal() {
        for (String refusal : List.of(
                "TRYAGAIN Multiple keys request during rehashing of slot", "CLUSTERDOWN Hash slot not served")) {
            try (FakeCluster cluster = FakeCluster.start(2);
                    RedisClient client = clients.connect(cluster.uri())) {
                AtomicInteger refusals = new AtomicInteger(3);
                cluster.answer(
                        0,
                        command -> isGet(command, FIRST) && refusals.getAndDecrement() > 0
                                ? Answer.reply("-" + refusal + "\r\n")
                                : Answer.reply("$5\r\nvalue\r\n"));

                assertThat(client.call(get(FIRST))).isEqualTo("value");

                assertThat(count("GET " + FIRST, cluster.lines(0))).isEqualTo(4);
                assertThat(client.counts().error()).isZero();
            }
        }
    }

    @Test
    void refusedCommandFollowsItsSlotToTheNewOwner() {
        try (FakeCluster cluster = FakeCluster.start(2);
                RedisClient client = clients.connect(cluster.uri())) {
            AtomicInteger answers = new AtomicInteger();
            cluster.answer(0, command -> switch (answers.getAndIncrement()) {
                case 0 -> Answer.reply("-TRYAGAIN Multiple keys request during rehashing of slot\r\n");
                case 1 -> cluster.redirect("ASK", FIRST, 1);
                default -> cluster.redirect("MOVED", FIRST, 1);
            });

            assertThat(client.call(get(FIRST))).isEqualTo("OK");
            cluster.assign(1);
            assertThat(client.call(get(FIRST))).isEqualTo("OK");

            assertThat(cluster.lines(1)).containsExactly("ASKING", "GET " + FIRST, "GET " + FIRST);
        }
    }

    @Test
    void clientFollowsAClusterThatMovesToOtherNodes() {
        try (FakeCluster cluster = FakeCluster.start(4)) {
            cluster.assign(0, 1);
            try (RedisClient client = clients.connect(cluster.uri())) {
                assertThat(client.call(get(FIRST))).isEqualTo("OK");
                assertThat(client.call(get(SECOND))).isEqualTo("OK");

                cluster.assign(2, 3);
                cluster.answer(0, command -> cluster.redirect("MOVED", FIRST, 2));
                cluster.answer(1, command -> cluster.redirect("MOVED", SECOND, 3));

                assertThat(client.call(get(FIRST))).isEqualTo("OK");
                Eventually.await(
                        "the former nodes are closed", () -> cluster.node(1).openConnections() == 0);
                assertThat(client.call(get(SECOND))).isEqualTo("OK");
                assertThat(cluster.lines(2)).containsExactly("GET " + FIRST);
                assertThat(cluster.lines(3)).containsExactly("GET " + SECOND);
                assertThat(client.isOpen()).isTrue();
            }
        }
    }

    @Test
    void closedClientLosesTheCommandsThatWaitForANode() {
        try (FaultProxy closed = FaultProxy.inFrontOf("127.0.0.1", 1);
                FakeCluster cluster = FakeCluster.start(2)) {
            closed.refuseConnections(RefusalMode.CLOSED_PORT);
            cluster.answer(0, command -> FakeCluster.redirectToPort("ASK", FIRST, closed.port()));
            List<CompletableFuture<String>> waiting = new ArrayList<>();
            try (RedisClient client = clients.connect(cluster.uri())) {
                for (int i = 0; i < 100; i++) {
                    waiting.add(client.send(get(FIRST)));
                }
                Eventually.await(
                        "the first command was redirected",
                        () -> !cluster.lines(0).isEmpty());
                waiting.add(client.send(get(FIRST)));
            }

            assertThat(waiting)
                    .allSatisfy(future -> assertThatThrownBy(future::join)
                            .hasCauseInstanceOf(ConnectionLostException.class)
                            .hasMessageContaining("closed"));
        }
    }

    @Test
    void transactionFollowsARedirectOfExec() {
        for (String kind : List.of("MOVED", "ASK")) {
            try (FakeCluster cluster = FakeCluster.start(2);
                    RedisClient client = clients.connect(cluster.uri())) {
                cluster.answer(0, command -> transactionAnswer(command, cluster.redirect(kind, FIRST, 1)));
                cluster.answer(1, command -> transactionAnswer(command, Answer.reply("*1\r\n+OK\r\n")));
                Transaction transaction = client.transaction();
                Result<String> value = transaction.add(get(FIRST));

                assertThat(transaction.run()).isEqualTo(Transaction.Ending.EXECUTED);

                assertThat(value.value()).isEqualTo("OK");
                List<String> expected = new ArrayList<>(List.of("MULTI", "GET " + FIRST, "EXEC"));
                if (kind.equals("ASK")) {
                    expected.addFirst("ASKING");
                }
                assertThat(cluster.lines(1)).isEqualTo(expected);
            }
        }
    }

    @Test
    void redirectedBlockingCommandIsCountedOnce() {
        try (FakeCluster cluster = FakeCluster.start(2);
                RedisClient client = clients.connect(cluster.uri())) {
            AtomicInteger redirects = new AtomicInteger(3);
            cluster.answer(
                    0,
                    command -> redirects.getAndDecrement() > 0
                            ? cluster.redirect("ASK", FIRST, 1)
                            : Answer.reply("+OK\r\n"));

            assertThat(client.call(Command.of("BLPOP", FIRST, "1").blockingFor(Duration.ofSeconds(1))))
                    .isEqualTo(Reply.OK);

            assertThat(client.counts()).isEqualTo(new CommandCounts(1, 1, 0, 0, 0, 0, 0));
        }
    }

    private static Answer transactionAnswer(ReceivedCommand command, Answer exec) {
        return switch (command.name()) {
            case "MULTI", "ASKING" -> Answer.reply("+OK\r\n");
            case "EXEC" -> exec;
            default -> Answer.reply("+QUEUED\r\n");
        };
    }

    @Test
    void refusedCallOfANodeThatLeavesIsSentToTheNewOwner() {
        try (FakeCluster cluster = FakeCluster.start(2);
                RedisClient client = clients.connect(cluster.uri())) {
            cluster.answer(
                    0,
                    command -> isGet(command, FIRST)
                            ? Answer.reply("-BUSY a script runs\r\n")
                            : cluster.redirect("MOVED", OTHER_OF_FIRST, 1));
            CompletableFuture<String> refused = client.send(get(FIRST));
            Eventually.await(
                    "the command waits for its next attempt", () -> count("GET " + FIRST, cluster.lines(0)) > 5);

            cluster.assign(1);
            assertThat(client.call(get(OTHER_OF_FIRST))).isEqualTo("OK");

            assertThat(refused.join()).isEqualTo("OK");
        }
    }

    @Test
    void callsWithOldRoutesReachTheNewOwner() throws Exception {
        try (FakeCluster cluster = FakeCluster.start(2)) {
            cluster.assign(0);
            AtomicInteger owner = new AtomicInteger();
            AtomicInteger answered = new AtomicInteger();
            for (int node = 0; node < 2; node++) {
                int number = node;
                cluster.answer(node, command -> {
                    if (owner.get() != number) {
                        return cluster.redirect("MOVED", command.text(1), owner.get());
                    }
                    answered.incrementAndGet();
                    return Answer.reply("+OK\r\n");
                });
            }
            AtomicBoolean ended = new AtomicBoolean();
            try (RedisClient client = clients.connect(cluster.uri());
                    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                List<Future<?>> callers = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    callers.add(threads.submit(() -> {
                        while (!ended.get()) {
                            assertThat(client.call(get(FIRST).idempotently())).isEqualTo("OK");
                        }
                    }));
                }
                for (int move = 1; move <= 20; move++) {
                    cluster.assign(move % 2);
                    owner.set(move % 2);
                    int before = answered.get();
                    Eventually.await(
                            "the new owner has answered",
                            () -> answered.get() > before + 50
                                    || callers.stream().anyMatch(Future::isDone));
                }
                ended.set(true);
                for (Future<?> caller : callers) {
                    caller.get();
                }
            } finally {
                ended.set(true);
            }
        }
    }
}
