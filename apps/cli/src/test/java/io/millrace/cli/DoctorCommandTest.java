// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code millrace doctor} with real servers. */
class DoctorCommandTest {

    private static final int ROWS = 30_000;

    @TempDir
    static Path folder;

    private static Path shop;
    private static EmbeddedRedis redis;

    @BeforeAll
    static void start() throws IOException {
        redis = EmbeddedRedis.start();
        StringBuilder rows = new StringBuilder("id,name,city\n");
        for (int id = 1_000_000; id < 1_000_000 + ROWS; id++) {
            rows.append(id).append(",name of ").append(id).append(",London\n");
        }
        shop = Files.writeString(folder.resolve("shop.csv"), rows.toString());
    }

    @AfterAll
    static void end() {
        redis.close();
    }

    private static CliRun doctor(EmbeddedRedis server, String... args) {
        return CliRun.of(CliRun.args(List.of("doctor", "-p", Integer.toString(server.port())), args));
    }

    private static String out(EmbeddedRedis server, String... args) {
        CliRun run = doctor(server, args);
        assertThat(run.code()).as(run.err() + run.out()).isZero();
        return run.out();
    }

    private static EmbeddedRedis configured(String... config) {
        return EmbeddedRedis.start(EmbeddedOptions.defaults().withConfig(config));
    }

    @Test
    void serverWithoutLimitAndPersistenceGetsAdvice() {
        assertThat(out(redis))
                .startsWith(ServerName.of(redis) + " " + redis.version() + ", standalone, primary, redis://127.0.0.1:"
                        + redis.port())
                .contains("advice   memory: the server has no memory limit")
                .contains("Set maxmemory")
                .contains("ok       eviction: the server evicts no keys")
                .contains("advice   persistence: nothing is on disk, and a killed server loses all data")
                .contains("ok       output buffers: the replies of a load are not limited")
                .containsPattern("(ok    |advice)   round trip: .* median=[0-9.]+ ms")
                .containsPattern("\nproblem: 0; advice: \\d \\(.*memory, persistence.*\\); unknown: 0\n$");
    }

    @Test
    void doctorChangesNothing() {
        try (Keyspace keyspace = Keyspace.of(redis)) {
            keyspace.clear();

            out(redis, shop.toString(), "--key", "customer:{id}", "--as", "hash");

            assertThat(keyspace.size()).isZero();
        }
    }

    @Test
    void measuredMemoryOfTheSampleIsThatOfTheLoad() {
        String[] mapping = {shop.toString(), "--key", "customer:{id}", "--as", "hash"};
        try (EmbeddedRedis target = EmbeddedRedis.start();
                Keyspace keyspace = Keyspace.of(target)) {
            long expected = JsonNumbers.of(out(target, CliRun.args(List.of(mapping), "--json")), "neededBytes");
            long before = used(keyspace);

            CliRun load = CliRun.of(CliRun.args(List.of("load", "-p", Integer.toString(target.port())), mapping));

            assertThat(load.code()).as(load.err()).isZero();
            assertThat((double) expected / (used(keyspace) - before)).isBetween(0.85, 1.15);
        }
    }

    private static long used(Keyspace keyspace) {
        return keyspace.client()
                .call(Server.info("memory"))
                .lines()
                .filter(line -> line.startsWith("used_memory:"))
                .mapToLong(line ->
                        Long.parseLong(line.substring("used_memory:".length()).strip()))
                .sum();
    }

    @Test
    void rowsThatDoNotFitAreAProblem() {
        try (EmbeddedRedis small = configured("maxmemory 3mb", "maxmemory-policy noeviction")) {
            CliRun run = doctor(small, shop.toString(), "--key", "customer:{id}", "--as", "hash");

            assertThat(run.code()).isEqualTo(3);
            assertThat(run.out())
                    .contains("problem  memory: the rows do not fit, so rows will be refused (OOM): needed=about ")
                    .contains("Raise maxmemory, or load fewer rows")
                    .contains("\nproblem: 1 (memory); advice: ");
        }
    }

    @Test
    void settingsOfCompactFormsApplyToTheSample() {
        String[] mapping = {shop.toString(), "--key", "customer:{id}", "--as", "hash", "--json"};
        try (EmbeddedRedis wide = configured("hash-max-listpack-entries 1")) {
            assertThat(JsonNumbers.of(out(wide, mapping), "bytesPerRow"))
                    .isGreaterThan(JsonNumbers.of(out(redis, mapping), "bytesPerRow") + 50);
        }
    }

    @Test
    void evictingServerIsNamed() {
        try (EmbeddedRedis cache = configured("maxmemory 100mb", "maxmemory-policy allkeys-lru")) {
            assertThat(out(cache)).contains("advice   eviction: if the memory is full, the server evicts any keys");
        }
    }

    @Test
    void lossAfterAKillFollowsThePersistence() {
        try (EmbeddedRedis always = configured("appendonly yes", "appendfsync always");
                EmbeddedRedis second = configured("appendonly yes", "appendfsync everysec");
                EmbeddedRedis snapshots = configured("save 3600 1 300 100")) {
            assertThat(out(always)).contains("ok       persistence: each acknowledged row is on disk");
            assertThat(out(second)).contains("loses up to the last 2 s of rows");
            assertThat(out(snapshots))
                    .contains("advice   persistence: a killed server loses all changes since its last snapshot")
                    .contains("save=\"3600 1 300 100\"")
                    .contains("ok       snapshots: ");
        }
    }

    @Test
    void limitedOutputBufferGetsAdvice() {
        try (EmbeddedRedis limited = configured("client-output-buffer-limit normal 1mb 512kb 10")) {
            assertThat(out(limited))
                    .contains("advice   output buffers: the server closes a connection whose unread replies exceed")
                    .contains("normal clients=1 MB (512 KB for 10 s)");
        }
    }

    @Test
    @Timeout(25)
    void busyServerIsNamedSoon() {
        try (EmbeddedRedis busy = configured("lua-time-limit 1");
                Keyspace script = Keyspace.of(busy);
                Keyspace keyspace = Keyspace.of(busy)) {
            var unused = script.client().send(Command.of("EVAL", "while true do end", "0"));

            CliRun run = doctor(busy);
            keyspace.call("SCRIPT KILL");

            assertThat(run.code()).isEqualTo(4);
            // The last attempt is refused, or has no reply in time.
            assertThat(run.err()).containsAnyOf("INFO failed: BUSY ", "INFO timed out");
        }
    }

    @Test
    void replicaIsAProblemThatNamesItsPrimary() {
        try (EmbeddedRedis replica = configured("replicaof 127.0.0.1 " + redis.port())) {
            CliRun run = doctor(replica);

            assertThat(run.code()).isEqualTo(3);
            assertThat(run.out())
                    .contains("problem  role: the server is a replica, and refuses writes: primary=127.0.0.1:"
                            + redis.port());
        }
    }

    @Test
    void missingReplicasAreAProblem() {
        try (EmbeddedRedis alone = configured("min-replicas-to-write 1")) {
            assertThat(doctor(alone).out()).contains("problem  role: the server refuses writes (NOREPLICAS)");
        }
    }

    @Test
    void userWithoutPermissionForConfigGetsTheOtherFacts() {
        try (EmbeddedRedis guarded = configured("user limited on >secret42 ~* &* +@all -config")) {
            CliRun run = CliRun.of(
                    Map.of("REDISCLI_AUTH", "secret42"),
                    "",
                    "doctor",
                    "-p",
                    Integer.toString(guarded.port()),
                    "--user",
                    "limited");

            assertThat(run.code()).as(run.err()).isZero();
            assertThat(run.out())
                    .contains("unknown  permissions: the server refuses CONFIG GET, so some facts are unknown")
                    .contains("NOPERM")
                    .contains("+config|get")
                    .contains("unknown  output buffers")
                    .contains("memory: the server has no memory limit")
                    .contains("round trip");
        }
    }

    @Test
    void userWithoutPermissionForInfoLearnsIt() {
        try (EmbeddedRedis guarded = configured("user limited on >secret42 ~* &* +@all -info -config")) {
            CliRun run = CliRun.of(
                    Map.of("REDISCLI_AUTH", "secret42"),
                    "",
                    "doctor",
                    "-p",
                    Integer.toString(guarded.port()),
                    "--user",
                    "limited");

            assertThat(run.code()).as(run.err()).isZero();
            assertThat(run.out())
                    .contains("unknown server")
                    .contains("the server refuses INFO")
                    .contains("unknown  memory")
                    .contains("unknown  persistence")
                    .contains("round trip");
        }
    }

    @Test
    void jsonHasEachFinding() {
        assertThat(out(redis, "--json").strip())
                .startsWith("{\"server\":\"" + ServerName.of(redis) + " ")
                .contains("\"roundTripMicros\":{\"median\":")
                .contains("{\"topic\":\"eviction\",\"level\":\"ok\",\"message\":")
                .endsWith("}]}")
                .doesNotContain("\n");
    }

    @Test
    void optionsOfASampleNeedASource() {
        CliRun run = CliRun.of("doctor", "--key", "{id}");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("--key has a meaning only with a SOURCE. Name the source.");
    }

    @Test
    void unreachableServerExitsWith5() {
        assertThat(CliRun.of("doctor", "-h", "no-such-host.invalid").code()).isEqualTo(5);
    }
}
