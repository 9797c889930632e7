// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;

/** The lab on a server of somebody's, who has a password and keys of his own. */
@KeepsJvms
class OwnServerTest {

    private static final String PASSWORD = "s3cret pass/wort@1";
    private static final String ENCODED = "s3cret%20pass%2Fwort%401";
    private static final int DATABASE = 3;

    private static final EmbeddedRedis SERVER =
            EmbeddedRedis.start(EmbeddedOptions.defaults().withPassword(PASSWORD));

    private static Jedis control = new Jedis();

    @TempDir
    private Path folder;

    @BeforeAll
    static void connect() {
        control.close();
        control = new Jedis(
                new HostAndPort(SERVER.host(), SERVER.port()),
                DefaultJedisClientConfig.builder()
                        .password(PASSWORD)
                        .database(DATABASE)
                        .timeoutMillis(60_000)
                        .build());
        // A user who may touch nothing but the lab's keys, and needs no right to look after the server.
        control.aclSetUser("guest", "on", ">guest s3cret", "~millrace-lab:*", "&*", "+@all", "-@admin");
    }

    @AfterAll
    static void stop() {
        control.close();
        SERVER.close();
    }

    @BeforeEach
    void empty() {
        control.flushAll();
    }

    private static LabRun run(String... args) {
        return runExperiment("broken", "good", args);
    }

    private static LabRun runExperiment(String experiment, String contenders, String... args) {
        var all = new ArrayList<>(
                List.of("run", experiment, "--size", "100", "--rounds", "1", "--contenders", contenders));
        all.addAll(List.of(args));
        var lab = LabRun.of(all.toArray(String[]::new));
        assertThat(lab.out() + lab.err()).doesNotContain(PASSWORD, ENCODED, "guest s3cret");
        return lab;
    }

    private static String uri() {
        return "redis://:" + ENCODED + "@127.0.0.1:" + SERVER.port() + "/" + DATABASE;
    }

    @Test
    void anEmptyDatabaseIsMeasuredAndLeftEmpty() {
        var lab = runExperiment("e1", "jedis,millrace", "--uri", uri(), "--json");

        assertThat(lab.exit()).as(lab.err()).isZero();
        assertThat(lab.results())
                .isNotEmpty()
                .allSatisfy(result ->
                        assertThat(result.path("verified").booleanValue(false)).isTrue());
        assertThat(control.dbSize()).isZero();
        assertThat(lab.json().path("environment").path("command").stringValue())
                .contains("--uri redis://***@127.0.0.1:");
    }

    @Test
    void aDatabaseWithOtherKeysIsRefusedAndLeftAlone() {
        control.set("somebody's", "value");
        control.set("millrace", "value");

        var lab = run("--uri", uri());

        assertThat(lab.exit()).isEqualTo(2);
        assertThat(lab.out()).isEmpty();
        assertThat(lab.err())
                .hasLineCount(1)
                .startsWith("lab: the database holds keys that are not the lab's: database=3, keys=2")
                .endsWith(". Name an empty one with --database, or say --beside-other-keys.\n");
        assertThat(control.get("somebody's")).isEqualTo("value");
        assertThat(control.dbSize()).isEqualTo(2);
    }

    @Test
    void anotherDatabaseOfTheServerMayBeFull() throws Exception {
        control.set("somebody's", "value");
        var password = Files.writeString(folder.resolve("password"), PASSWORD + "\nnot this\n");

        var lab = run("-p", SERVER.port() + "", "-n", "4", "--password-file", password.toString());

        assertThat(lab.exit()).as(lab.err()).isZero();
        assertThat(control.keys("*")).containsExactly("somebody's");
    }

    @Test
    void besideOtherKeysTheLabTakesAwayItsOwnAlone() {
        control.set("somebody's", "value");
        control.rpush("millrace-la", "not", "its", "prefix");
        for (int i = 0; i < 20_000; i++) {
            control.set("millrace-lab:key:" + i, "left over by a run that was killed");
        }

        var lab = run("--uri", uri(), "--beside-other-keys", "--json");

        assertThat(lab.exit()).as(lab.err()).isZero();
        assertThat(lab.results())
                .allSatisfy(result ->
                        assertThat(result.path("verified").booleanValue(false)).isTrue());
        assertThat(control.keys("*")).containsExactlyInAnyOrder("somebody's", "millrace-la");
        assertThat(control.get("somebody's")).isEqualTo("value");
    }

    @Test
    void keysThatAKilledLabLeftAreNoReasonToRefuse() {
        control.set("millrace-lab:key:000000007", "left over");

        var lab = run("--uri", uri());

        assertThat(lab.exit()).as(lab.err()).isZero();
        assertThat(control.dbSize()).isZero();
    }

    @Test
    void aUserWhoMayTouchNothingButTheLabsKeysIsEnough() throws Exception {
        var password = Files.writeString(folder.resolve("password"), "guest s3cret");

        var lab = run(
                "-h",
                "127.0.0.1",
                "-p",
                SERVER.port() + "",
                "-n",
                "3",
                "--user",
                "guest",
                "--password-file",
                password.toString(),
                "--json");

        assertThat(lab.exit()).as(lab.err()).isZero();
        assertThat(control.dbSize()).isZero();
    }

    @Test
    void aUserWhoMayNotDoWhatIsNeededIsToldSo() throws Exception {
        control.aclSetUser("reader", "on", ">guest s3cret", "~*", "&*", "+@read", "+@connection");
        control.set("millrace-lab:key:1", "left over");
        var password = Files.writeString(folder.resolve("password"), "guest s3cret");

        var lab = run("-p", SERVER.port() + "", "-n", "3", "--user", "reader", "--password-file", password.toString());

        assertThat(lab.exit()).isEqualTo(2);
        assertThat(lab.err()).hasLineCount(1).contains("NOPERM", "Look at its address, and at the user");
    }
}
