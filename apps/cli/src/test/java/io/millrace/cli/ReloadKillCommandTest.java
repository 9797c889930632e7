// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Processes;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that is killed while it replaces old data. */
class ReloadKillCommandTest {

    private static final String KEYS = "return #redis.call('KEYS',ARGV[1])";

    @TempDir
    Path folder;

    @Test
    void killedSwapLeavesTheOldDataAndTheNextRunDeletesItsShadowKeys() throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                Keyspace keyspace = Keyspace.of(redis)) {
            keyspace.call("HSET", "c:1", "name", "old");
            Process killed = start(redis);
            feedUntilItIsKilled(killed, keyspace);
            assertThat(killed.exitValue())
                    .as(() -> "128 and the number of SIGKILL; the process printed: " + printed())
                    .isEqualTo(137);

            assertThat(keys(keyspace, "millrace:shadow:*")).isPositive();
            assertThat(keys(keyspace, "c:*")).isOne();
            assertThat(keyspace.hash("c:1")).containsEntry("name", "old");

            // The next run waits for the lock of the killed run.
            Process next = start(redis);
            try (BufferedWriter rows = next.outputWriter(UTF_8)) {
                rows.write("1,new\n2,new\n");
            }
            assertThat(next.waitFor(300, TimeUnit.SECONDS)).isTrue();

            assertThat(next.exitValue()).isZero();
            assertThat(Files.readString(folder.resolve("err")))
                    .contains(
                            "another run of this job holds its lock",
                            "an earlier run of this job did not end",
                            "The old data was unchanged");
            assertThat(keys(keyspace, "millrace:shadow:*")).isZero();
            assertThat(keyspace.hash("c:1")).containsEntry("name", "new");
            assertThat(keys(keyspace, "c:*")).isEqualTo(2);
        }
    }

    private String printed() {
        try {
            return Files.readString(folder.resolve("err"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void feedUntilItIsKilled(Process millrace, Keyspace keyspace) throws Exception {
        try (BufferedWriter rows = millrace.outputWriter(UTF_8)) {
            for (int id = 0; id < 20_000_000 && millrace.isAlive(); id++) {
                rows.write(id + ",a customer with a name\n");
                if (id % 1_000 == 0 && keyspace.size() > 1_000) {
                    millrace.destroyForcibly();
                }
            }
        } catch (IOException closedPipe) {
            // Expected: the process was killed.
        }
        assertThat(millrace.waitFor(300, TimeUnit.SECONDS)).isTrue();
    }

    private static long keys(Keyspace keyspace, String pattern) {
        return keyspace.number("EVAL", KEYS, "0", pattern);
    }

    @Test
    void signalEndsTheRunningJobAndTheSumIsPrinted() throws Exception {
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                Keyspace keyspace = Keyspace.of(redis)) {
            Path jobs = folder.resolve("jobs.yaml");
            Files.writeString(jobs, """
                    defaults: {uri: '%s', source: 'gen:100000000', as: hash, rate: 2000, fields: [id]}
                    jobs:
                      a: {targets: [{key: 'a:{id}'}, {key: 'b:{id}'}]}
                      b: {key: 'c:{id}'}
                    """.formatted(redis.uri()));
            Process run = start(List.of("run", jobs.toString()));
            while (keyspace.size() < 100 && run.isAlive()) {
                LockSupport.parkNanos(5_000_000);
            }

            new ProcessBuilder("kill", "-INT", Long.toString(run.pid())).start().waitFor();

            assertThat(run.waitFor(300, TimeUnit.SECONDS)).isTrue();
            String out = Files.readString(folder.resolve("out"));
            assertThat(out).contains("job a-1:\n", "job a-2:\n", "not run: 1").doesNotContain("job b:");
            assertThat(out.lines().toList().getLast()).startsWith("rows: ");
            assertThat(run.exitValue()).isEqualTo(130);
        }
    }

    private Process start(EmbeddedRedis redis) throws IOException {
        List<String> load = new ArrayList<>();
        load.addAll(List.of("load", "-", "--format", "csv", "--columns", "id,name", "--key", "c:{id}"));
        load.addAll(List.of("--as", "hash", "--swap", "-p", Integer.toString(redis.port())));
        return start(load);
    }

    private Process start(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Millrace.class.getName()));
        command.addAll(arguments);
        ProcessBuilder builder = new ProcessBuilder(Processes.withDefaultSignals(command))
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile());
        builder.environment().remove("REDIS_URL");
        builder.environment().remove("REDISCLI_AUTH");
        builder.environment().remove("JAVA_TOOL_OPTIONS");
        return builder.start();
    }
}
