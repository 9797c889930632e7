// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.CommandFate.LOST_SENT;
import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.command.Fusion;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ErrorReplyException;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.resp.Reply;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests an error reply to a fused command. Each command of the fused batch fails with the error of this reply. The
 * error is marked as an error of a fused command.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class FusionErrorTest {

    private static final String WRONG_TYPE = "WRONGTYPE Operation against a key holding the wrong kind of value";

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    /** Starts a server that replies {@code reply} to each command whose name is {@code name}. */
    private static FakeRedis server(String name, String reply) {
        return FakeRedis.start(Handler.afterHandshake(
                command -> command.name().equals(name) ? Answer.reply(reply + "\r\n") : FusionReplies.to(command)));
    }

    private static List<Outcome> hashGets(RedisClient client, int count) {
        Pipeline pipeline = client.pipeline();
        IntStream.range(0, count).forEach(i -> pipeline.add(Hashes.get("h", "f" + i)));
        return pipeline.run().stream().<Outcome>map(Result::outcome).toList();
    }

    private static Outcome failed(String message, boolean fused) {
        return new Outcome.Failed(new Reply.ErrorReply(message, fused));
    }

    @Test
    void everyCommandOfAFusedBatchFailsWithAMarkedError() {
        try (FakeRedis server = server("HMGET", "-" + WRONG_TYPE);
                RedisClient client = clients.connect(uri(server))) {
            Pipeline pipeline = client.pipeline();
            List<Result<Optional<String>>> results = new ArrayList<>();
            IntStream.range(0, 3).forEach(i -> results.add(pipeline.add(Hashes.get("h", "f" + i))));
            pipeline.add(Server.echo("after"));
            List<Result<?>> all = pipeline.run();

            assertThat(all.subList(0, 3).stream().<Outcome>map(Result::outcome)).containsOnly(failed(WRONG_TYPE, true));
            assertThat(all.getLast().value()).isEqualTo("after");
            ErrorReplyException thrown = catchThrowableOfType(
                    ErrorReplyException.class, () -> results.getFirst().value());
            assertThat(thrown).hasMessage("HGET failed as part of a fused command: " + WRONG_TYPE);
            assertThat(thrown.fused()).isTrue();
            assertThat(thrown.code()).isEqualTo("WRONGTYPE");
            assertThat(client.counts()).isEqualTo(new CommandCounts(4, 1, 3, 0, 0, 0, 0));
        }
    }

    @Test
    void errorOfAnUnfusedCommandIsNotMarkedAsFused() {
        try (FakeRedis server = server("HGET", "-" + WRONG_TYPE);
                RedisClient client = clients.connect(uri(server))) {
            assertThat(hashGets(client, 1)).containsExactly(failed(WRONG_TYPE, false));
            ErrorReplyException thrown =
                    catchThrowableOfType(ErrorReplyException.class, () -> client.call(Hashes.get("h", "f")));
            assertThat(thrown.fused()).isFalse();
        }
    }

    @Test
    void bulkListenerReceivesTheErrorForEachCommandOfAFusedBatch() {
        List<Outcome> outcomes = new ArrayList<>();
        try (FakeRedis server = server("HMGET", "-" + WRONG_TYPE);
                RedisClient client = clients.connect(uri(server));
                BulkWriter writer =
                        client.bulkWriter(BulkOptions.DEFAULT, (tag, spec, outcome) -> outcomes.add(outcome))) {
            long fused = writeFused(writer, 5);

            assertThat(outcomes.subList(outcomes.size() - (int) fused, outcomes.size()))
                    .containsOnly(failed(WRONG_TYPE, true));
            assertThat(writer.counts().error()).isEqualTo(fused);
        }
    }

    /**
     * Writes {@code count} {@code HGET} commands, and repeats this until all of them are sent as one fused command. The
     * repetition is necessary because the timekeeper may split a batch. Returns {@code count}.
     */
    private static long writeFused(BulkWriter writer, int count) {
        for (int i = 0; i < 1_000; i++) {
            FusionCounts before = writer.fusion();
            for (int k = 0; k < count; k++) {
                writer.begin(Hashes.HGET).arg("h").arg(k).end(k);
            }
            writer.finish();
            if (writer.fusion().equals(before.plus(new FusionCounts(1, count)))) {
                return count;
            }
        }
        throw new AssertionError("nothing was fused: " + writer.fusion());
    }

    /**
     * If the client cannot split a reply, it can no longer assign later replies to commands. So the client closes the
     * connection. The client also stops fusing commands of this kind, because the next fused command would receive such
     * a reply too.
     */
    @ParameterizedTest
    @ValueSource(strings = {"*1\r\n_", "+OK", "_", "*0", ":5", "*4\r\n_\r\n_\r\n_\r\n_"})
    void replyThatCannotBeSplitClosesTheConnectionAndDisablesFusionOfItsKind(String reply) {
        List<Outcome> written = new ArrayList<>();
        Handler handler = command -> command.name().matches("HMGET|MSET")
                ? Answer.reply(reply.replace("+OK", "+NO") + "\r\n")
                : FusionReplies.to(command);
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(handler));
                RedisClient client =
                        clients.connect(uri(server), options -> options.commandTimeout(Duration.ofSeconds(60)));
                BulkWriter writer =
                        client.bulkWriter(BulkOptions.DEFAULT, (tag, spec, outcome) -> written.add(outcome))) {
            List<Outcome> writes = sets(client);
            List<Outcome> reads = hashGets(client, 3);
            IntStream.range(0, 3)
                    .forEach(i -> writer.begin(Hashes.HGET).arg("h").arg(i).end(i));
            writer.finish();

            assertThat(writes).as("not repeated").extracting(CommandFate::of).containsExactly(LOST_SENT, LOST_SENT);
            assertThat(reads).as("sent again").hasSize(3).containsOnly(new Outcome.Ok(Reply.Null.NULL));
            assertThat(written).hasSize(3).containsOnly(new Outcome.Ok(Reply.Null.NULL));
            assertThat(sets(client)).containsOnly(new Outcome.Ok(Reply.OK));
            assertThat(client.stats().reconnections()).isEqualTo(2);
            assertThat(client.counts()).isEqualTo(new CommandCounts(10, 8, 0, 0, 0, 2, 0));
        }
    }

    @Test
    void replyThatCannotBeSplitClosesABulkWriterAndLosesItsCommands() {
        List<Outcome> outcomes = new ArrayList<>();
        try (FakeRedis server = server("HMGET", "*1\r\n_");
                RedisClient client = clients.connect(uri(server));
                BulkWriter writer =
                        client.bulkWriter(BulkOptions.DEFAULT, (tag, spec, outcome) -> outcomes.add(outcome))) {
            while (writer.isOpen()) {
                IntStream.range(0, 3)
                        .forEach(i -> writer.begin(Hashes.HGET).arg("h").arg(i).end(i));
                writer.finish();
            }

            long lost = outcomes.stream().filter(Outcome.Lost.class::isInstance).count();
            assertThat(lost).isPositive();
            assertThat(writer.counts())
                    .isEqualTo(new CommandCounts(outcomes.size(), outcomes.size() - lost, 0, 0, 0, lost, 0));
        }
    }

    private static List<Outcome> sets(RedisClient client) {
        Pipeline pipeline = client.pipeline();
        pipeline.add(Strings.set("a", "1"));
        pipeline.add(Strings.set("b", "2"));
        return pipeline.run().stream().<Outcome>map(Result::outcome).toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-NOPERM this user has no permissions to run the 'hmget' command",
                "-ERR unknown command 'HMGET', with args beginning with: 'h' 'f0' ",
                "-ERR unknown command `HMGET`, with args beginning with: "
            })
    void clientDoesNotFuseAKindAgainAfterTheServerRefusedItsFusedCommand(String refusal) {
        try (FakeRedis server = server("HMGET", refusal);
                RedisClient client = clients.connect(uri(server), options -> options.connections(2));
                RedisClient another = clients.connect(uri(server))) {
            // The server repeats arguments of the fused command in its error reply. The error message of the client
            // does not contain these arguments, because they may belong to the command of another caller.
            String words = refusal.substring(1).replaceFirst(", with args.*", "");
            assertThat(hashGets(client, 2)).containsOnly(failed(words, true));

            assertThat(hashGets(client, 3)).hasSize(3).allMatch(Outcome.Ok.class::isInstance);
            List<Outcome> written = new ArrayList<>();
            try (BulkWriter writer =
                    client.bulkWriter(BulkOptions.DEFAULT, (tag, spec, outcome) -> written.add(outcome))) {
                IntStream.range(0, 10)
                        .forEach(i -> writer.begin(Hashes.HGET).arg("h").arg(i).end(i));
                writer.finish();
            }
            assertThat(written).hasSize(10).allMatch(Outcome.Ok.class::isInstance);
            sets(client);
            assertThat(FusionReplies.lines(server)).endsWith("MSET a 1 b 2");

            assertThat(hashGets(another, 2)).containsOnly(failed(words, true));
            Eventually.await(
                    "the refusal is logged", () -> log.lines().toString().contains("HGET"));
        }
    }

    @Test
    void errorAboutKeysOrServerStateDoesNotDisableFusion() {
        for (String error : List.of(
                "-" + WRONG_TYPE,
                "-OOM command not allowed",
                "-LOADING",
                "-READONLY",
                "-BUSY",
                "-NOPERM No permissions to access a key")) {
            try (FakeRedis server = server("HMGET", error);
                    RedisClient client =
                            clients.connect(uri(server), options -> options.commandTimeout(Duration.ofMillis(50)))) {
                hashGets(client, 2);
                hashGets(client, 2);

                // The client sends the commands again after a temporary refusal, fused each time.
                assertThat(FusionReplies.lines(server)).containsOnly("HMGET h f0 f1");
            }
        }
    }

    @Test
    void allFusedIncrementsFailAndChangeNothingIfTheirSumOverflows() {
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RedisClient client = clients.connect(uri(server), options -> options.fusion(Set.of(Fusion.INCRBY)))) {
            client.call(Strings.set("n", "9223372036854775800"));
            Pipeline pipeline = client.pipeline();
            IntStream.range(0, 3).forEach(i -> pipeline.add(Strings.increment("n", 5)));
            IntStream.range(0, 3).forEach(i -> pipeline.add(Strings.increment("n", -5)));
            List<Result<?>> results = pipeline.run();

            assertThat(results.subList(0, 3).stream().<Outcome>map(Result::outcome))
                    .containsOnly(failed("ERR increment or decrement would overflow", true));
            assertThat(results.subList(3, 6).stream().<Object>map(Result::value))
                    .containsExactly(9223372036854775795L, 9223372036854775790L, 9223372036854775785L);
        }
    }

    @Test
    void getOfAKeyOfAnotherTypeReturnsNullOnlyIfFusionOfGetIsEnabled() {
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RedisClient exact = clients.connect(uri(server));
                RedisClient lenient = clients.connect(uri(server), options -> options.fusion(Set.of(Fusion.GET)))) {
            exact.call(Lists.pushLeft("list", "element"));
            exact.call(Strings.set("s", "v"));

            assertThat(gets(exact)).containsExactly(failed(WRONG_TYPE, false), ok("v"));
            assertThat(gets(lenient)).containsExactly(new Outcome.Ok(Reply.Null.NULL), ok("v"));
        }
    }

    private static List<Outcome> gets(RedisClient client) {
        Pipeline pipeline = client.pipeline();
        pipeline.add(Strings.get("list"));
        pipeline.add(Strings.get("s"));
        return pipeline.run().stream().<Outcome>map(Result::outcome).toList();
    }

    private static Outcome ok(String value) {
        return new Outcome.Ok(new Reply.BulkString(value.getBytes(java.nio.charset.StandardCharsets.UTF_8)));
    }
}
