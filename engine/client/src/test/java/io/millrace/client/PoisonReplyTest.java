// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.command.Command;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.TimedOutException;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import io.millrace.testkit.RefusalMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests read commands whose replies end the connection. The client sends such a command again only twice. If the client
 * cannot read the reply itself, the client does not send the command again.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class PoisonReplyTest {

    private static final int COMMANDS = 5;
    private static final String POISON = "poison";
    private static final String MALFORMED = "?what\r\n";

    /** Longer than three reconnections take. A command that is sent again until its deadline fails the test. */
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    private static Handler handler(Answer toPoison) {
        return Handler.afterHandshake(command -> isPoison(command) ? toPoison : Answer.reply(bulk(command.text(1))));
    }

    private static boolean isPoison(ReceivedCommand command) {
        return command.arguments().size() > 1 && command.text(1).equals(POISON);
    }

    private static String bulk(String text) {
        return "$" + text.length() + "\r\n" + text + "\r\n";
    }

    private RedisClient connect(RedisUri uri, Set<Fusion> fusion) {
        return clients.connect(
                uri,
                options -> options.commandTimeout(TIMEOUT)
                        .fusion(fusion)
                        .reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(10)));
    }

    /** Returns read commands of which only number {@code position} has the poison. */
    private static List<Command<Optional<String>>> reads(int position) {
        List<Command<Optional<String>>> reads = new ArrayList<>();
        for (int i = 0; i < COMMANDS; i++) {
            reads.add(Strings.get(i == position ? POISON : "k" + i));
        }
        return reads;
    }

    private static long timesReceived(FakeRedis server, String key) {
        return server.commands().stream()
                .filter(command ->
                        command.name().equals("GET") && command.text(1).equals(key))
                .count();
    }

    @Test
    void commandWhoseReplyEndsTheConnectionIsSentAgainTwice() {
        try (FakeRedis server = FakeRedis.start(handler(Answer.end(ConnectionEnd.CLOSE)));
                RedisClient client = connect(uri(server), Fusion.NONE)) {
            ConnectionLostException failure =
                    catchThrowableOfType(ConnectionLostException.class, () -> client.call(Strings.get(POISON)));

            assertThat(failure).hasMessageContaining("the server closed the connection (sent 3 times)");
            assertThat(failure.maybeExecuted()).isTrue();
            assertThat(timesReceived(server, POISON)).isEqualTo(3);
            assertThat(client.call(Strings.get("after"))).hasValue("after");
            assertThat(client.stats().reconnections()).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, COMMANDS - 1})
    void commandIsSentAgainTwiceInAnyPositionOfAPipeline(int position) {
        try (FakeRedis server = FakeRedis.start(handler(Answer.end(ConnectionEnd.CLOSE)));
                RedisClient client = connect(uri(server), Fusion.NONE)) {
            List<CommandFate> fates = CallMode.PIPELINE.run(client, reads(position));

            assertThat(fates.subList(0, position)).allMatch(CommandFate.OK::equals);
            assertThat(fates.subList(position, COMMANDS)).containsOnly(CommandFate.LOST_SENT);
            assertThat(timesReceived(server, POISON)).isEqualTo(3);
            assertThat(client.call(Strings.get("after"))).hasValue("after");
            assertThat(client.stats().reconnections()).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CALL", "SEND", "PIPELINE"})
    void commandWithAMalformedReplyIsNotSentAgain(CallMode callMode) {
        for (int position = 0; position < COMMANDS; position++) {
            int poisoned = position;
            try (FakeRedis server = FakeRedis.start(handler(Answer.reply(MALFORMED)));
                    RedisClient client = connect(uri(server), Fusion.NONE)) {
                List<CommandFate> fates = callMode.run(client, reads(poisoned));

                assertThat(fates)
                        .isEqualTo(IntStream.range(0, COMMANDS)
                                .mapToObj(i -> i == poisoned ? CommandFate.LOST_SENT : CommandFate.OK)
                                .toList());
                assertThat(client.call(Strings.get("after"))).hasValue("after");
                assertThat(timesReceived(server, POISON)).isOne();
                assertThat(client.stats().reconnections()).isOne();
            }
        }
    }

    @Test
    void exceptionContainsTheReasonWhyTheReplyIsMalformed() {
        try (FakeRedis server = FakeRedis.start(handler(Answer.reply(MALFORMED)));
                RedisClient client = connect(uri(server), Fusion.NONE)) {
            ConnectionLostException failure =
                    catchThrowableOfType(ConnectionLostException.class, () -> client.call(Strings.get(POISON)));

            assertThat(failure).hasMessageContaining("a reply has the unknown type '?'");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, COMMANDS - 1})
    void onlyTheCommandOfAMalformedItemIsLostIfCommandsAreFused(int position) {
        Handler values = Handler.afterHandshake(command -> {
            StringBuilder reply = new StringBuilder();
            List<String> keys = IntStream.range(1, command.arguments().size())
                    .mapToObj(command::text)
                    .toList();
            if (command.name().equals("MGET")) {
                reply.append('*').append(keys.size()).append("\r\n");
            }
            keys.forEach(key -> reply.append(key.equals(POISON) ? MALFORMED : bulk(key)));
            return Answer.reply(reply.toString());
        });
        try (FakeRedis server = FakeRedis.start(values);
                RedisClient client = connect(uri(server), Set.of(Fusion.GET))) {
            List<CommandFate> fates = CallMode.PIPELINE.run(client, reads(position));

            assertThat(server.commands()).anyMatch(command -> command.name().equals("MGET"));
            assertThat(Collections.frequency(fates, CommandFate.OK)).isEqualTo(COMMANDS - 1);
            assertThat(fates.get(position)).isEqualTo(CommandFate.LOST_SENT);
            assertThat(client.stats().reconnections()).isOne();
        }
    }

    /** The surplus bytes belong to no command, because the later command is not sent yet. */
    @Test
    void commandThatIsNotSentYetIsSentAfterSurplusBytes() {
        Handler surplus = Handler.afterHandshake(command -> Answer.reply(bulk("first") + MALFORMED));
        try (FakeRedis server = FakeRedis.start(Handler.perConnection(surplus, handler(Answer.noReply())));
                RedisClient client = connect(uri(server), Fusion.NONE)) {
            assertThat(client.call(Strings.get("k"))).hasValue("first");
            assertThat(client.call(Strings.get("later"))).hasValue("later");

            assertThat(client.stats().reconnections()).isOne();
        }
    }

    @Test
    void writesOfOtherCallersAreLostAtMostThreeTimes() {
        try (FakeRedis server = FakeRedis.start(handler(Answer.end(ConnectionEnd.CLOSE)));
                RedisClient client = connect(uri(server), Fusion.NONE)) {
            CompletableFuture<?> poison = client.send(Strings.get(POISON));
            List<CommandFate> writes = new ArrayList<>();
            while (!poison.isDone()) {
                writes.add(CallMode.call(client, Strings.set("k", "v")));
            }

            assertThat(CommandFate.of(poison)).isEqualTo(CommandFate.LOST_SENT);
            assertThat(Collections.frequency(writes, CommandFate.LOST_SENT)).isLessThanOrEqualTo(3);
        }
    }

    @Test
    void failedConnectionAttemptsDoNotCount() {
        Handler closing = handler(Answer.end(ConnectionEnd.CLOSE));
        Handler good = handler(Answer.reply(bulk("value")));
        try (FakeRedis server = FakeRedis.start(Handler.perConnection(closing, closing, good));
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = connect(RedisUri.of(network.host(), network.port()), Fusion.NONE)) {
            network.refuseConnections(RefusalMode.CLOSED_PORT);
            CompletableFuture<?> read = client.send(Strings.get(POISON));
            Eventually.await("several attempts fail", () -> failedAttempts() >= 4);
            network.acceptConnections();

            assertThat(CommandFate.of(read)).isEqualTo(CommandFate.OK);
            assertThat(timesReceived(server, POISON)).isEqualTo(3);
        }
    }

    private long failedAttempts() {
        return log.lines().stream()
                .filter(line -> line.contains("cannot connect"))
                .count();
    }

    @Test
    void timeoutAfterALossContainsTheCauseOfTheLoss() {
        try (FakeRedis server = FakeRedis.start(handler(Answer.end(ConnectionEnd.CLOSE)));
                FaultProxy network = FaultProxy.inFrontOf(server.host(), server.port());
                RedisClient client = connect(RedisUri.of(network.host(), network.port()), Fusion.NONE)) {
            network.refuseConnections(RefusalMode.CLOSED_PORT);

            TimedOutException failure = catchThrowableOfType(
                    TimedOutException.class,
                    () -> client.call(Strings.get(POISON).within(Duration.ofMillis(500))));

            assertThat(failure)
                    .hasMessageContaining("phase=not connected")
                    .hasMessageContaining("the server closed the connection");
        }
    }
}
