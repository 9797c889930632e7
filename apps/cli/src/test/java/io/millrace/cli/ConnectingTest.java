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

class ConnectingTest {

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
    void aHostThatDoesNotAnswerEndsWith5() throws IOException {
        // Bound and never listening: it refuses, and nobody else can take it meanwhile.
        try (Socket bound = new Socket()) {
            bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int port = bound.getLocalPort();

            Run run = load(Map.of(), "", "-p", Integer.toString(port));

            assertUnreachable(run);
            assertThat(run.err()).contains("127.0.0.1:" + port);
        }
    }

    @Test
    void aHostNobodyKnowsEndsWith5() {
        assertUnreachable(load(Map.of(), "", "-h", "no-such-host.invalid"));
    }

    @Test
    void aServerThatAsksForAPasswordEndsWith5() {
        Run run = load(Map.of(), "", port());

        assertUnreachable(run);
        assertThat(run.err()).containsIgnoringCase("password");
    }

    @Test
    void tlsToAPlainPortEndsWith5() {
        Run run = load(Map.of(), "", Run.args(List.of(port()), "--tls"));

        assertUnreachable(run);
        assertThat(run.err()).contains("TLS");
    }

    @Test
    void aDatabaseThatDoesNotAnswerEndsWith5() {
        Run run = Run.of(
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
        assertThat(run.err()).startsWith("millrace: ").doesNotContain(WRONG, WRONG_DECODED);
    }

    @Test
    void theDatabaseDriverDoesNotLogBesideOurMessage() {
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        PrintStream processErr = System.err;
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));

        Run run;
        try {
            run = Run.of(
                    "load", "jdbc:postgresql://127.0.0.1:port/shop", "--table", "t", "--key", "{id}", "--as", "hash");
        } finally {
            System.setErr(processErr);
        }

        assertThat(run.code()).isIn(2, 5);
        assertThat(run.err()).startsWith("millrace: ");
        assertThat(log.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    static Stream<Arguments> waysToGiveThePassword() {
        String host = "127.0.0.1:" + "PORT";
        return Stream.of(
                way(Map.of("REDISCLI_AUTH", PASSWORD), "", "-p", "PORT"),
                way(Map.of("REDIS_URL", "redis://:" + PASSWORD + "@" + host), ""),
                way(Map.of("REDIS_URL", "redis://:" + WRONG + "@" + host), "", "-a", PASSWORD),
                way(
                        Map.of("REDIS_URL", "redis://:" + WRONG + "@no-such-host.invalid", "REDISCLI_AUTH", PASSWORD),
                        "",
                        "-p",
                        "PORT"),
                way(Map.of("REDISCLI_AUTH", WRONG), "", "-u", "redis://:" + PASSWORD + "@" + host),
                way(Map.of("REDISCLI_AUTH", WRONG), "", "-p", "PORT", "-a", PASSWORD),
                way(Map.of(), "", "-p", "PORT", "--password-file", "FOLDER/password"),
                way(Map.of(), PASSWORD + "\n", "-p", "PORT", "--password-stdin"),
                way(Map.of(), "", "-p", "PORT", "-a", PASSWORD, "--user", "default"));
    }

    @ParameterizedTest
    @MethodSource("waysToGiveThePassword")
    void thePasswordIsTakenFromWhereItIsGiven(Map<String, String> env, String in, List<String> args) {
        Run run = load(filled(env), in, filled(args));

        assertThat(run.err() + run.out()).doesNotContain(PASSWORD).contains("written: 1");
        assertThat(run.code()).isZero();
    }

    static Stream<Arguments> waysToGiveAWrongPassword() {
        return Stream.of(
                way(Map.of("REDISCLI_AUTH", WRONG_DECODED), "", "-p", "PORT"),
                way(Map.of("REDIS_URL", "redis://:" + WRONG + "@127.0.0.1:PORT"), ""),
                way(Map.of(), "", "-u", "redis://me:" + WRONG + "@127.0.0.1:PORT"),
                way(Map.of(), "", "-p", "PORT", "-a", WRONG_DECODED),
                way(Map.of(), "", "-p", "PORT", "--password-file", "FOLDER/wrong"),
                way(Map.of(), WRONG_DECODED, "-p", "PORT", "--password-stdin"));
    }

    @ParameterizedTest
    @MethodSource("waysToGiveAWrongPassword")
    void aWrongPasswordEndsWith5AndIsNeverShown(Map<String, String> env, String in, List<String> args) {
        Run brief = load(filled(env), in, filled(args));
        Run debug = load(filled(env), in, Run.args(List.of(filled(args)), "--debug"));

        assertUnreachable(brief);
        assertThat(debug.err()).contains("\tat io.millrace.");
        assertThat(brief.err() + brief.out() + debug.err() + debug.out()).doesNotContain(WRONG, WRONG_DECODED);
    }

    private static void assertUnreachable(Run run) {
        assertThat(run.code()).as(run.err()).isEqualTo(5);
        assertThat(run.out()).isEmpty();
        List<String> errors =
                run.err().lines().filter(line -> !line.startsWith("warning: ")).toList();
        assertThat(errors).hasSizeBetween(1, 2);
        assertThat(errors.getFirst()).startsWith("millrace: ");
    }

    private static Run load(Map<String, String> env, String in, String... connection) {
        return Run.of(env, in, Run.args(List.of("load", shop, "--key", "{id}", "--as", "hash"), connection));
    }

    private static String port() {
        return "-p" + guarded.port();
    }

    private static Arguments way(Map<String, String> env, String in, String... args) {
        return Arguments.of(env, in, List.of(args));
    }

    private static Map<String, String> filled(Map<String, String> env) {
        return env.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, entry -> filled(entry.getValue())));
    }

    private static String[] filled(List<String> args) {
        return args.stream().map(ConnectingTest::filled).toArray(String[]::new);
    }

    private static String filled(String text) {
        return text.replace("PORT", Integer.toString(guarded.port())).replace("FOLDER", folder.toString());
    }
}
