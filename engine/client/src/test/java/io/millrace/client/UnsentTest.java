// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Strings;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Direction;
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
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests a connection that stalls and is then cut, while most bytes of the commands are still in the client. The client
 * reports a command as not executed if it did not write the command completely to the socket.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class UnsentTest {

    private static final int COMMANDS = 128;

    /** All values together are many times larger than the buffers between a client and a proxy on loopback. */
    private static final byte[] VALUE = new byte[256 * 1024];

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @ParameterizedTest
    @EnumSource(names = {"SEND", "PIPELINE"})
    void commandNotSentCompletelyIsSentOverTheNextConnectionOnceAndInOrder(CallMode callMode) throws Exception {
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+OK\r\n")));
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = connect(network)) {
            network.stall(Direction.TO_SERVER);

            List<CommandFate> fates = cutDuring(network, client, () -> callMode.run(client, commands()));

            int lost = fates.lastIndexOf(CommandFate.LOST_SENT) + 1;
            assertThat(lost).isBetween(1, COMMANDS - 1);
            assertThat(fates.subList(0, lost)).containsOnly(CommandFate.LOST_SENT);
            assertThat(fates.subList(lost, COMMANDS)).containsOnly(CommandFate.OK);
            assertThat(keysSetAt(server))
                    .isEqualTo(IntStream.range(lost, COMMANDS)
                            .mapToObj(Integer::toString)
                            .toList());
            assertThat(client.counts()).isEqualTo(new CommandCounts(COMMANDS, COMMANDS - lost, 0, 0, 0, lost, 0));
        }
    }

    @Test
    void pipelineThatTimedOutBeforeItWasEncodedIsNotSent() throws Exception {
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+OK\r\n")));
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = connect(network)) {
            network.stall(Direction.TO_SERVER);
            CompletableFuture<List<CommandFate>> large =
                    CompletableFuture.supplyAsync(() -> CallMode.PIPELINE.run(client, commands()));
            awaitFullBuffers(client);

            Pipeline late = client.pipeline();
            late.add(Strings.set("late", "1").within(Duration.ofMillis(50)));
            late.add(Strings.get("late").within(Duration.ofMillis(50)));
            List<Result<?>> results = late.run();
            network.resume(Direction.TO_SERVER);

            assertThat(results).allMatch(result -> result.outcome() instanceof Outcome.TimedOut);
            assertThat(large.get(60, TimeUnit.SECONDS)).containsOnly(CommandFate.OK);
            assertThat(keysSetAt(server)).hasSize(COMMANDS).doesNotContain("late");
            assertThat(client.counts()).isEqualTo(new CommandCounts(COMMANDS + 2, COMMANDS, 0, 2, 0, 0, 0));
        }
    }

    @Test
    void borrowedConnectionReportsWhichCommandsWereNotExecuted() throws Exception {
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(command -> Answer.reply("+OK\r\n")));
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = connect(network);
                DedicatedConnection connection = client.borrow()) {
            network.stall(Direction.TO_SERVER);

            List<CommandFate> fates = cutDuring(network, client, () -> {
                Pipeline pipeline = connection.pipeline();
                commands().forEach(pipeline::add);
                return pipeline.run().stream()
                        .map(result -> CommandFate.of(result.outcome()))
                        .toList();
            });

            int sent = Collections.frequency(fates, CommandFate.LOST_SENT);
            assertThat(sent).isBetween(1, COMMANDS - 1);
            assertThat(fates.subList(0, sent)).containsOnly(CommandFate.LOST_SENT);
            assertThat(fates.subList(sent, COMMANDS)).containsOnly(CommandFate.LOST_UNSENT);
            assertThat(keysSetAt(server)).isEmpty();
            assertThat(connection.isOpen()).isFalse();
            assertThat(client.counts()).isEqualTo(new CommandCounts(COMMANDS, 0, 0, 0, 0, COMMANDS, 0));
        }
    }

    @Test
    void incompletelySentTransactionIsRepeatedAndRepliesBeforeTheCutAreIgnored() throws Exception {
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
                        Handler.perConnection(Handler.afterHandshake(refusing), Handler.afterHandshake(executing)));
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = connect(network)) {
            Transaction transaction = client.transaction();
            commands().forEach(transaction::add);
            CompletableFuture<Transaction.Ending> ending = CompletableFuture.supplyAsync(transaction::run);
            // The server has rejected MULTI and reads no further commands.
            assertThat(refused.await(60, TimeUnit.SECONDS)).isTrue();
            network.stall(Direction.TO_SERVER);
            awaitFullBuffers(client);

            network.disconnectAll(ConnectionEnd.RESET);
            network.resume(Direction.TO_SERVER);

            assertThat(ending.get(60, TimeUnit.SECONDS)).isEqualTo(Transaction.Ending.EXECUTED);
            assertThat(transaction.results()).hasSize(COMMANDS).allMatch(Result::ok);
            assertThat(server.commands().stream()
                            .filter(command -> command.name().equals("EXEC")))
                    .hasSize(1);
            assertThat(client.counts()).isEqualTo(new CommandCounts(1, 1, 0, 0, 0, 0, 0));
        }
    }

    /** Runs {@code commands}, and cuts the connection when the number of bytes in flight no longer changes. */
    private static List<CommandFate> cutDuring(
            FaultProxy network, RedisClient client, Supplier<List<CommandFate>> commands) throws Exception {
        CompletableFuture<List<CommandFate>> fates = CompletableFuture.supplyAsync(commands);
        awaitFullBuffers(client);
        network.disconnectAll(ConnectionEnd.RESET);
        network.resume(Direction.TO_SERVER);
        return fates.get(60, TimeUnit.SECONDS);
    }

    /**
     * The operating system does not report that its socket buffers are full. The test assumes full buffers when the
     * number of bytes in flight has not changed for a while.
     */
    private static void awaitFullBuffers(RedisClient client) {
        Eventually.awaitStable(
                "the number of bytes in flight",
                () -> client.stats().connections().stream()
                        .mapToLong(ConnectionStats::bytesInFlight)
                        .sum());
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
                .connectTimeout(Duration.ofSeconds(60))
                .connections(1)
                .commandTimeout(TIMEOUT)
                .inFlightBytes(128L << 20)
                .build());
    }
}
