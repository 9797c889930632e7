// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.CommandSpec;
import io.millrace.client.command.Replies;
import io.millrace.resp.Reply;
import io.millrace.testkit.Answer;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.ReceivedCommand;
import io.millrace.testkit.StatsCheck;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests a server whose replies are malformed RESP, or are valid RESP that does not fit the command. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class GarbageTest {

    private static final int REPLIES = Integer.getInteger("millrace.garbage", 300);
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private static final CommandSpec<String> ECHO = CommandSpec.of("ECHO", Replies::text);

    private static final List<String> VALID = List.of(
            "+OK\r\n",
            "-ERR no\r\n",
            ":42\r\n",
            "$5\r\nhello\r\n",
            "$-1\r\n",
            "*3\r\n$1\r\na\r\n:1\r\n*1\r\n+x\r\n",
            "*-1\r\n",
            "%2\r\n+k\r\n:1\r\n+l\r\n#t\r\n",
            "~2\r\n:1\r\n:2\r\n",
            "_\r\n",
            ",3.25\r\n",
            "(12345678901234567890\r\n",
            "=7\r\ntxt:abc\r\n",
            "!5\r\nERR x\r\n",
            ">2\r\n+invalidate\r\n*0\r\n",
            "|1\r\n+ttl\r\n:5\r\n+OK\r\n");

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    @RegisterExtension
    final StatsCheck stats = new StatsCheck();

    private final long seed = Long.getLong("millrace.seed", System.nanoTime());

    @Test
    void commandWithAMalformedReplyReturnsAValueOrFailsAndTheClientReconnects() {
        System.out.println("seed: " + seed);
        Map<CommandFate, Integer> fates = new EnumMap<>(CommandFate.class);
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(this::answer));
                RedisClient client =
                        RedisClient.connect(ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                                .connectTimeout(Duration.ofSeconds(60))
                                .commandTimeout(TIMEOUT)
                                .reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(1))
                                .build())) {
            stats.watch("client", () -> StatsAdapter.of(client.counts()));

            for (int i = 0; i < REPLIES; i++) {
                // The command does not wait for its deadline, because the server closes the connection after the
                // garbage.
                CommandFate commandFate = CallMode.call(client, Command.of("GARBAGE", i));
                fates.merge(commandFate, 1, Integer::sum);
                // After each garbage reply, the next command succeeds over the same connection or over a new
                // connection.
                String text = "after " + i;
                String echoed = client.call(Command.of(ECHO, text).idempotently());
                assertThat(echoed)
                        .as("after %s, garbage %d of seed %d", commandFate, i, seed)
                        .isEqualTo(text);
            }
            System.out.println(fates + ", reconnections=" + client.stats().reconnections());

            assertThat(fates).containsOnlyKeys(CommandFate.OK, CommandFate.ERROR, CommandFate.LOST_SENT);
            assertThat(client.stats().reconnections()).isEqualTo(REPLIES);
            assertThat(client.stats().connections()).allSatisfy(connection -> {
                assertThat(connection.inFlight()).isZero();
                assertThat(connection.bytesInFlight()).isZero();
            });
        }
    }

    private Answer answer(ReceivedCommand command) {
        if (command.name().equals("ECHO")) {
            String text = command.text(1);
            return Answer.reply("$" + text.length() + "\r\n" + text + "\r\n");
        }
        RandomGenerator random = new SplittableRandom(seed + Integer.parseInt(command.text(1)));
        byte[] garbage = mutated(random);
        return Answer.reply(garbage).then(Answer.end(ConnectionEnd.CLOSE));
    }

    /** Returns a valid reply with up to three random changes. */
    private static byte[] mutated(RandomGenerator random) {
        StringBuilder reply = new StringBuilder(VALID.get(random.nextInt(VALID.size())));
        for (int changes = random.nextInt(4); changes > 0 && !reply.isEmpty(); changes--) {
            int at = random.nextInt(reply.length());
            switch (random.nextInt(6)) {
                case 0 -> reply.setCharAt(at, (char) random.nextInt(256));
                case 1 -> reply.deleteCharAt(at);
                case 2 -> reply.insert(at, (char) random.nextInt(256));
                case 3 -> reply.setLength(at);
                case 4 -> reply.insert(at, "999999999");
                default -> reply.append(VALID.get(random.nextInt(VALID.size())));
            }
        }
        return reply.toString().getBytes(ISO_8859_1);
    }

    @Test
    void noMemoryIsAllocatedForADeclaredReplyLengthBeforeTheBytesArrive() {
        List<String> claims = List.of("$500000000\r\nx", "*2000000\r\n", "%1000000\r\n", "*2000000\r\n*2000000\r\n");
        Handler handler = Handler.afterHandshake(
                command -> Answer.reply(claims.get(Integer.parseInt(command.text(1)) % claims.size()))
                        .then(Answer.end(ConnectionEnd.SILENCE)));
        try (FakeRedis server = FakeRedis.start(handler)) {
            ClientOptions options = ClientOptions.of(RedisUri.of(server.host(), server.port()));
            List<RedisClient> clients = new ArrayList<>();
            try {
                // All declared lengths together are many times larger than the heap.
                for (int i = 0; i < 40; i++) {
                    RedisClient client = RedisClient.connect(options);
                    clients.add(client);
                    int number = i;
                    assertThat(CallMode.call(client, Command.of("CLAIM", number).within(Duration.ofMillis(20))))
                            .isEqualTo(CommandFate.TIMED_OUT);
                }
            } finally {
                clients.forEach(RedisClient::close);
            }
        }
    }

    @Test
    void unsolicitedReplyClosesTheConnectionAndIsNotAssignedToACommand() {
        Handler surplus = Handler.afterHandshake(command -> Answer.reply("$4\r\nmine\r\n$6\r\nsecond\r\n"));
        Handler good = Handler.afterHandshake(command -> Answer.reply("$5\r\nlater\r\n"));
        try (FakeRedis server = FakeRedis.start(Handler.perConnection(surplus, good));
                RedisClient client =
                        RedisClient.connect(ClientOptions.builder(RedisUri.of(server.host(), server.port()))
                                .connectTimeout(Duration.ofSeconds(60))
                                .connections(1)
                                .build())) {

            Reply first = client.call(Command.of("GET", "a"));
            server.awaitDisconnections(1, TIMEOUT);
            Reply second = client.call(Command.of("GET", "b"));

            assertThat(List.of(first, second))
                    .containsExactly(
                            new Reply.BulkString("mine".getBytes(US_ASCII)),
                            new Reply.BulkString("later".getBytes(US_ASCII)));
            assertThat(client.stats().reconnections()).isOne();
        }
    }
}
