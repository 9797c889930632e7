// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VerifyCommandTest {

    private static EmbeddedRedis redis;
    private static Keyspace keyspace;

    @TempDir
    Path folder;

    private String shop = "";

    @BeforeAll
    static void start() {
        redis = EmbeddedRedis.start();
        keyspace = Keyspace.of(redis);
    }

    @AfterAll
    static void end() {
        keyspace.close();
        redis.close();
    }

    @BeforeEach
    void load() throws IOException {
        keyspace.clear();
        StringBuilder rows = new StringBuilder("id,name\n");
        for (int id = 1; id <= 10; id++) {
            rows.append(id).append(",name ").append(id).append('\n');
        }
        shop = Files.writeString(folder.resolve("shop.csv"), rows).toString();
        assertThat(run("load", shop).code()).isZero();
    }

    @Test
    void unchangedDataIsVerifiedAndNothingIsWritten() {
        keyspace.call("HSET", "c:1", "other", "x");

        CliRun run = run("verify", shop);

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out())
                .startsWith("compared " + shop + " with " + ServerName.of(redis) + " ")
                .contains("verified: 10 rows read back, 0 differ")
                .contains(
                        "not compared: keys and fields without a row; a load with --prune removes keys that an earlier"
                                + " run of its job wrote, and a load with --swap replaces whole keys")
                .doesNotContain("loaded");
        assertThat(run.err())
                .startsWith("verify: " + shop + " with redis://127.0.0.1:" + redis.port())
                .doesNotContain("load: ");
        assertThat(run.lastLine()).startsWith("rows: 10, written: 0, rejected: 0, skipped: 10, unconfirmed: 0,");
        assertThat(keyspace.hash("c:1")).containsEntry("other", "x");
    }

    @Test
    void differencesAreNamedAndTheFirstFiveArePrinted() throws IOException {
        for (int id = 2; id <= 8; id++) {
            keyspace.call("HSET", "c:" + id, "name", "changed");
        }
        Path differences = folder.resolve("differences.jsonl");

        CliRun run = run("verify", shop, "--differences", differences.toString());

        assertThat(run.code()).isEqualTo(7);
        assertThat(run.out()).contains("10 rows read back, 7 differ\nnot compared: keys and fields without a row; ");
        assertThat(run.err().lines().filter(line -> line.startsWith("differs: ")))
                .hasSize(5)
                .first()
                .isEqualTo("differs: key c:2, field name: expected \"name 2\", found changed");
        assertThat(Files.readAllLines(differences))
                .hasSize(7)
                .first()
                .isEqualTo("{\"key\":\"c:2\",\"difference\":\"value\",\"field\":\"name\",\"expected\":\"name 2\","
                        + "\"found\":\"changed\"}");
    }

    @Test
    void fieldWithoutARowIsADifferenceOfAReplacedHash() {
        keyspace.call("HSET", "c:1", "other", "x");

        CliRun run = run("verify", shop, "--replace-row");

        assertThat(run.code()).as(run.err()).isEqualTo(7);
        assertThat(run.err()).contains("differs: key c:1");
        assertThat(run.out()).contains("10 rows read back, 1 differ\nnot compared: keys without a row; ");
    }

    @Test
    void standardInputCanBeVerified() {
        CliRun run =
                CliRun.of(Map.of(), "id,name\n1,name 1\n99,nobody\n", args("verify", "-", "--format", "csv", "--json"));

        assertThat(run.code()).as(run.err()).isEqualTo(7);
        assertThat(run.out())
                .contains("\"ending\":\"completed\",\"exit\":7,\"job\":\"verification\",\"source\":\"standard input\"")
                .contains("\"verified\":{\"checked\":2,\"mismatched\":1}");
    }

    @Test
    void optionsOfALoadAreUnknown() {
        assertThat(run("verify", shop, "--dry-run").err()).contains("unknown option '--dry-run'");
        assertThat(run("verify", shop, "--verify", "none").err()).contains("--verify none leaves nothing to do");
        assertThat(run("load", shop, "--differences", folder.resolve("d").toString())
                        .err())
                .contains("--differences names what the verification finds, and there is no verification");
    }

    @Test
    void brokenVerificationOfALoadIsNotAStopOfTheLoad() {
        keyspace.call("ACL", "SETUSER", "default", "-hmget");
        try {
            CliRun run = run("load", shop, "--verify", "full");

            assertThat(run.code()).isEqualTo(4);
            assertThat(run.out())
                    .startsWith("loaded " + shop + " into " + ServerName.of(redis) + " ")
                    .contains(", but the verification did not complete")
                    .doesNotContain("stopped while loading");
            assertThat(run.err()).contains("millrace: not verified: verification ended early: ");
        } finally {
            keyspace.call("ACL", "SETUSER", "default", "+@all");
        }
    }

    private static CliRun run(String command, String source, String... more) {
        return CliRun.of(CliRun.args(List.of(args(command, source)), more));
    }

    private static String[] args(String command, String source, String... more) {
        return CliRun.args(
                List.of(command, source, "--key", "c:{id}", "--as", "hash", "-p", Integer.toString(redis.port())),
                more);
    }
}
