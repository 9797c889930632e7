// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.uri;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Strings;
import io.millrace.resp.Reply;
import io.millrace.testkit.FakeRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests which fused command is sent in place of adjacent commands, and the limits of a fused batch. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class FusionWireTest {

    private static final Set<Fusion> ALL = EnumSet.allOf(Fusion.class);

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    /**
     * Returns the commands that a server receives when {@code commands} wait in the send queue at the same time. Each
     * command is a text of words that are separated by blanks.
     */
    private List<String> wire(Set<Fusion> kinds, String... commands) {
        return wire(kinds, Stream.of(commands).map(FusionWireTest::command).toList());
    }

    private List<String> wire(Set<Fusion> kinds, List<Command<Reply>> commands) {
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler());
                RedisClient client = clients.connect(uri(server), options -> options.fusion(kinds))) {
            Pipeline pipeline = client.pipeline();
            commands.forEach(pipeline::add);
            assertThat(pipeline.run()).allMatch(Result::ok);
            return FusionReplies.lines(server);
        }
    }

    private static Command<Reply> command(String line) {
        String[] words = line.split(" ", -1);
        return Command.of(words[0], List.of(words).subList(1, words.length).toArray());
    }

    private static String[] times(int count, String format) {
        return IntStream.range(0, count)
                .mapToObj(i -> format.replace("#", Integer.toString(i)))
                .toArray(String[]::new);
    }

    @Test
    void commandsThatWaitAtTheSameTimeAreFused() {
        assertThat(wire(Fusion.ALL_EXACT, "SET a 1", "SET b 2")).containsExactly("MSET a 1 b 2");
        assertThat(wire(Fusion.ALL_EXACT, "HGET h a", "HGET h b")).containsExactly("HMGET h a b");
        assertThat(wire(Fusion.ALL_EXACT, "LPOP l", "LPOP l")).containsExactly("LPOP l 2");
        assertThat(wire(Fusion.ALL_EXACT, "RPOP l", "RPOP l", "RPOP l")).containsExactly("RPOP l 3");
        assertThat(wire(Fusion.ALL_EXACT, "LPUSH l a b", "LPUSH l c")).containsExactly("LPUSH l a b c");
        assertThat(wire(Fusion.ALL_EXACT, "RPUSH l a", "RPUSH l b c")).containsExactly("RPUSH l a b c");
        assertThat(wire(Fusion.ALL_EXACT, "APPEND s ab", "APPEND s ", "APPEND s c"))
                .containsExactly("APPEND s abc");
        assertThat(wire(Fusion.ALL_EXACT, "SISMEMBER s a", "SISMEMBER s b")).containsExactly("SMISMEMBER s a b");
        assertThat(wire(Fusion.ALL_EXACT, "ZSCORE z a", "ZSCORE z b")).containsExactly("ZMSCORE z a b");
    }

    @Test
    void kindsOfFusionThatMayChangeRepliesAreUsedOnlyIfTheyAreEnabled() {
        assertThat(wire(ALL, "GET a", "GET b")).containsExactly("MGET a b");
        assertThat(wire(ALL, "INCRBY n 5", "INCRBY n 7")).containsExactly("INCRBY n 12");
        assertThat(wire(ALL, "HSET h a 1", "HSET h b 2 a 3")).containsExactly("HSET h a 1 b 2 a 3");
        assertThat(wire(ALL, "HDEL h a", "HDEL h b c")).containsExactly("HDEL h a b c");
        assertThat(wire(ALL, "SADD s a", "SADD s b")).containsExactly("SADD s a b");
        assertThat(wire(ALL, "SREM s a", "SREM s b")).containsExactly("SREM s a b");
        assertThat(wire(ALL, "ZADD z 1 a", "ZADD z -2.5 b")).containsExactly("ZADD z 1 a -2.5 b");
        assertThat(wire(ALL, "ZREM z a", "ZREM z b")).containsExactly("ZREM z a b");
        assertThat(wire(ALL, "DEL a", "DEL b c")).containsExactly("DEL a b c");
        assertThat(wire(ALL, "UNLINK a", "UNLINK b")).containsExactly("UNLINK a b");

        List<String> counted =
                List.of("GET a", "GET b", "INCRBY n 1", "INCRBY n 1", "HSET h a 1", "HSET h b 2", "DEL a");
        assertThat(wire(Fusion.ALL_EXACT, counted.toArray(new String[0]))).isEqualTo(counted);
    }

    @Test
    void scriptsOfOneDigestAreFusedIntoGroupsOfOneKeyAndOneOption() {
        Set<Fusion> script = Set.of(Fusion.SCRIPT);

        assertThat(wire(script, "EVALSHA d 1 a 9 2 f v", "EVALSHA d 1 a 9 2 g w", "EVALSHA d 1 b 9 2 f v"))
                .containsExactly("EVALSHA d 2 a b 9 4 f v g w 9 2 f v");
        assertThat(wire(script, "EVALSHA d 1 a 9 1 f", "EVALSHA d 1 a 8 1 f", "EVALSHA d 1 a 8 1 g"))
                .containsExactly("EVALSHA d 2 a a 9 1 f 8 2 f g");
        assertThat(wire(script, "EVALSHA d 1 a 9 1 f", "EVALSHA d 1 a 9 1 g")).containsExactly("EVALSHA d 1 a 9 2 f g");
    }

    @Test
    void scriptWithANegativeCountHasAGroupOfItsOwn() {
        Set<Fusion> script = Set.of(Fusion.SCRIPT);

        assertThat(wire(script, "EVALSHA d 1 a 9 -1 f", "EVALSHA d 1 a 9 -1 g", "EVALSHA d 1 a 9 1 h"))
                .containsExactly("EVALSHA d 3 a a a 9 -1 f 9 -1 g 9 1 h");
    }

    @Test
    void scriptsOfAnotherFormOrOfAnotherDigestAreNotFused() {
        List<String> commands = List.of(
                "EVALSHA d 1 a 9 2 f v",
                "EVALSHA e 1 a 9 2 f v",
                "EVALSHA e 1 a 9 3 f v",
                "EVALSHA e 2 a b 9 1 f",
                "EVALSHA e 1 a 9 0",
                "EVALSHA e 1 a");

        assertThat(wire(Set.of(Fusion.SCRIPT), commands.toArray(new String[0]))).isEqualTo(commands);
        assertThat(wire(Fusion.FOR_BULK_WRITES, "EVALSHA d 1 a 9 1 f", "EVALSHA d 1 a 9 1 g"))
                .as("scripts are fused only on request")
                .hasSize(2);
    }

    @Test
    void onlyEnabledKindsOfCommandsAreFused() {
        List<String> commands = List.of("SET a 1", "SET b 2", "HGET h a", "HGET h b", "SETBIT s 0 1", "SETBIT s 1 1");

        assertThat(wire(Fusion.NONE, commands.toArray(new String[0]))).isEqualTo(commands);
        assertThat(wire(Set.of(Fusion.HGET), commands.toArray(new String[0])))
                .containsExactly("SET a 1", "SET b 2", "HMGET h a b", "SETBIT s 0 1", "SETBIT s 1 1");
    }

    @Test
    void commandThatCannotJoinAFusedBatchEndsTheBatch() {
        assertThat(wire(Fusion.ALL_EXACT, "SET a 1", "SET b 2", "STRLEN a", "SET c 3", "SET d 4", "HGET h f"))
                .containsExactly("MSET a 1 b 2", "STRLEN a", "MSET c 3 d 4", "HGET h f");
        assertThat(wire(Fusion.ALL_EXACT, "HGET h a", "HGET h b", "HGET g a", "HGET h a"))
                .containsExactly("HMGET h a b", "HGET g a", "HGET h a");
        assertThat(wire(Fusion.ALL_EXACT, "LPUSH l a", "RPUSH l b", "LPOP l", "RPOP l"))
                .containsExactly("LPUSH l a", "RPUSH l b", "LPOP l", "RPOP l");
        assertThat(wire(Fusion.ALL_EXACT, "SET a 1", "SET a 2", "SET a 3")).containsExactly("MSET a 1 a 2 a 3");
    }

    @Test
    void commandWithUnusualOrInvalidArgumentsIsNotFused() {
        assertThat(wire(Fusion.ALL_EXACT, "SET a 1", "SET a 1 NX", "SET a", "SET b 2", "SET c 3"))
                .containsExactly("SET a 1", "SET a 1 NX", "SET a", "MSET b 2 c 3");
        assertThat(wire(Fusion.ALL_EXACT, "LPOP l", "LPOP l 2", "LPOP l", "LPOP l"))
                .containsExactly("LPOP l", "LPOP l 2", "LPOP l 2");
        List<String> single = List.of(
                "SETBIT s 0 1",
                "SETBIT s 1 2",
                "SETBIT s 01 1",
                "SETBIT s -1 1",
                "SETBIT s 4294967296 1",
                "SETBIT s 2 01");
        assertThat(wire(Fusion.ALL_EXACT, single.toArray(new String[0]))).isEqualTo(single);
        List<String> scores = List.of("ZADD z 1 a", "ZADD z x a", "ZADD z NX 1 a", "ZADD z nan a", "ZADD z INCR 1");
        assertThat(wire(ALL, scores.toArray(new String[0]))).isEqualTo(scores);
        List<String> sums =
                List.of("INCRBY n 1", "INCRBY n 01", "INCRBY n x", "INCRBY n 9223372036854775807", "INCRBY n 1");
        assertThat(wire(ALL, sums.toArray(new String[0]))).isEqualTo(sums);
    }

    @Test
    void fusedBatchHasAtMost64Commands() {
        List<String> lines = wire(Fusion.ALL_EXACT, times(150, "SET k# v"));

        assertThat(lines.stream().map(line -> (line.split(" ").length - 1) / 2)).containsExactly(64, 64, 22);
    }

    @Test
    void fusedBatchHasAtMostEightKibibytes() {
        String value = "v".repeat(1_000);
        List<String> lines = wire(Fusion.ALL_EXACT, times(15, "SET k# " + value));

        assertThat(lines).allMatch(line -> line.startsWith("MSET ")).allMatch(line -> line.length() <= 8 * 1024);
        assertThat(lines).hasSize(2);
        assertThat(String.join(" ", lines).split(value, -1)).hasSize(16);
    }

    @Test
    void commandLargerThanAFusedBatchIsSentAloneAndInOrder() {
        String large = "v".repeat(9_000);

        assertThat(wire(Fusion.ALL_EXACT, "SET a 1", "SET b 2", "SET c " + large, "SET d 4", "SET e 5"))
                .containsExactly("MSET a 1 b 2", "SET c " + large, "MSET d 4 e 5");
    }

    @Test
    void setbitCommandsOfConsecutiveOffsetsAreFusedIntoFieldsOfUpTo63Bits() {
        assertThat(wire(Fusion.ALL_EXACT, "SETBIT s 8 1", "SETBIT s 9 0", "SETBIT s 10 1"))
                .containsExactly("BITFIELD s SET u3 8 5");
        assertThat(wire(Fusion.ALL_EXACT, "SETBIT s 7 1", "SETBIT s 6 1", "SETBIT s 6 0", "SETBIT s 7 1"))
                .containsExactly("BITFIELD s SET u1 7 1 SET u1 6 1 SET u2 6 1");
        assertThat(wire(Fusion.ALL_EXACT, "SETBIT s 4294967294 1", "SETBIT s 4294967295 1"))
                .containsExactly("BITFIELD s SET u2 4294967294 3");
        assertThat(wire(Fusion.ALL_EXACT, times(129, "SETBIT s # 1")))
                .containsExactly(
                        "BITFIELD s SET u63 0 " + Long.MAX_VALUE + " SET u1 63 1",
                        "BITFIELD s SET u63 64 " + Long.MAX_VALUE + " SET u1 127 1",
                        "SETBIT s 128 1");
    }

    @Test
    void adjacentIncrementsWithTheSameSignAreFusedIntoTheirSum() {
        assertThat(wire(ALL, "INCRBY n 5", "INCRBY n 7", "INCRBY n 0", "INCRBY n -3", "INCRBY n -4", "INCRBY n 1"))
                .containsExactly("INCRBY n 12", "INCRBY n -7", "INCRBY n 1");
        List<String> large = List.of("INCRBY n 4611686018427387904", "INCRBY n 4611686018427387904", "INCRBY n 1");
        assertThat(wire(ALL, large.toArray(new String[0]))).isEqualTo(large);
    }

    @Test
    void singleCallerSendsTheSameBytesWithAndWithoutFusion() {
        List<String> commands = List.of(
                "SET a 1",
                "set b 2",
                "SET c 3 EX 10",
                "GET a",
                "GET b",
                "HGET h f",
                "LPOP l",
                "LPUSH l a b",
                "APPEND s x",
                "APPEND s y",
                "INCRBY n 5",
                "SETBIT s 1 1",
                "SETBIT s 2 1",
                "SISMEMBER s a",
                "ZSCORE z a",
                "HSET h f v",
                "HSET h g v",
                "SADD s a",
                "ZADD z 1 a",
                "DEL a b",
                "DEL c",
                "UNLINK a",
                "SET big " + "v".repeat(9_000));
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler());
                RedisClient single = clients.connect(uri(server), options -> options.fusion(Fusion.NONE));
                RedisClient fused = clients.connect(uri(server), options -> options.fusion(ALL))) {
            for (String line : commands) {
                single.call(command(line));
                fused.call(command(line));
            }

            assertThat(afterHandshake(server.received(1))).isEqualTo(afterHandshake(server.received(0)));
            assertThat(fused.stats().fusion()).isEqualTo(FusionCounts.NONE);
        }
    }

    /** Returns the bytes from the last command of the handshake on, one character per byte. */
    private static String afterHandshake(byte[] bytes) {
        String text = new String(bytes, ISO_8859_1);
        assertThat(text).contains("SETINFO");
        return text.substring(text.indexOf("SETINFO"));
    }

    @Test
    void binaryKeysAndValuesAreSentUnchanged() {
        byte[] key = {0, '\r', '\n', (byte) 0xff, ' '};
        byte[] value = {'*', '1', '\r', '\n', '$', (byte) 0x80};
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler());
                RedisClient client = clients.connect(uri(server))) {
            Pipeline pipeline = client.pipeline();
            pipeline.add(Command.of("SET", key, value));
            pipeline.add(Command.of("SET", "größer", new byte[0]));
            pipeline.run();

            assertThat(server.commands().getLast().arguments().subList(1, 5))
                    .usingRecursiveComparison()
                    .isEqualTo(List.of(key, value, "größer".getBytes(UTF_8), new byte[0]));
        }
    }

    @Test
    void statsCountFusedBatchesAndTheirCommands() {
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler());
                RedisClient client = clients.connect(uri(server), options -> options.connections(2))) {
            Pipeline pipeline = client.pipeline();
            List.of(times(70, "SET k# v")).forEach(line -> pipeline.add(command(line)));
            pipeline.add(command("STRLEN k1"));
            pipeline.run();
            try (BulkWriter writer = client.bulkWriter(BulkOptions.DEFAULT, (tag, spec, outcome) -> {})) {
                writer.begin(Strings.SET).arg("a").arg(1).end(0);
                writer.finish();
            }

            ClientStats stats = client.stats();
            assertThat(stats.fusion()).isEqualTo(new FusionCounts(2, 70));
            assertThat(stats.connections().stream().map(ConnectionStats::fusion))
                    .containsExactlyInAnyOrder(FusionCounts.NONE, new FusionCounts(2, 70));
            assertThat(stats.counts()).isEqualTo(new CommandCounts(72, 72, 0, 0, 0, 0, 0));
        }
    }

    @Test
    void bulkWriterFusesTheEnabledKindsAndCountsFusedCommands() {
        List<Long> tags = new ArrayList<>();
        try (FakeRedis server = FakeRedis.start(FusionReplies.handler());
                RedisClient client = clients.connect(uri(server), options -> options.fusion(Fusion.NONE))) {
            for (Set<Fusion> kinds : List.of(Fusion.NONE, Fusion.ALL_EXACT, Fusion.FOR_BULK_WRITES)) {
                BulkOptions options = BulkOptions.DEFAULT.withFusion(kinds);
                try (BulkWriter writer = client.bulkWriter(options, (tag, spec, outcome) -> tags.add(tag))) {
                    for (int i = 0; i < 1_000; i++) {
                        writer.begin(i % 200 < 100 ? Strings.SET : Hashes.HSET)
                                .arg("k")
                                .arg(i);
                        if (i % 200 >= 100) {
                            writer.arg("v");
                        }
                        writer.end(i);
                    }
                    writer.finish();
                }
            }

            List<String> lines = FusionReplies.lines(server);
            FusionCounts fusion = client.stats().fusion();
            long sets = lines.stream().filter(line -> line.startsWith("SET ")).count();
            long hsets = lines.stream().filter(line -> line.startsWith("HSET ")).count();
            assertThat(tags)
                    .isEqualTo(Stream.of(1, 2, 3)
                            .flatMap(ignored -> IntStream.range(0, 1_000).mapToObj(Long::valueOf))
                            .toList());
            assertThat(lines).as("every command is fused or sent singly").hasSize((int)
                    (3_000 - fusion.commands() + fusion.fusedBatches()));
            // The timekeeper may split some batches, so the numbers vary.
            assertThat(sets).as("of 1,500").isBetween(500L, 1_000L);
            assertThat(hsets).as("of 1,500").isBetween(1_000L, 1_250L);
            assertThat(client.counts()).isEqualTo(new CommandCounts(3_000, 3_000, 0, 0, 0, 0, 0));
            assertThat(fusion.commands()).isBetween(750L, 1_500L);
        }
    }
}
