// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.millrace.cli.StandardStreams.PasswordPrompt;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.embedded.EmbeddedSentinels;
import java.io.BufferedWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Tests the ways to name a server and to give its password, with a real server. */
class ConnectionOptionsTest {

    private static final String PASSWORD = "opensesame42";

    @TempDir
    static Path folder;

    private static EmbeddedRedis redis;
    private static String shop;

    @BeforeAll
    static void start() throws IOException {
        redis = EmbeddedRedis.start(EmbeddedOptions.defaults()
                .withPassword(PASSWORD)
                .withUnixSocket()
                .withConfig("user ada on >" + PASSWORD + " ~* &* +@all"));
        shop = Files.writeString(folder.resolve("shop.csv"), "id,name\n1,Ada\n").toString();
    }

    @AfterAll
    static void end() {
        redis.close();
    }

    private static String[] load(String... connection) {
        return CliRun.args(List.of("load", shop, "--key", "{id}", "--as", "hash", "--progress", "none"), connection);
    }

    private static CliRun run(String... connection) {
        return CliRun.of(Map.of("REDISCLI_AUTH", PASSWORD), "", load(connection));
    }

    private static String port() {
        return Integer.toString(redis.port());
    }

    private static void assertLoaded(CliRun run) {
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).contains("written: 1");
    }

    @Test
    void longNamesOfHostAndPortAreAccepted() {
        assertLoaded(run("--host", "127.0.0.1", "--port", port()));
        assertLoaded(run("--host=127.0.0.1", "-p" + port()));
    }

    @Test
    void valkeyUriIsAccepted() {
        assertLoaded(run("-u", "valkey://127.0.0.1:" + port()));
    }

    @Test
    void sentinelsNameThePrimaryAndHaveALoginOfTheirOwn() throws IOException {
        EmbeddedOptions withPassword = EmbeddedOptions.defaults().withPassword(PASSWORD);
        Path secret = Files.writeString(folder.resolve("sentinel-secret"), "w4tchword\n");
        try (EmbeddedSentinels servers = EmbeddedSentinels.start(withPassword, 1, Optional.of("w4tchword"))) {
            String uri = servers.uri();

            assertLoaded(run("-u", uri, "--sentinel-password-file", secret.toString()));
            assertLoaded(CliRun.of(
                    Map.of("REDISCLI_AUTH", PASSWORD, "MILLRACE_SENTINEL_PASSWORD", "w4tchword"), "", load("-u", uri)));

            CliRun withoutLogin = run("-u", uri);
            assertThat(withoutLogin.code()).isEqualTo(5);
            assertThat(withoutLogin.err())
                    .contains("no Sentinel names a primary that can be used", "NOAUTH")
                    .doesNotContain(PASSWORD);
        }
    }

    @Test
    void loginOfSentinelsIsRefusedWithoutSentinelsAndWithoutAPassword() {
        assertThat(run("-p", port(), "--sentinel-user", "eve").err())
                .contains("have a meaning only with a redis-sentinel:// URI");
        assertThat(run("-u", "redis-sentinel://127.0.0.1:1/0#shop", "--sentinel-user", "eve")
                        .err())
                .contains("--sentinel-user has no password");
    }

    @Test
    void mapOfAddressesIsRefusedWithItsTextOrWithoutAClusterAndSentinels() {
        assertThat(run("-c", "-p", port(), "--map", "10.0.0.7:7000").err())
                .contains("--map", "\"10.0.0.7:7000\" does not map an address: there is no '='");
        assertThat(run("-c", "-p", port(), "--map", "a:1=b:1", "--map", "a:1=c:1")
                        .err())
                .contains("--map: \"a:1=c:1\" does not map an address: another entry already replaces a:1");
        assertThat(run("-p", port(), "--map", "a:1=b:1").err())
                .contains("--map has a meaning only with a cluster (-c) or with Sentinels");
    }

    @Test
    @EnabledOnOs({OS.LINUX, OS.MAC})
    void unixSocketIsAcceptedWithADatabase() {
        String socket = redis.unixSocket().orElseThrow().toString();

        assertLoaded(run("-s", socket, "-n", "1"));
        assertLoaded(run("--socket", socket));
        assertLoaded(run("-u", "unix://" + socket));
    }

    @Test
    void optionsOfTheServerTakePrecedenceOverRedisUrl() {
        assertLoaded(CliRun.of(
                Map.of("REDISCLI_AUTH", PASSWORD, "REDIS_URL", "redis://no-such-host.invalid"),
                "",
                load("--host", "127.0.0.1", "--port", port())));
    }

    @Test
    void askedPasswordIsUsedAndMasked() {
        List<String> prompts = new ArrayList<>();

        CliRun run = asking(
                prompt -> {
                    prompts.add(prompt);
                    return Optional.of(PASSWORD);
                },
                load("--port", port(), "--askpass"));

        assertLoaded(run);
        assertThat(run.out() + run.err()).doesNotContain(PASSWORD);
        assertThat(prompts).containsExactly("Password: ");
    }

    @Test
    void userWithoutAPasswordIsAsked() {
        List<String> prompts = new ArrayList<>();

        CliRun run = asking(
                prompt -> {
                    prompts.add(prompt);
                    return Optional.of(PASSWORD);
                },
                load("--port", port(), "--user", "ada"));

        assertLoaded(run);
        assertThat(prompts).containsExactly("Password of user ada: ");
    }

    @Test
    void emptyAnswerIsRefused() {
        CliRun run = asking(prompt -> Optional.of(""), load("--port", port(), "--askpass"));

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err()).contains("--askpass: there is no terminal, or no password was typed");
    }

    private static CliRun asking(PasswordPrompt prompt, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        int code = Millrace.run(
                args,
                new StandardStreams(
                        InputStream.nullInputStream(),
                        new PrintStream(out, false, UTF_8),
                        new PrintStream(err, false, UTF_8),
                        Map.of(),
                        OptionalInt::empty,
                        prompt));
        return new CliRun(code, out.toString(UTF_8), err.toString(UTF_8));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void passwordIsReadFromTheTerminalWithoutShowingItAlsoIfStandardInputHasTheRows() throws Exception {
        Path program = Path.of("/usr/bin/script");
        assumeTrue(Files.isExecutable(program), "needs the program script of util-linux");
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Path command = Files.writeString(
                folder.resolve("command"),
                "printf 'id,name\\n1,Ada\\n' | '" + java + "' -XX:TieredStopAtLevel=1 -cp '"
                        + System.getProperty("java.class.path") + "' io.millrace.cli.Millrace load - --format csv"
                        + " --key '{id}' --as hash --progress none --askpass -p " + port() + "\nstty -a\n");
        Process terminal = new ProcessBuilder(program.toString(), "-qefc", "sh " + command, "/dev/null")
                .redirectErrorStream(true)
                .start();

        StringBuilder screen = new StringBuilder();
        readUntil(terminal, screen, "Password: ");
        try (BufferedWriter keyboard = terminal.outputWriter(UTF_8)) {
            keyboard.write(PASSWORD + "\n");
            keyboard.flush();
            readUntil(terminal, screen, "echoctl");
        }

        assertThat(terminal.waitFor(300, TimeUnit.SECONDS)).isTrue();
        assertThat(screen.toString()).contains("written: 1").doesNotContain(PASSWORD);
        assertThat(screen.toString()).containsPattern("[^-]\\becho\\b");
    }

    private static void readUntil(Process terminal, StringBuilder screen, String text) throws IOException {
        InputStream output = terminal.getInputStream();
        while (screen.indexOf(text) < 0) {
            int next = output.read();
            if (next < 0) {
                throw new AssertionError("no '" + text + "' in: " + screen);
            }
            screen.append((char) next);
        }
    }
}
