// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Processes;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the command line in a child process: signals, exit codes and output streams. */
class ChildProcessTest {

    private static final Pattern ACCOUNT =
            Pattern.compile("rows: (\\d+), written: (\\d+), rejected: 0, skipped: (\\d+), unconfirmed: 0, .*");

    /** A long timeout, because replies take long on a busy machine. */
    private static final String TIMEOUT = "100s";

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({"INT, 130", "TERM, 143"})
    void signalDuringALoadStopsTheLoadPrintsItsReportAndExitsWithItsCode(String signal, int code) throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                Keyspace keyspace = Keyspace.of(redis)) {
            Process millrace = startLoading(redis, "--in-flight", "1000");

            feedUntilItEnds(millrace, keyspace, signal);

            Matcher account = ACCOUNT.matcher(lastLine(out()));
            assertThat(account.matches()).as(out() + err()).isTrue();
            long written = Long.parseLong(account.group(2));
            assertThat(millrace.exitValue()).isEqualTo(code);
            assertThat(err()).contains("millrace: interrupted; ");
            assertThat(written).isEqualTo(keyspace.size()).isPositive();
            assertThat(written + Long.parseLong(account.group(3))).isEqualTo(Long.parseLong(account.group(1)));
        }
    }

    @ParameterizedTest
    @CsvSource({"INT, 130", "TERM, 143"})
    void signalEndsABlockedReadAndTheReportIsPrinted(String signal, int code) throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                Keyspace keyspace = Keyspace.of(redis)) {
            Process millrace = startLoading(redis, "--json");
            BufferedWriter rows = millrace.outputWriter(UTF_8);
            rows.write("1,Ada\n2,Zoë\n");
            rows.flush();
            awaitUntil(() -> keyspace.size() == 2);

            long begin = System.nanoTime();
            kill(signal, millrace.pid());

            await(millrace);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(50));
            assertThat(millrace.exitValue()).as(err()).isEqualTo(code);
            assertThat(out())
                    .hasLineCount(1)
                    .startsWith("{\"rows\":{\"read\":2,\"written\":2,\"rejected\":0,")
                    .contains("\"ending\":\"interrupted\",\"exit\":" + code + ",");
            assertThat(err()).contains("millrace: interrupted; ");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "id,na"})
    void signalBeforeTheFirstRowPrintsAnEmptyReport(String begun) throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            Process millrace = start(
                    "load",
                    "-",
                    "--format",
                    "csv",
                    "--key",
                    "c:{id}",
                    "--as",
                    "hash",
                    "--json",
                    "--timeout",
                    TIMEOUT,
                    "-u",
                    redis.uri());
            BufferedWriter rows = millrace.outputWriter(UTF_8);
            rows.write(begun);
            rows.flush();
            awaitUntil(() -> isReadingInput(millrace));

            long begin = System.nanoTime();
            kill("TERM", millrace.pid());

            await(millrace);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(50));
            assertThat(millrace.exitValue()).as(err()).isEqualTo(143);
            assertThat(out()).hasLineCount(1).startsWith("{\"rows\":{\"read\":0,\"written\":0,");
            assertThat(err()).contains("millrace: interrupted; ").doesNotContain("cannot read");
        }
    }

    @Test
    void signalCancelsASlowQueryAndTheReportIsPrinted() throws Exception {
        Process millrace = startSlowQuery();

        kill("INT", millrace.pid());

        await(millrace);
        assertThat(millrace.exitValue()).as(err()).isEqualTo(130);
        assertThat(out()).hasLineCount(1).contains("\"ending\":\"interrupted\",\"exit\":130,");
        assertThat(err()).contains("millrace: interrupted; ");
    }

    /** Starts a load whose query never ends, and waits until the query runs. */
    private Process startSlowQuery() throws Exception {
        Process millrace = start(
                "load",
                "jdbc:sqlite::memory:",
                "--query",
                "WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT max(x) AS id FROM r",
                "--key",
                "c:{id}",
                "--as",
                "hash",
                "--json");
        awaitUntil(() -> threads(millrace).contains("org.sqlite.core.NativeDB.step"));
        return millrace;
    }

    /** Whether a thread dump of the process shows a thread that reads the input. */
    private static boolean isReadingInput(Process millrace) throws Exception {
        return threads(millrace).contains("io.millrace.load.source.CsvTokenizer.fill");
    }

    /** A thread dump of the process. */
    private static String threads(Process millrace) throws Exception {
        Process jstack = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "jstack")
                                .toString(),
                        Long.toString(millrace.pid()))
                .redirectErrorStream(true)
                .start();
        String threads = new String(jstack.getInputStream().readAllBytes(), UTF_8);
        jstack.waitFor();
        return threads;
    }

    @Test
    void unresponsiveServerDoesNotBlockTheReport() throws Exception {
        Path report = folder.resolve("report.json");
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                Keyspace keyspace = Keyspace.of(redis)) {
            Process millrace = startLoading(redis, "--report", report.toString(), "--progress", "ndjson");
            BufferedWriter rows = millrace.outputWriter(UTF_8);
            rows.write("1,Ada\n2,Zoë\n");
            rows.flush();
            awaitUntil(() -> keyspace.size() == 2);
            // Redis executes this second DBSIZE only after it has sent the replies to both rows. So the pause comes
            // after these replies.
            assertThat(keyspace.size()).isEqualTo(2);
            redis.pause();
            rows.write("3,Grace\n4,Linus\n5,Edsger\n");
            rows.flush();
            awaitUntil(() -> err().contains("\"read\":5,"));

            kill("INT", millrace.pid());

            await(millrace);
            assertThat(millrace.exitValue()).as(err()).isEqualTo(130);
            assertThat(lastLine(out())).startsWith("rows: 5, written: 2, rejected: 0, skipped: 0, unconfirmed: 3, ");
            assertThat(err()).contains("unconfirmed: rows 3 to 5 (lines 3 to 5). Load these rows again; ");
            assertThat(out()).contains("interrupted while loading standard input into Redis ");
            assertThat(report).content().contains("\"unconfirmed\":3", "\"pending\":0");
            redis.resume();
        }
    }

    /** The bound needs an idle machine. */
    @Test
    @Tag("soak")
    void signalEndsALoadOnAnIdleMachineWithinThreeSeconds() throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                Keyspace keyspace = Keyspace.of(redis)) {
            Process millrace = startLoading(redis, "--json");
            BufferedWriter rows = millrace.outputWriter(UTF_8);
            rows.write("1,Ada\n");
            rows.flush();
            awaitUntil(() -> keyspace.size() == 1);

            long begin = System.nanoTime();
            kill("INT", millrace.pid());

            await(millrace);
            assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(3));
            assertThat(millrace.exitValue()).as(err()).isEqualTo(130);
            assertThat(out()).contains("\"ending\":\"interrupted\"");
        }
    }

    /** The bound needs an idle machine. */
    @Test
    @Tag("soak")
    void signalEndsASlowQueryOnAnIdleMachineWithinThreeSeconds() throws Exception {
        Process millrace = startSlowQuery();

        long begin = System.nanoTime();
        kill("INT", millrace.pid());

        await(millrace);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(3));
        assertThat(millrace.exitValue()).as(err()).isEqualTo(130);
        assertThat(out()).contains("\"ending\":\"interrupted\"");
    }

    @Test
    void killedLoadLeavesTheRejectedRowsThatHaveWaitedForASecond() throws Exception {
        Path rejects = folder.resolve("rejects.jsonl");
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            Process millrace = startLoading(redis, "--rejects", rejects.toString());
            BufferedWriter rows = millrace.outputWriter(UTF_8);
            rows.write("1\n2,Zoë\n3\n");
            rows.flush();
            // On a busy machine, the load may write the two rows at different times.
            awaitUntil(() -> Files.exists(rejects)
                    && Files.readString(rejects).chars().filter(c -> c == '\n').count() >= 2);

            kill("KILL", millrace.pid());

            await(millrace);
            assertThat(Files.readAllLines(rejects))
                    .hasSize(2)
                    .allMatch(line -> line.startsWith("{\"source\":") && line.endsWith("}"));
        }
    }

    @Test
    void secondSignalEndsTheLoadAtOnceWithoutAReport() throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                Keyspace keyspace = Keyspace.of(redis)) {
            Process millrace = startLoading(redis, "--progress", "ndjson");
            BufferedWriter rows = millrace.outputWriter(UTF_8);
            rows.write("1,Ada\n");
            rows.flush();
            awaitUntil(() -> keyspace.size() == 1);
            redis.pause();
            rows.write("2,Zoë\n");
            rows.flush();
            awaitUntil(() -> err().contains("\"read\":2,"));

            kill("INT", millrace.pid());
            awaitUntil(() -> err().contains("A second Ctrl-C ends at once"));
            kill("INT", millrace.pid());

            await(millrace);
            redis.resume();
            assertThat(millrace.exitValue()).as(err()).isEqualTo(130);
            assertThat(out()).isEmpty();
        }
    }

    @Test
    void ifTheParentProcessIgnoresSigintTheLoadIgnoresSigintAndEndsOnSigterm() throws Exception {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "trap '' INT; exec \"$@\"", "sh"));
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                Keyspace keyspace = Keyspace.of(redis)) {
            command.addAll(command(loadArgs(redis)));
            Process millrace = start(command);
            BufferedWriter rows = millrace.outputWriter(UTF_8);
            rows.write("1,Ada\n");
            rows.flush();
            awaitUntil(() -> keyspace.size() == 1);

            kill("INT", millrace.pid());
            rows.write("2,Zoë\n");
            rows.flush();
            awaitUntil(() -> keyspace.size() == 2);
            kill("TERM", millrace.pid());

            await(millrace);
            assertThat(millrace.exitValue()).as(err()).isEqualTo(143);
            assertThat(lastLine(out())).startsWith("rows: 2, written: 2, ");
        }
    }

    @Test
    void terminatedCreationOfAPopulationLeavesNoBits() throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                Keyspace keyspace = Keyspace.of(redis)) {
            Process millrace = start(
                    "bitmap",
                    "create",
                    "coin",
                    "--population",
                    "2147483648",
                    "--less-than",
                    "1",
                    "--of",
                    "3",
                    "-p",
                    Integer.toString(redis.port()));
            awaitUntil(() -> keyspace.size() == 1);

            kill("TERM", millrace.pid());

            await(millrace);
            assertThat(millrace.exitValue()).as(err()).isEqualTo(143);
            assertThat(keyspace.size()).isZero();
        }
    }

    @Test
    void jsonOptionPrintsOnlyTheReportToStandardOutput() throws Exception {
        Path shop = Files.writeString(folder.resolve("shop.csv"), "id,name\n1,Ada\n2\n");
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {

            Process millrace = start(
                    "load",
                    shop.toString(),
                    "--key",
                    "{id}",
                    "--as",
                    "hash",
                    "--json",
                    "--timeout",
                    TIMEOUT,
                    "-u",
                    redis.uri());

            await(millrace);
            assertThat(out()).hasLineCount(1).startsWith("{").endsWith("}" + System.lineSeparator());
            assertThat(err()).contains("rejected: ");
            assertThat(millrace.exitValue()).isEqualTo(3);
        }
    }

    @Test
    void versionOptionPrintsTheVersionsOfMillraceJavaAndTheSystem() throws Exception {
        Process millrace = start("--version");

        await(millrace);
        assertThat(out())
                .matches("millrace \\d+\\.\\d+\\.\\d+\\S* \\(Java " + Pattern.quote(System.getProperty("java.version"))
                        + ", .*; .*\\)\\R");
        assertThat(millrace.exitValue()).isZero();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void argumentThatTheLocaleCannotDecodeIsRefused() throws Exception {
        List<String> command = new ArrayList<>(
                List.of("/bin/sh", "-c", "export LC_ALL=C; exec \"$@\" --key \"$(printf '\\303\\253'):{id}\"", "sh"));
        command.addAll(command("load", "shop.csv", "--as", "hash"));

        Process millrace = start(command);

        await(millrace);
        assertThat(err()).startsWith("millrace: argument 6 is not text in the character set of the locale: charset=");
        assertThat(millrace.exitValue()).isEqualTo(2);
    }

    @Test
    void unknownCommandExitsWith2() throws Exception {
        Process millrace = start("lod");

        await(millrace);
        assertThat(out()).isEmpty();
        assertThat(err()).startsWith("millrace: unknown command 'lod'");
        assertThat(millrace.exitValue()).isEqualTo(2);
    }

    /** Writes rows until the process stops reading. Sends the signal when some rows have been written to Redis. */
    private static void feedUntilItEnds(Process millrace, Keyspace keyspace, String signal) throws Exception {
        boolean sent = false;
        try (BufferedWriter rows = millrace.outputWriter(UTF_8)) {
            for (int id = 0; id < 20_000_000 && millrace.isAlive(); id++) {
                rows.write(id + ",a customer with a name\n");
                if (!sent && id % 1_000 == 0 && keyspace.size() > 1_000) {
                    kill(signal, millrace.pid());
                    sent = true;
                }
            }
        } catch (IOException closedPipe) {
            // Expected: the pipe is closed, because the process has stopped reading.
        }
        await(millrace);
    }

    private Process startLoading(EmbeddedRedis redis, String... more) throws IOException {
        return start(loadArgs(redis, more));
    }

    private static String[] loadArgs(EmbeddedRedis redis, String... more) {
        List<String> args = List.of(
                "load",
                "-",
                "--format",
                "csv",
                "--columns",
                "id,name",
                "--key",
                "c:{id}",
                "--as",
                "hash",
                "--timeout",
                TIMEOUT,
                "-p",
                Integer.toString(redis.port()));
        return CliRun.args(args, more);
    }

    private static void kill(String signal, long pid) throws Exception {
        new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start().waitFor();
    }

    private static void awaitUntil(Callable<Boolean> happened) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(300);
        while (!happened.call()) {
            assertThat(System.nanoTime()).as("the condition holds in time").isLessThan(deadline);
            LockSupport.parkNanos(5_000_000);
        }
    }

    private Process start(String... args) throws IOException {
        return start(Processes.withDefaultSignals(command(args)));
    }

    private static List<String> command(String... args) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Millrace.class.getName()));
        command.addAll(List.of(args));
        return command;
    }

    private Process start(List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile());
        builder.environment().remove("REDIS_URL");
        builder.environment().remove("REDISCLI_AUTH");
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        return builder.start();
    }

    private static void await(Process millrace) throws InterruptedException {
        try {
            assertThat(millrace.waitFor(300, TimeUnit.SECONDS))
                    .as("the process has ended")
                    .isTrue();
        } finally {
            millrace.destroyForcibly();
        }
    }

    private String out() throws IOException {
        return Files.readString(folder.resolve("out"));
    }

    private String err() throws IOException {
        return Files.readString(folder.resolve("err"));
    }

    private static String lastLine(String text) {
        return text.stripTrailing().lines().reduce("", (before, line) -> line);
    }
}
