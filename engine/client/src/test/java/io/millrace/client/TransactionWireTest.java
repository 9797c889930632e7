// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.TIMEOUT;
import static io.millrace.client.WatchedClients.uri;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.InterruptedCommandException;
import io.millrace.client.exception.RedisException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.client.exception.UnexpectedReplyException;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Cut;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tests the bytes of transactions. The commands of a transaction are contiguous. A transaction that was not sent
 * completely when the connection was lost is sent again from its start.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class TransactionWireTest {

    private static final byte[] LARGE = new byte[512 << 10];

    /**
     * Number of commands of a large transaction. All values together have 50 MiB. This is more than the socket buffers
     * of Linux hold if the peer does not read: up to 32 MiB on one side and 4 MiB on the other side.
     */
    private static final int COMMANDS = 100;

    private static final String QUEUED = "+QUEUED\r\n";

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    /** Returns a handler that replies to a transaction like a server. The reply to EXEC has {@code size} elements. */
    private static Handler transactions(int size) {
        return Handler.afterHandshake(command -> Answer.reply(
                switch (command.name()) {
                    case "MULTI", "MSET" -> "+OK\r\n";
                    case "EXEC" -> "*" + size + "\r\n" + "+OK\r\n".repeat(size);
                    default -> QUEUED;
                }));
    }

    @Test
    void commandsOfATransactionAreSentContiguouslyWhenTheTransactionRuns() {
        try (FakeRedis fake = FakeRedis.start(transactions(1));
                RedisClient client = clients.connect(uri(fake))) {
            int before = fake.received(0).length;
            Transaction transaction = client.transaction();
            transaction.add(Strings.set("k", "v"));
            assertThat(fake.received(0)).hasSize(before);

            transaction.run();

            String sent = new String(fake.received(0), UTF_8).substring(before);
            assertThat(sent)
                    .isEqualTo("*1\r\n$5\r\nMULTI\r\n*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1\r\nv\r\n*1\r\n$4\r\nEXEC\r\n");
        }
    }

    @Test
    void commandsOfOtherCallersAreNotSentWithinATransaction() throws Exception {
        int size = 40;
        try (FakeRedis fake = FakeRedis.start(transactions(size));
                RedisClient client = clients.connect(uri(fake), options -> options.inFlight(32))) {
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                int number = i;
                threads.add(Thread.ofVirtual().start(() -> {
                    for (int round = 0; round < 40; round++) {
                        if (number % 3 == 0) {
                            transact(client, "t" + number, size);
                        } else {
                            client.call(Strings.set("other", "v"));
                        }
                    }
                }));
            }
            for (Thread thread : threads) {
                assertThat(thread.join(TIMEOUT)).isTrue();
            }

            Iterator<ReceivedCommand> sent = fake.commands().iterator();
            int transactions = 0;
            while (sent.hasNext()) {
                if (sent.next().name().equals("MULTI")) {
                    String key = sent.next().text(1);
                    for (int i = 1; i < size; i++) {
                        assertThat(sent.next().text(1)).isEqualTo(key);
                    }
                    assertThat(sent.next().name()).isEqualTo("EXEC");
                    transactions++;
                }
            }
            assertThat(transactions).isEqualTo(160);
        }
    }

    private static void transact(RedisClient client, String key, int size) {
        Transaction transaction = client.transaction();
        for (int i = 0; i < size; i++) {
            transaction.add(Strings.set(key, "v"));
        }
        transaction.run();
    }

    @Test
    void completelySentTransactionIsLostWithItsConnectionAndNotRepeated() {
        Handler handler = Handler.afterHandshake(
                command -> command.name().equals("EXEC") ? Answer.end(ConnectionEnd.RESET) : Answer.reply(QUEUED));
        try (FakeRedis fake = FakeRedis.start(Handler.perConnection(handler, transactions(1)));
                RedisClient client = clients.connect(uri(fake))) {
            Transaction transaction = client.transaction();
            Result<?> get = transaction.add(Strings.get("even a read"));

            Throwable failure = catchThrowable(transaction::run);

            assertThat(failure)
                    .isInstanceOfSatisfying(
                            ConnectionLostException.class,
                            lost -> assertThat(lost.maybeExecuted()).isTrue());
            assertThatThrownBy(get::outcome).isInstanceOf(IllegalStateException.class);
            Eventually.await("the client is connected again", client::isOpen);
            assertThat(fake.commands().stream().filter(command -> command.name().equals("EXEC")))
                    .hasSize(1);
        }
    }

    @Test
    void incompletelySentTransactionIsSentAgainFromItsStart() {
        int size = COMMANDS;
        Cut cut = Cut.requests(1_000_000, ConnectionEnd.RESET).from("MULTI").onConnection(0);
        try (FakeRedis fake = FakeRedis.start(transactions(size), cut);
                RedisClient client = clients.connect(uri(fake))) {
            Transaction transaction = client.transaction();
            for (int i = 0; i < size; i++) {
                transaction.add(Command.of(Strings.SET, "k" + i, LARGE));
            }

            Transaction.Ending ending = transaction.run();

            assertThat(ending).isEqualTo(Transaction.Ending.EXECUTED);
            List<String> first = namesOn(fake, 0);
            List<String> second = namesOn(fake, 1);
            assertThat(first).contains("MULTI").doesNotContain("EXEC");
            assertThat(second.indexOf("EXEC") - second.indexOf("MULTI")).isEqualTo(size + 1);
            assertThat(client.counts()).isEqualTo(new CommandCounts(1, 1, 0, 0, 0, 0, 0));
        }
    }

    private static List<String> namesOn(FakeRedis fake, int connection) {
        return fake.commands().stream()
                .filter(command -> command.connection() == connection)
                .map(ReceivedCommand::name)
                .toList();
    }

    @Test
    void repeatedTransactionIgnoresRepliesOfTheFirstConnection() throws Exception {
        int size = COMMANDS;
        AtomicReference<FakeRedis> serverRef = new AtomicReference<>();
        Handler busy = Handler.afterHandshake(command -> {
            if (!command.name().equals("MULTI")) {
                return Answer.reply(QUEUED);
            }
            serverRef.get().stopReading();
            return Answer.reply("-BUSY Redis is busy running a script\r\n").then(Answer.push("after", "it"));
        });
        CountDownLatch pushed = new CountDownLatch(1);
        try (FakeRedis fake = FakeRedis.start(Handler.perConnection(busy, transactions(size)));
                RedisClient client =
                        clients.connect(uri(fake), options -> options.pushListener(push -> pushed.countDown()))) {
            serverRef.set(fake);
            Transaction transaction = client.transaction();
            for (int i = 0; i < size; i++) {
                transaction.add(Command.of(Strings.SET, "k" + i, LARGE));
            }
            CompletableFuture<Object> ending = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> {
                try {
                    ending.complete(transaction.run());
                } catch (RedisException e) {
                    ending.complete(e);
                }
            });
            assertThat(pushed.await(60, TimeUnit.SECONDS)).isTrue();

            fake.send(0, Answer.end(ConnectionEnd.RESET));
            fake.awaitConnections(2, TIMEOUT);
            fake.resumeReading();

            assertThat(ending.get(60, TimeUnit.SECONDS)).isEqualTo(Transaction.Ending.EXECUTED);
        }
    }

    @Test
    void transactionTimesOutAndItsLateReplyIsDropped() {
        CountDownLatch released = new CountDownLatch(1);
        Handler quick = transactions(1);
        Handler slow = command ->
                command.name().equals("EXEC") ? quick.answer(command).heldUntil(released) : quick.answer(command);
        try (FakeRedis fake = FakeRedis.start(slow);
                RedisClient client =
                        clients.connect(uri(fake), options -> options.commandTimeout(Duration.ofSeconds(1)))) {
            Transaction transaction = client.transaction();
            transaction.add(Strings.set("k", "v"));

            assertThatThrownBy(transaction::run)
                    .isInstanceOf(TimedOutException.class)
                    .hasMessageStartingWith("a transaction timed out after 1000 ms: endpoint=" + fake.host() + ":"
                            + fake.port() + ", connection=1, phase=sent");
            released.countDown();

            assertThat(client.call(Strings.set("k", "v").within(TIMEOUT))).isEqualTo("QUEUED");
            assertThat(client.stats().lateReplies()).isEqualTo(1);
        }
    }

    @Test
    void exceptionOfACallerInterruptedBeforeItHasAPermitReportsThatNothingWasSent() throws Exception {
        CountDownLatch released = new CountDownLatch(1);
        try (FakeRedis fake = FakeRedis.start(Handler.afterHandshake(
                        command -> Answer.reply("+PONG\r\n").heldUntil(released)));
                RedisClient client = clients.connect(uri(fake), options -> options.inFlight(1))) {
            CompletableFuture<String> first = client.send(Server.ping());
            CompletableFuture<Throwable> thrown = new CompletableFuture<>();
            Thread waiting = Thread.ofVirtual().start(() -> thrown.complete(catchThrowable(client.transaction()::run)));
            Eventually.await("the caller waits", () -> waiting.getState() == Thread.State.TIMED_WAITING);

            waiting.interrupt();

            assertThat(thrown.get(60, TimeUnit.SECONDS))
                    .isInstanceOfSatisfying(
                            InterruptedCommandException.class,
                            failure -> assertThat(failure.maybeExecuted()).isFalse());
            released.countDown();
            assertThat(first.get(60, TimeUnit.SECONDS)).isEqualTo("PONG");
        }
    }

    @Test
    void unexpectedReplyExceptionIsThrownIfTheExecReplyHasTheWrongLength() {
        try (FakeRedis fake = FakeRedis.start(transactions(3));
                RedisClient client = clients.connect(uri(fake))) {
            Transaction transaction = client.transaction();
            transaction.add(Strings.set("k", "v"));

            assertThatThrownBy(transaction::run).isInstanceOf(UnexpectedReplyException.class);
        }
    }
}
