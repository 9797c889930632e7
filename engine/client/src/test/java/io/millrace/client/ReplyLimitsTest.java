// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.command.Command;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.PubSub;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests replies that are too large: for the limits of the client, for the output buffer of the server, or for the
 * memory of the process.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ReplyLimitsTest {

    private static final int MEGABYTE = 1 << 20;
    private static final ReplyLimits SMALL = new ReplyLimits(1_024, 1_024, 1_024, 8);

    record Large(String reply, String cause) {
        @Override
        public String toString() {
            return cause;
        }
    }

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    private RedisClient connect(RedisUri uri, UnaryOperator<ClientOptions.Builder> change) {
        return clients.connect(
                uri,
                options -> change.apply(
                        options.fusion(Fusion.NONE).reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(10))));
    }

    private static String bulk(int bytes) {
        return "$" + bytes + "\r\n" + "x".repeat(bytes) + "\r\n";
    }

    private static Handler largeFor(String key, String reply) {
        return Handler.afterHandshake(command ->
                Answer.reply(command.arguments().size() > 1 && command.text(1).equals(key) ? reply : "+OK\r\n"));
    }

    static Stream<Large> largeReplies() {
        return Stream.of(
                new Large(bulk(1_025), "bulkBytes=1024: a bulk string has 1025 bytes"),
                new Large("*2\r\n" + bulk(1_024) + bulk(1_025), "bulkBytes=1024: a bulk string has 1025 bytes"),
                new Large("*1025\r\n:1\r\n", "elements=1024: an aggregate has 1025 elements"),
                new Large("%513\r\n:1\r\n", "elements=1024: an aggregate has 1026 elements"),
                new Large("+" + "x".repeat(2_000) + "\r\n", "lineBytes=1024: a line is longer"),
                new Large("*1\r\n".repeat(9) + ":1\r\n", "depth=8: aggregates are nested more deeply"));
    }

    @ParameterizedTest
    @MethodSource("largeReplies")
    void commandWhoseReplyExceedsALimitIsLostAndNotSentAgain(Large large) {
        try (FakeRedis server = FakeRedis.start(largeFor("large", large.reply));
                RedisClient client = connect(uri(server), options -> options.replyLimits(SMALL))) {
            ConnectionLostException failure = catchThrowableOfType(
                    ConnectionLostException.class,
                    () -> client.call(Command.of("GET", "large").idempotently()));

            assertThat(failure)
                    .hasMessageContaining("a reply exceeds the limit " + large.cause)
                    .hasMessageContaining("maybeExecuted=true");
            assertThat(client.call(Command.of("GET", "small"))).isNotNull();
            assertThat(server.commands().stream()
                            .filter(command -> command.name().equals("GET")))
                    .hasSize(2);
            assertThat(client.stats().reconnections()).isOne();
        }
    }

    @Test
    void transactionAndDedicatedConnectionAreLostWithTheSameCause() {
        try (FakeRedis server = FakeRedis.start(largeFor("large", bulk(1_025)));
                RedisClient client = connect(uri(server), options -> options.replyLimits(SMALL))) {
            Transaction transaction = client.transaction();
            transaction.add(Strings.get("large"));

            assertThatThrownBy(transaction::run)
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("bulkBytes=1024");
            try (DedicatedConnection connection = client.borrow()) {
                assertThatThrownBy(() -> connection.call(Strings.get("large")))
                        .isInstanceOf(ConnectionLostException.class)
                        .hasMessageContaining("bulkBytes=1024");
            }
            assertThat(server.commands().stream()
                            .filter(command -> command.name().equals("GET")))
                    .hasSize(2);
        }
    }

    @Test
    void commandsOfABulkWriterAreLostWithTheSameCause() {
        List<Outcome> outcomes = new ArrayList<>();
        try (FakeRedis server = FakeRedis.start(largeFor("large", bulk(1_025)));
                RedisClient client = connect(uri(server), options -> options.replyLimits(SMALL));
                BulkWriter writer = client.bulkWriter(
                        BulkOptions.DEFAULT.withFusion(Fusion.NONE), (tag, spec, outcome) -> outcomes.add(outcome))) {
            writer.begin(Strings.GET).arg("large").end(1);
            writer.begin(Strings.GET).arg("small").end(2);
            writer.finish();

            assertThat(outcomes)
                    .hasSize(2)
                    .allMatch(outcome -> outcome instanceof Outcome.Lost lost
                            && lost.maybeExecuted()
                            && lost.cause().contains("bulkBytes=1024"));
        }
    }

    @Test
    void commandIsSentAgainIfAPushExceedsALimit() {
        Handler good = Handler.afterHandshake(command -> Answer.reply("$1\r\nv\r\n"));
        for (String push : List.of(">2\r\n+message\r\n" + bulk(1_025), ">1025\r\n", ">x\r\n")) {
            Handler pushing = Handler.afterHandshake(command -> Answer.reply(push));
            try (FakeRedis server = FakeRedis.start(Handler.perConnection(pushing, good));
                    RedisClient client = connect(uri(server), options -> options.replyLimits(SMALL))) {
                assertThat(client.call(Strings.get("k"))).as(push).hasValue("v");
                assertThat(client.stats().reconnections()).isOne();
            }
        }
    }

    @Test
    void writesOfOtherCallersAreLostOnceIfOneValueExceedsALimit() {
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RedisClient client = connect(
                        uri(server), options -> options.replyLimits(ReplyLimits.DEFAULT.withBulkBytes(MEGABYTE)))) {
            client.call(Command.of(Strings.SET, "large", new byte[4 * MEGABYTE]));
            CompletableFuture<?> large = client.send(Strings.get("large"));
            List<CommandFate> writes = new ArrayList<>();
            while (!large.isDone()) {
                writes.add(CallMode.call(client, Strings.set("k", "v")));
            }

            assertThatThrownBy(large::join)
                    .hasMessageContaining(
                            "a reply exceeds the limit bulkBytes=1048576: a bulk string has 4194304 bytes");
            assertThat(Collections.frequency(writes, CommandFate.LOST_SENT)).isLessThanOrEqualTo(1);
            assertThat(client.call(Strings.get("k"))).isNotNull();
            assertThat(client.stats().reconnections()).isOne();
        }
    }

    @Test
    void commandIsSentThreeTimesIfItsReplyExceedsTheOutputBufferOfTheServer() {
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RedisClient client = connect(uri(server), UnaryOperator.identity())) {
            client.call(Command.of(Strings.SET, "large", new byte[16 * MEGABYTE]));
            client.call(Server.setConfig("client-output-buffer-limit", "normal 1mb 0 0"));

            assertThatThrownBy(() -> client.call(Strings.get("large")))
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("(sent 3 times)");
            assertThat(client.call(Server.ping())).isEqualTo("PONG");
            assertThat(client.stats().reconnections()).isEqualTo(3);
        }
    }

    @Test
    void subscriptionContinuesAfterAMessageThatExceedsALimit() {
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RedisClient client =
                        connect(uri(server), options -> options.replyLimits(ReplyLimits.DEFAULT.withBulkBytes(1_024)));
                Subscription news = client.subscribe(SubscribeOptions.channels("news"))) {
            client.call(PubSub.publish("news", "x".repeat(1_025)));
            Eventually.await("the subscription is lost and replaced", () -> news.gaps() == 1 && news.isOpen());
            client.call(PubSub.publish("news", "small"));

            assertThat(news.poll(WatchedClients.TIMEOUT)).isPresent();
        }
    }

    /** The program has the checks. */
    @Test
    void commandWhoseReplyNeedsMoreMemoryThanIsFreeIsNotSentAgain() throws Exception {
        ChildJvm.ProcessExit exit = ChildJvm.runWithoutExit(LargeReplyRun.class, 48, Duration.ofMinutes(5));

        assertThat(exit.exit()).as(exit.output()).isZero();
    }
}
