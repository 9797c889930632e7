// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Fusion;
import io.millrace.resp.Reply;
import io.millrace.testkit.Answer;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.Handler;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that the client sends a fused command only to a server that supports this command. The client reads the name
 * and the version of the server from the reply to HELLO.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class FusionServersTest {

    private static final List<String> COUNTS = List.of(
            "LPOP l", "LPOP l", "RPOP l", "RPOP l", "SISMEMBER s a", "SISMEMBER s b", "ZSCORE z a", "ZSCORE z b");
    private static final List<String> FUSED_COUNTS =
            List.of("LPOP l 2", "RPOP l 2", "SMISMEMBER s a b", "ZMSCORE z a b");
    private static final List<String> EXPIRING = List.of("SET a 1 EX 10", "SET b 2 EX 10");
    private static final List<String> FUSED_EXPIRING = List.of("MSETEX 2 a 1 b 2 EX 10");
    private static final List<String> ALWAYS = List.of("SET a 1", "SET b 2", "HGET h f", "HGET h g");
    private static final List<String> FUSED_ALWAYS = List.of("MSET a 1 b 2", "HMGET h f g");

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private List<String> wire(Handler handler, List<String> commands) {
        return wire(handler, commands, options -> options);
    }

    private List<String> wire(Handler handler, List<String> commands, UnaryOperator<ClientOptions.Builder> change) {
        try (FakeRedis server = FakeRedis.start(handler);
                RedisClient client = clients.connect(
                        uri(server), options -> change.apply(options.fusion(EnumSet.allOf(Fusion.class))))) {
            assertThat(replies(client, commands)).allMatch(Outcome.Ok.class::isInstance);
            return FusionReplies.lines(server);
        }
    }

    /** Runs all commands in one pipeline. */
    private static List<Outcome> replies(RedisClient client, List<String> commands) {
        Pipeline pipeline = client.pipeline();
        for (String line : commands) {
            String[] words = line.split(" ", -1);
            pipeline.add(
                    Command.of(words[0], List.of(words).subList(1, words.length).toArray()));
        }
        return pipeline.run().stream().<Outcome>map(Result::outcome).toList();
    }

    @ParameterizedTest
    @CsvSource({
        "redis,  6.0.16,    false, false",
        "redis,  6.2.0,     true,  false",
        "redis,  7.0.15,    true,  false",
        "redis,  7.4.2,     true,  false",
        "redis,  8.2.10,    true,  false",
        "redis,  8.4.0,     true,  true",
        "redis,  8.10.0,    true,  true",
        "redis,  10.0.0,    true,  true",
        "valkey, 8.1.3,     true,  false",
        "valkey, 9.0.9,     true,  false",
        "valkey, 9.1.0,     true,  true",
        "valkey, 9.1.0-rc1, true,  true"
    })
    void fusedCommandsUnknownToTheServerAreNotSent(String server, String version, boolean counts, boolean expiring) {
        Handler handler = FusionReplies.handler(server, version);

        assertThat(wire(handler, ALWAYS)).isEqualTo(FUSED_ALWAYS);
        assertThat(wire(handler, COUNTS)).isEqualTo(counts ? FUSED_COUNTS : COUNTS);
        assertThat(wire(handler, EXPIRING)).isEqualTo(expiring ? FUSED_EXPIRING : EXPIRING);
    }

    @ParameterizedTest
    @CsvSource({"dragonfly, 7.4.0", "redis, ''", "redis, unstable", "'', 7.0.0", "redis, 7", "redis, 99999999999999.0"})
    void noFusedCommandsAreSentToAnUnknownServer(String server, String version) {
        List<String> commands = Stream.of(ALWAYS, COUNTS, EXPIRING)
                .<String>flatMap(List::stream)
                .toList();

        assertThat(wire(FusionReplies.handler(server, version), commands)).isEqualTo(commands);
    }

    @Test
    void noFusedCommandsAreSentOverResp2() {
        Handler old = Handler.afterHandshake(Handler.HELLO_UNKNOWN, command -> Answer.reply("+OK\r\n"));
        Handler refusing = Handler.afterHandshake(Handler.NO_RESP3, command -> Answer.reply("+OK\r\n"));
        Handler knowing = Handler.afterHandshake(command -> Answer.reply("+OK\r\n"));

        assertThat(wire(old, ALWAYS)).isEqualTo(ALWAYS);
        assertThat(wire(refusing, ALWAYS)).isEqualTo(ALWAYS);
        assertThat(wire(knowing, ALWAYS, options -> options.protocol(Protocol.RESP2)))
                .isEqualTo(ALWAYS);
    }

    /** A cluster node refuses a command whose keys have different hash slots. */
    @Test
    void fusedCommandsForAClusterNodeHaveKeysOfOneHashSlot() {
        String hello = Handler.HELLO.replace("%3", "%4") + "$4\r\nmode\r\n$7\r\ncluster\r\n";
        List<String> commands = List.of(
                "SET a 1",
                "SET b 2",
                "SET {b}c 3",
                "GET a",
                "GET b",
                "GET {b}c",
                "DEL a {b}c",
                "DEL a",
                "DEL {b}c",
                "DEL b",
                "HGET h f",
                "HGET h g");

        assertThat(wire(Handler.afterHandshake(hello, FusionReplies::to), commands))
                .containsExactly(
                        "SET a 1",
                        "MSET b 2 {b}c 3",
                        "GET a",
                        "MGET b {b}c",
                        "DEL a {b}c",
                        "DEL a",
                        "DEL {b}c b",
                        "HMGET h f g");
    }

    @Test
    void setCommandsAreFusedOnlyIfTheirTimesToLiveAreEqual() {
        Handler handler = FusionReplies.handler("redis", "8.4.0");

        assertThat(wire(
                        handler,
                        List.of("SET a 1 EX 10", "SET b 2 EX 10", "SET c 3 EX 11", "SET d 4 EX 11", "SET e 5")))
                .containsExactly("MSETEX 2 a 1 b 2 EX 10", "MSETEX 2 c 3 d 4 EX 11", "SET e 5");
        assertThat(wire(handler, List.of("SET a 1 PX 10", "SET b 2 PX 10", "SET c 3 EX 10")))
                .containsExactly("MSETEX 2 a 1 b 2 PX 10", "SET c 3 EX 10");
        assertThat(wire(handler, List.of("SET a 1", "SET b 2 EX 10", "SET c 3 EX 10", "SET d 4")))
                .containsExactly("SET a 1", "MSETEX 2 b 2 c 3 EX 10", "SET d 4");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "EX 0",
                "EX -1",
                "EX abc",
                "EX 010",
                "EX",
                "EX 10 NX",
                "EXAT 9999999999",
                "KEEPTTL",
                "PX 1.5",
                // These commands are not fused, because the error reply to such a command contains the name of the
                // command. The error reply to a fused command would contain another name.
                "EX 9223372036854775807",
                "EX 9223372036854776",
                "EX 999999999999999999"
            })
    void setWithAnInvalidOrUnsupportedExpiryOptionIsNotFused(String time) {
        List<String> commands = List.of("SET a 1 " + time, "SET b 2 " + time);

        assertThat(wire(FusionReplies.handler("redis", "8.4.0"), commands)).isEqualTo(commands);
    }

    @Test
    void setCommandsWithAndWithoutATimeToLiveAreEnabledForFusionSeparately() {
        Handler handler = FusionReplies.handler("redis", "8.4.0");
        List<String> commands = List.of("SET a 1", "SET b 2", "SET c 3 EX 10", "SET d 4 EX 10");

        assertThat(wire(handler, commands, options -> options.fusion(Set.of(Fusion.SET_EXPIRING))))
                .containsExactly("SET a 1", "SET b 2", "MSETEX 2 c 3 d 4 EX 10");
        assertThat(wire(handler, commands, options -> options.fusion(Set.of(Fusion.SET))))
                .containsExactly("MSET a 1 b 2", "SET c 3 EX 10", "SET d 4 EX 10");
    }

    @Test
    void numericReplyToMsetexIsConvertedToOkForEachSetCommand() {
        List<String> commands = List.of("SET a 1 EX 10", "SET b 2 EX 10", "SET c 3 EX 10");
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler("redis", "8.4.0"));
                RedisClient client = clients.connect(uri(server))) {
            assertThat(replies(client, commands)).hasSize(3).containsOnly(new Outcome.Ok(Reply.OK));
            assertThat(client.stats().fusion()).isEqualTo(new FusionCounts(1, 3));
        }
    }

    @Test
    void setCommandsAreLostIfTheServerDoesNotExecuteTheirMsetex() {
        Handler notExecuted =
                command -> command.name().equals("MSETEX") ? Answer.reply(":0\r\n") : Answer.reply("+OK\r\n");
        String hello = Handler.HELLO.replace("7.0.0", "8.4.0");
        try (FakeRedis server = FakeRedis.start(Handler.afterHandshake(hello, notExecuted));
                RedisClient client = clients.connect(uri(server))) {
            assertThat(replies(client, EXPIRING)).hasSize(2).allMatch(Outcome.Lost.class::isInstance);
            assertThat(client.counts()).isEqualTo(new CommandCounts(2, 0, 0, 0, 0, 2, 0));
        }
    }
}
