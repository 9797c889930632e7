// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.Answer;
import io.millrace.testkit.Direction;
import io.millrace.testkit.Ending;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The network takes nothing more, and is cut with most of the bytes still here: what the operating system never took whole was
 * not executed.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class UnsentTest {

    private static final int COMMANDS = 128;

    /** Together far more than all the buffers between a client and a proxy on loopback hold. */
    private static final byte[] VALUE = new byte[256 * 1024];

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @ParameterizedTest
    @EnumSource(names = {"SEND", "PIPELINE"})
    void whatWasNotSentWholeGoesOverTheNextConnectionOnceAndInOrder(Way way) throws Exception {
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+OK\r\n")));
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = connect(network)) {
            network.stall(Direction.TO_SERVER);

            List<Fate> fates = cutMeanwhile(network, () -> way.run(client, commands()));

            int lost = fates.lastIndexOf(Fate.LOST_SENT) + 1;
            assertThat(lost).isBetween(1, COMMANDS - 1);
            assertThat(fates.subList(0, lost)).containsOnly(Fate.LOST_SENT);
            assertThat(fates.subList(lost, COMMANDS)).containsOnly(Fate.OK);
            assertThat(keysSetAt(server))
                    .isEqualTo(IntStream.range(lost, COMMANDS)
                            .mapToObj(Integer::toString)
                            .toList());
            assertThat(client.counts()).isEqualTo(new CommandCounts(COMMANDS, COMMANDS - lost, 0, 0, 0, lost, 0));
        }
    }

    @Test
    void aBorrowedConnectionSaysWhichOfItsCommandsWereNotExecuted() throws Exception {
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+OK\r\n")));
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = connect(network);
                DedicatedConnection connection = client.borrow()) {
            network.stall(Direction.TO_SERVER);

            List<Fate> fates = cutMeanwhile(network, () -> {
                Pipeline pipeline = connection.pipeline();
                commands().forEach(pipeline::add);
                return pipeline.run().stream()
                        .map(result -> Fate.of(result.outcome()))
                        .toList();
            });

            int sent = Collections.frequency(fates, Fate.LOST_SENT);
            assertThat(sent).isBetween(1, COMMANDS - 1);
            assertThat(fates.subList(0, sent)).containsOnly(Fate.LOST_SENT);
            assertThat(fates.subList(sent, COMMANDS)).containsOnly(Fate.LOST_UNSENT);
            assertThat(keysSetAt(server)).isEmpty();
            assertThat(connection.isOpen()).isFalse();
            assertThat(client.counts()).isEqualTo(new CommandCounts(COMMANDS, 0, 0, 0, 0, COMMANDS, 0));
        }
    }

    @Test
    void aTransactionThatWasNotSentWholeIsSentAgainAndForgetsWhatWasSaidOfItBefore() throws Exception {
        CountDownLatch refused = new CountDownLatch(1);
        Handler refusing = command -> {
            refused.countDown();
            return Answer.reply("-LOADING not yet\r\n");
        };
        Handler executing = command -> Answer.reply(
                switch (command.name()) {
                    case "MULTI" -> "+OK\r\n";
                    case "EXEC" -> "*" + COMMANDS + "\r\n" + "+OK\r\n".repeat(COMMANDS);
                    default -> "+QUEUED\r\n";
                });
        try (FakeRedis server = FakeRedis.start(
                        Handler.inTurn(Handler.afterHandshake(refusing), Handler.afterHandshake(executing)));
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = connect(network)) {
            Transaction transaction = client.transaction();
            commands().forEach(transaction::add);
            CompletableFuture<Transaction.Ending> ending = CompletableFuture.supplyAsync(transaction::run);
            // The server has refused MULTI, and takes no more of what follows.
            assertThat(refused.await(10, TimeUnit.SECONDS)).isTrue();
            network.stall(Direction.TO_SERVER);
            awaitFullBuffers();

            network.disconnectAll(Ending.RESET);
            network.resume(Direction.TO_SERVER);

            assertThat(ending.get(20, TimeUnit.SECONDS)).isEqualTo(Transaction.Ending.EXECUTED);
            assertThat(transaction.results()).hasSize(COMMANDS).allMatch(Result::ok);
            assertThat(server.commands().stream()
                            .filter(command -> command.name().equals("EXEC")))
                    .hasSize(1);
            assertThat(client.counts()).isEqualTo(new CommandCounts(1, 1, 0, 0, 0, 0, 0));
        }
    }

    /** Runs {@code commands}, and cuts the connection when nothing of it gets on any more. */
    private static List<Fate> cutMeanwhile(FaultProxy network, Supplier<List<Fate>> commands) throws Exception {
        CompletableFuture<List<Fate>> fates = CompletableFuture.supplyAsync(commands);
        awaitFullBuffers();
        network.disconnectAll(Ending.RESET);
        network.resume(Direction.TO_SERVER);
        return fates.get(20, TimeUnit.SECONDS);
    }

    /** Nobody says when an operating system will take no more, and nothing here goes wrong if it would have. */
    private static void awaitFullBuffers() {
        for (long end = System.nanoTime() + 200_000_000; System.nanoTime() - end < 0; ) {
            LockSupport.parkNanos(end - System.nanoTime());
        }
    }

    private static List<String> keysSetAt(FakeRedis server) {
        return server.commands().stream()
                .filter(command -> command.name().equals("SET"))
                .map((ReceivedCommand command) -> command.text(1))
                .toList();
    }

    private static List<Command<String>> commands() {
        return IntStream.range(0, COMMANDS)
                .mapToObj(i -> Command.of(Strings.SET, Integer.toString(i), VALUE))
                .toList();
    }

    private static RedisClient connect(FaultProxy network) {
        return RedisClient.connect(ClientOptions.builder(RedisUri.of(network.host(), network.port()))
                .connections(1)
                .commandTimeout(PATIENCE)
                .inFlightBytes(128L << 20)
                .build());
    }
}
