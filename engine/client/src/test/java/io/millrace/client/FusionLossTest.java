// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Cut;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests the loss of a connection in the middle of a fused batch. The idempotent commands of the batch are sent again;
 * all other commands of the batch are lost. The stats are exact.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class FusionLossTest {

    private static final int COMMANDS = 3;
    private static final String RUN =
            "*7\r\n$4\r\nMSET\r\n$1\r\n0\r\n$1\r\nv\r\n$1\r\n1\r\n$1\r\nv\r\n$1\r\n2\r\n$1\r\nv\r\n";
    private static final int REPLY_BYTES = "+OK\r\n".length();
    private static final String MSET = "MSET 0 v 1 v 2 v";

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    private static List<Cut> cuts(ConnectionEnd connectionEnd) {
        return Stream.concat(
                        IntStream.range(0, RUN.length()).mapToObj(bytes -> Cut.requests(bytes, connectionEnd)),
                        IntStream.range(0, REPLY_BYTES).mapToObj(bytes -> Cut.replies(bytes, connectionEnd)))
                .map(cut -> cut.from("MSET").onConnection(0))
                .toList();
    }

    private static List<Command<String>> commands(boolean idempotent) {
        return IntStream.range(0, COMMANDS)
                .mapToObj(i -> Strings.set(Integer.toString(i), "v"))
                .map(command -> idempotent ? command.idempotently() : command)
                .toList();
    }

    private RedisClient connect(FakeRedis server) {
        return clients.connect(
                uri(server), options -> options.reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(10)));
    }

    @ParameterizedTest
    @EnumSource(names = {"CLOSE", "RESET"})
    void fusedBatchCutAtAnyByteIsLostCompletelyAndNotRepeated(ConnectionEnd connectionEnd) {
        for (Cut cut : cuts(connectionEnd)) {
            try (FakeRedis server = FakeRedis.start(FusionReplies.handler(), cut);
                    RedisClient client = connect(server)) {
                List<CommandFate> fates = CallMode.PIPELINE.run(client, commands(false));

                assertThat(client.call(Server.echo("after"))).isEqualTo("after");
                assertThat(fates).as("%s", cut).hasSize(COMMANDS).containsOnly(CommandFate.LOST_SENT);
                assertThat(client.counts()).isEqualTo(new CommandCounts(COMMANDS + 1, 1, 0, 0, 0, COMMANDS, 0));
                boolean seen = cut.stream() == Cut.Stream.REPLIES;
                assertThat(FusionReplies.lines(server))
                        .as("%s", cut)
                        .isEqualTo(seen ? List.of(MSET, "ECHO after") : List.of("ECHO after"));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CLOSE", "RESET"})
    void fusedBatchOfIdempotentCommandsIsRepeatedCompletely(ConnectionEnd connectionEnd) {
        for (Cut cut : cuts(connectionEnd)) {
            try (FakeRedis server = FakeRedis.start(FusionReplies.handler(), cut);
                    RedisClient client = connect(server)) {
                List<CommandFate> fates = CallMode.PIPELINE.run(client, commands(true));

                assertThat(fates).as("%s", cut).hasSize(COMMANDS).containsOnly(CommandFate.OK);
                assertThat(FusionReplies.lines(server))
                        .as("%s", cut)
                        .containsOnly(MSET)
                        .endsWith(MSET);
                assertThat(client.counts()).isEqualTo(new CommandCounts(COMMANDS, COMMANDS, 0, 0, 0, 0, 0));
            }
        }
    }

    @Test
    void onlyIdempotentCommandsOfALostFusedBatchAreRepeated() {
        Cut cut = Cut.replies(0, ConnectionEnd.CLOSE).from("MSET").onConnection(0);
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler(), cut);
                RedisClient client = connect(server)) {
            List<CommandFate> fates = CallMode.PIPELINE.run(
                    client,
                    List.of(Strings.set("0", "v"), Strings.set("1", "v").idempotently(), Strings.set("2", "v")));

            assertThat(fates).containsExactly(CommandFate.LOST_SENT, CommandFate.OK, CommandFate.LOST_SENT);
            assertThat(FusionReplies.lines(server)).containsExactly(MSET, "SET 1 v");
            assertThat(client.counts()).isEqualTo(new CommandCounts(3, 1, 0, 0, 0, 2, 0));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CLOSE", "RESET"})
    void fusedBatchOfABulkWriterIsLostCompletely(ConnectionEnd connectionEnd) {
        for (Cut cut : cuts(connectionEnd)) {
            Cut ofWriter = cut.onConnection(1);
            for (boolean fused = false; !fused; ) {
                fused = isLostAsAWhole(ofWriter);
            }
        }
    }

    /**
     * Sends one batch and checks that all commands of the batch are lost. If the timekeeper split the batch, the method
     * returns false and checks nothing.
     */
    private boolean isLostAsAWhole(Cut cut) {
        List<Outcome> outcomes = new ArrayList<>();
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler(), cut);
                RedisClient client = connect(server);
                BulkWriter writer =
                        client.bulkWriter(BulkOptions.DEFAULT, (tag, spec, outcome) -> outcomes.add(outcome))) {
            for (int i = 0; i < COMMANDS; i++) {
                writer.begin(Strings.SET).arg(Integer.toString(i)).arg("v").end(i);
            }
            writer.flush();
            if (!writer.fusion().equals(new FusionCounts(1, COMMANDS))) {
                return false;
            }
            writer.finish();

            assertThat(outcomes).as("%s", cut).hasSize(COMMANDS).allMatch(Outcome.Lost.class::isInstance);
            assertThat(outcomes.stream().map(CommandFate::of)).as("%s", cut).containsOnly(CommandFate.LOST_SENT);
            assertThat(writer.counts()).isEqualTo(new CommandCounts(COMMANDS, 0, 0, 0, 0, COMMANDS, 0));
            return true;
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"SEND", "PIPELINE"})
    void batchesNotSentCompletelyAreSentOverTheNextConnectionOnceAndInOrder(CallMode callMode) throws Exception {
        int count = 40_000;
        byte[] value = new byte[900];
        List<Command<String>> commands = IntStream.range(0, count)
                .mapToObj(i -> Command.of(Strings.SET, Integer.toString(i), value))
                .toList();
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler());
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = clients.connect(
                        RedisUri.of(network.host(), network.port()),
                        options -> options.inFlight(count).inFlightBytes(128L << 20))) {
            network.stall(Direction.TO_SERVER);
            CompletableFuture<List<CommandFate>> running =
                    CompletableFuture.supplyAsync(() -> callMode.run(client, commands));
            awaitFullBuffers(client);
            network.disconnectAll(ConnectionEnd.RESET);
            network.resume(Direction.TO_SERVER);
            List<CommandFate> fates = running.get(60, TimeUnit.SECONDS);

            int lost = fates.lastIndexOf(CommandFate.LOST_SENT) + 1;
            assertThat(lost).isBetween(1, count - 1);
            assertThat(Collections.frequency(fates, CommandFate.LOST_SENT)).isEqualTo(lost);
            assertThat(Collections.frequency(fates, CommandFate.OK)).isEqualTo(count - lost);
            assertThat(keysSetAt(server))
                    .isEqualTo(IntStream.range(lost, count)
                            .mapToObj(Integer::toString)
                            .toList());
            assertThat(client.counts()).isEqualTo(new CommandCounts(count, count - lost, 0, 0, 0, lost, 0));
            assertThat(client.stats().fusion().commands()).isGreaterThan(count / 2);
        }
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
                .filter(command -> command.name().endsWith("SET"))
                .flatMap(command ->
                        IntStream.range(0, (command.arguments().size() - 1) / 2).mapToObj(i -> command.text(1 + 2 * i)))
                .toList();
    }
}
