// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static io.millrace.client.WatchedClients.uri;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Fusion;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests fusion for users with restricted permissions. Fusion sends one command, the fused command, in place of several
 * adjacent commands. Every command that a user may run must succeed. Commands are fused only if the user may run the
 * fused command.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class FusionAclTest {

    private static final String PASSWORD = "marked-user-secret";
    private static final Set<Fusion> ALL = EnumSet.allOf(Fusion.class);

    /** Pairs of commands that can be fused, for each kind of fusion. All commands succeed. */
    private static final List<String> COMMANDS = List.of(
            "SET own:a 1",
            "SET own:b 2",
            "GET own:a",
            "GET own:b",
            "APPEND own:s x",
            "APPEND own:s y",
            "INCRBY own:n 1",
            "INCRBY own:n 2",
            "SETBIT own:s 1 1",
            "SETBIT own:s 2 1",
            "RPUSH own:l a",
            "RPUSH own:l b",
            "LPUSH own:l c",
            "LPUSH own:l d",
            "LPOP own:l",
            "LPOP own:l",
            "RPOP own:l",
            "RPOP own:l",
            "HSET own:h f 1",
            "HSET own:h g 2",
            "HGET own:h f",
            "HGET own:h g",
            "HDEL own:h f",
            "HDEL own:h g",
            "SADD own:u a",
            "SADD own:u b",
            "SISMEMBER own:u a",
            "SISMEMBER own:u b",
            "SREM own:u a",
            "SREM own:u b",
            "ZADD own:z 1 a",
            "ZADD own:z 2 b",
            "ZSCORE own:z a",
            "ZSCORE own:z b",
            "ZREM own:z a",
            "ZREM own:z b",
            "DEL own:a",
            "DEL own:s",
            "UNLINK own:b",
            "UNLINK own:n");

    private static EmbeddedRedis server;

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    @RegisterExtension
    final CapturedLog log = new CapturedLog();

    private RedisClient admin;

    @BeforeAll
    static void startServer() {
        server = EmbeddedRedis.start();
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    @BeforeEach
    void logIn() {
        admin = clients.connect(uri(server));
        admin.call(Command.of("CONFIG RESETSTAT"));
    }

    @AfterEach
    void logOut() {
        admin.call(Command.of("ACL DELUSER", "worker"));
        admin.call(Server.flush());
        admin.close();
        assertThat(log.lines().toString()).doesNotContain("marked");
    }

    private RedisClient connect(String... rights) {
        List<Object> arguments = new ArrayList<>(List.of("worker", "reset", "on", ">" + PASSWORD));
        arguments.addAll(List.of(rights));
        admin.call(Command.of("ACL SETUSER", arguments.toArray()));
        return clients.connect(uri(server).withLogin("worker", PASSWORD), options -> options.fusion(ALL));
    }

    private static List<Outcome> run(RedisClient client, List<String> commands) {
        Pipeline pipeline = client.pipeline();
        for (String line : commands) {
            String[] words = line.split(" ", -1);
            pipeline.add(
                    Command.of(words[0], List.of(words).subList(1, words.length).toArray()));
        }
        return pipeline.run().stream().<Outcome>map(Result::outcome).toList();
    }

    /**
     * Runs commands in a pipeline, with a bulk writer and on a dedicated connection, and checks that all of these
     * commands succeed. Returns the fusion counts after the pipeline.
     */
    private static FusionCounts runAll(RedisClient client) {
        assertThat(run(client, COMMANDS)).allMatch(Outcome.Ok.class::isInstance);
        FusionCounts fused = client.stats().fusion();
        List<Outcome> written = new ArrayList<>();
        BulkOptions all = BulkOptions.DEFAULT.withFusion(ALL);
        try (BulkWriter writer = client.bulkWriter(all, (tag, spec, outcome) -> written.add(outcome))) {
            IntStream.range(0, 20)
                    .forEach(i ->
                            writer.begin(Strings.SET).arg("own:" + i).arg(i).end(i));
            IntStream.range(0, 20)
                    .forEach(i ->
                            writer.begin(Hashes.HGET).arg("own:none").arg(i).end(i));
            writer.finish();
        }
        assertThat(written).hasSize(40).allMatch(Outcome.Ok.class::isInstance);
        try (DedicatedConnection connection = client.borrow()) {
            assertThat(connection.call(Strings.get("own:1"))).hasValue("1");
        }
        return fused;
    }

    @Test
    void allKindsOfCommandsAreFusedForAUserWithAllPermissions() {
        try (RedisClient client = connect("~*", "&*", "+@all")) {
            assertThat(runAll(client)).isEqualTo(new FusionCounts(20, 40));
        }
    }

    @Test
    void commandsAreSentUnfusedIfTheUserMayNotRunTheFusedCommand() {
        try (RedisClient client = connect("~*", "+@all", "-mset", "-bitfield", "-smismember")) {
            FusionCounts fused = runAll(client);

            assertThat(fused).isEqualTo(new FusionCounts(17, 34));
            assertThat(executed("mset", "bitfield", "smismember")).isZero();
        }
    }

    @Test
    void commandsOnDifferentKeysAreNotFusedForAUserWithKeyPatterns() {
        try (RedisClient client = connect("~own:*", "+@all")) {
            FusionCounts fused = runAll(client);

            assertThat(fused).as("all but SET, GET, DEL and UNLINK").isEqualTo(new FusionCounts(16, 32));
            assertThat(run(client, List.of("SET own:1 v", "SET others v", "SET own:2 v", "GET own:1", "GET others")))
                    .extracting(CommandFate::of)
                    .containsExactly(
                            CommandFate.OK, CommandFate.ERROR, CommandFate.OK, CommandFate.OK, CommandFate.ERROR);
            assertThat(run(client, List.of("HGET others f", "HGET others g", "HGET own:h f", "HGET own:h g")))
                    .extracting(CommandFate::of)
                    .containsExactly(CommandFate.ERROR, CommandFate.ERROR, CommandFate.OK, CommandFate.OK);
        }
    }

    /** An error about a denied key does not mean that the user may not run the fused command. */
    @Test
    void errorAboutADeniedKeyDoesNotDisableFusion() {
        try (RedisClient client = connect("~own:*", "+@all")) {
            run(client, List.of("HGET others f", "HGET others g"));
            FusionCounts before = client.stats().fusion();
            run(client, List.of("HGET own:h f", "HGET own:h g"));

            assertThat(client.stats().fusion()).isEqualTo(before.plus(new FusionCounts(1, 2)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"-multi", "-discard", "-@transaction"})
    void allKindsOfCommandsAreFusedForAUserWithoutTransactions(String right) {
        try (RedisClient client = connect("~*", "+@all", right)) {
            assertThat(runAll(client)).isEqualTo(new FusionCounts(20, 40));
        }
    }

    @Test
    void permissionCheckLeavesNoOpenTransaction() {
        for (String right : List.of("-discard", "-multi", "-exec")) {
            try (RedisClient client = connect("~*", "+@all", "-discard", right)) {
                assertThat(client.call(Strings.set("own:a", right))).isEqualTo("OK");
                assertThat(admin.call(Strings.get("own:a"))).hasValue(right);
            }
        }
    }

    @Test
    void readCommandsOnOneKeyAreFusedForAReadOnlyUser() {
        try (RedisClient client = connect("%R~own:*", "+@read", "+hello", "+client", "+ping")) {
            List<String> reads = List.of(
                    "HGET own:h f",
                    "HGET own:h g",
                    "SISMEMBER own:u a",
                    "SISMEMBER own:u b",
                    "ZSCORE own:z a",
                    "ZSCORE own:z b",
                    "GET own:a",
                    "GET own:b");

            assertThat(run(client, reads)).allMatch(Outcome.Ok.class::isInstance);
            assertThat(client.stats().fusion()).isEqualTo(new FusionCounts(3, 6));
        }
    }

    @Test
    void permissionCheckChangesNoKeys() {
        String changes =
                admin.call(Server.info("persistence")).replaceFirst("(?s).*rdb_changes_since_last_save:(\\d+).*", "$1");
        try (RedisClient client = connect("~*", "+@all")) {
            assertThat(client.call(Server.size())).isZero();
            assertThat(admin.call(Server.info("persistence"))).contains("rdb_changes_since_last_save:" + changes);
        }
    }

    /** Returns how many of the given commands the server has executed at least once in this test. */
    private long executed(String... commands) {
        String statistics = admin.call(Server.info("commandstats"));
        return Stream.of(commands)
                .filter(command -> statistics.contains("cmdstat_" + command + ":calls="))
                .filter(command -> !statistics.contains("cmdstat_" + command + ":calls=0,"))
                .count();
    }

    @Test
    void onlyOneFusedBatchFailsAfterThePermissionForItsFusedCommandIsRevoked() {
        try (RedisClient client = connect("~*", "+@all")) {
            assertThat(run(client, List.of("SET a 1", "SET b 2"))).allMatch(Outcome.Ok.class::isInstance);
            admin.call(Command.of("ACL SETUSER", "worker", "-mset"));

            assertThat(run(client, List.of("SET a 1", "SET b 2")))
                    .extracting(CommandFate::of)
                    .containsExactly(CommandFate.ERROR, CommandFate.ERROR);
            assertThat(run(client, List.of("SET a 1", "SET b 2"))).allMatch(Outcome.Ok.class::isInstance);
        }
    }
}
