// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ConnectionTest {

    private static final String PASSWORD = "opensesame42";
    private static final String WRONG = "wrong%20marked%20secret";
    private static final String WRONG_DECODED = "wrong marked secret";

    @TempDir
    static Path folder;

    private static EmbeddedRedis guarded;
    private static String shop;

    @BeforeAll
    static void start() throws IOException {
        guarded = EmbeddedRedis.start(EmbeddedOptions.defaults().withPassword(PASSWORD));
        shop = Files.writeString(folder.resolve("shop.csv"), "id,name\n1,Ada\n").toString();
        Files.writeString(folder.resolve("password"), PASSWORD + "\n");
        Files.writeString(folder.resolve("wrong"), WRONG_DECODED);
    }

    @AfterAll
    static void end() {
        guarded.close();
    }

    @Test
    void refusedConnectionExitsWith5() throws IOException {
        // Bound but not listening: the port refuses connections, and no other process can take it.
        try (Socket bound = new Socket()) {
            bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int port = bound.getLocalPort();

            CliRun run = load(Map.of(), "", "-p", Integer.toString(port));

            assertUnreachable(run);
            assertThat(run.err()).contains("127.0.0.1:" + port);
        }
    }

    @Test
    void unknownHostExitsWith5() {
        assertUnreachable(load(Map.of(), "", "-h", "no-such-host.invalid"));
    }

    @Test
    void missingPasswordExitsWith5() {
        CliRun run = load(Map.of(), "", port());

        assertUnreachable(run);
        assertThat(run.err()).contains("REDISCLI_AUTH", "--password-file");
    }

    @Test
    void tlsConnectionToAPortWithoutTlsExitsWith5() {
        CliRun run = load(Map.of(), "", CliRun.args(List.of(port()), "--tls"));

        assertUnreachable(run);
        assertThat(run.err()).contains("TLS");
    }

    @Test
    void unreachableDatabaseExitsWith5() {
        CliRun run = CliRun.of(
                "load",
                "jdbc:postgresql://127.0.0.1:1/shop?password=" + WRONG,
                "--table",
                "t",
                "--key",
                "{id}",
                "--as",
                "hash",
                "--debug");

        assertThat(run.code()).isEqualTo(5);
        assertThat(run.err())
                .startsWith("warning: other users of this machine can see a password in a jdbc: URL")
                .contains("\nmillrace: ")
                .doesNotContain(WRONG, WRONG_DECODED);
    }

    @Test
    void databaseDriverLogsNothing() {
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        PrintStream processErr = System.err;
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));

        CliRun run;
        try {
            run = CliRun.of(
                    "load", "jdbc:postgresql://127.0.0.1:port/shop", "--table", "t", "--key", "{id}", "--as", "hash");
        } finally {
            System.setErr(processErr);
        }

        assertThat(run.code()).isIn(2, 5);
        assertThat(run.err()).startsWith("millrace: ");
        assertThat(log.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    static Stream<Arguments> passwordSources() {
        String host = "127.0.0.1:" + "PORT";
        return Stream.of(
                source(Map.of("REDISCLI_AUTH", PASSWORD), "", "-p", "PORT"),
                source(Map.of("REDIS_URL", "redis://:" + PASSWORD + "@" + host), ""),
                source(Map.of("REDIS_URL", "redis://:" + WRONG + "@" + host), "", "-a", PASSWORD),
                source(
                        Map.of("REDIS_URL", "redis://:" + WRONG + "@no-such-host.invalid", "REDISCLI_AUTH", PASSWORD),
                        "",
                        "-p",
                        "PORT"),
                source(Map.of("REDISCLI_AUTH", WRONG), "", "-u", "redis://:" + PASSWORD + "@" + host),
                source(Map.of("REDISCLI_AUTH", WRONG), "", "-p", "PORT", "-a", PASSWORD),
                source(Map.of(), "", "-p", "PORT", "--password-file", "FOLDER/password"),
                source(Map.of(), PASSWORD + "\n", "-p", "PORT", "--password-stdin"),
                source(Map.of(), "", "-p", "PORT", "-a", PASSWORD, "--user", "default"));
    }

    @ParameterizedTest
    @MethodSource("passwordSources")
    void passwordIsAcceptedFromEachOptionAndEnvironmentVariable(Map<String, String> env, String in, List<String> args) {
        CliRun run = load(filled(env), in, filled(args));

        assertThat(run.err() + run.out()).doesNotContain(PASSWORD).contains("written: 1");
        assertThat(run.code()).isZero();
    }

    static Stream<Arguments> wrongPasswordSources() {
        return Stream.of(
                source(Map.of("REDISCLI_AUTH", WRONG_DECODED), "", "-p", "PORT"),
                source(Map.of("REDIS_URL", "redis://:" + WRONG + "@127.0.0.1:PORT"), ""),
                source(Map.of(), "", "-u", "redis://me:" + WRONG + "@127.0.0.1:PORT"),
                source(Map.of(), "", "-p", "PORT", "-a", WRONG_DECODED),
                source(Map.of(), "", "-p", "PORT", "--password-file", "FOLDER/wrong"),
                source(Map.of(), WRONG_DECODED, "-p", "PORT", "--password-stdin"));
    }

    @ParameterizedTest
    @MethodSource("wrongPasswordSources")
    void wrongPasswordExitsWith5AndIsNeverPrinted(Map<String, String> env, String in, List<String> args) {
        CliRun brief = load(filled(env), in, filled(args));
        CliRun debug = load(filled(env), in, CliRun.args(List.of(filled(args)), "--debug"));

        assertUnreachable(brief);
        assertThat(brief.err()).contains("Correct the user (--user) or the password", "--password-file");
        assertThat(debug.err()).contains("\tat io.millrace.");
        assertThat(brief.err() + brief.out() + debug.err() + debug.out()).doesNotContain(WRONG, WRONG_DECODED);
    }

    private static void assertUnreachable(CliRun run) {
        assertThat(run.code()).as(run.err()).isEqualTo(5);
        assertThat(run.out()).startsWith("failed before the first row of ").contains("\nrows: 0, written: 0, ");
        List<String> errors =
                run.err().lines().filter(line -> !line.startsWith("warning: ")).toList();
        assertThat(errors).hasSizeBetween(1, 2);
        assertThat(errors.getFirst()).startsWith("millrace: ");
    }

    private static CliRun load(Map<String, String> env, String in, String... connection) {
        return CliRun.of(env, in, CliRun.args(List.of("load", shop, "--key", "{id}", "--as", "hash"), connection));
    }

    private static String port() {
        return "-p" + guarded.port();
    }

    private static Arguments source(Map<String, String> env, String in, String... args) {
        return Arguments.of(env, in, List.of(args));
    }

    private static Map<String, String> filled(Map<String, String> env) {
        return env.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, entry -> filled(entry.getValue())));
    }

    private static String[] filled(List<String> args) {
        return args.stream().map(ConnectionTest::filled).toArray(String[]::new);
    }

    private static String filled(String text) {
        return text.replace("PORT", Integer.toString(guarded.port())).replace("FOLDER", folder.toString());
    }
}
