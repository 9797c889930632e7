// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Polling;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A driver in a separate JVM with two executors: a job with a password, a job whose executors are halted at random rows, and
 * a job whose driver is killed. One driver runs all jobs before the tests, because its start takes long.
 */
class ExecutorsTest {

    private static final long ROWS = Long.getLong("millrace.sparkRows", 8_000);
    private static final int HALTS = Integer.getInteger("millrace.sparkHalts", 1);
    private static final int UNDISTURBED = 3;
    private static final String SECRET = "s3cretmark4711";
    private static final Duration LONGEST = Duration.ofMinutes(30);

    @TempDir
    static Path folder;

    private static EmbeddedRedis server;
    private static List<String> result = List.of();

    /** The number of keys that the killed driver has left. */
    private static long keysOfKilled;

    @BeforeAll
    static void run() throws Exception {
        long seed = Long.getLong("millrace.seed", System.nanoTime());
        System.out.println("ExecutorsTest: seed " + seed);
        String halts = new Random(seed)
                .longs(HALTS, 0, ROWS - ROWS / ExecutorsJob.PARTITIONS)
                .mapToObj(String::valueOf)
                .collect(Collectors.joining(","));
        Files.createDirectories(folder.resolve(ExecutorsJob.EVENTS));
        server = EmbeddedRedis.start();
        for (int database : new int[] {ExecutorsJob.DISTURBED, ExecutorsJob.KILLED, UNDISTURBED}) {
            try (RedisClient client = client(database)) {
                BadRows.hashes().prepare(client);
            }
        }
        try (EmbeddedRedis withPassword =
                        EmbeddedRedis.start(EmbeddedOptions.defaults().withPassword(SECRET));
                SparkProcess driver = SparkProcess.start(
                        ExecutorsJob.class,
                        folder,
                        folder.toString(),
                        "redis://" + withPassword.host() + ":" + withPassword.port(),
                        Base64.getEncoder().encodeToString(SECRET.getBytes(StandardCharsets.UTF_8)),
                        server.uri(),
                        String.valueOf(ROWS),
                        halts)) {
            driver.await(() -> Files.exists(folder.resolve(ExecutorsJob.RESULT)), LONGEST);
            result = Files.readAllLines(folder.resolve(ExecutorsJob.RESULT));
            kill(driver);
        }
    }

    /** Kills the driver when it has written a part of the rows, and waits until its executors have ended. */
    private static void kill(SparkProcess driver) throws Exception {
        try (RedisClient client = client(ExecutorsJob.KILLED)) {
            driver.await(() -> client.call(Server.size()) > ROWS / ExecutorsJob.PARTITIONS / 4, LONGEST);
            List<ProcessHandle> executors = driver.process().descendants().toList();
            assertThat(executors).hasSize(2);

            assertThat(driver.process().destroyForcibly().waitFor(1, TimeUnit.MINUTES))
                    .isTrue();

            for (ProcessHandle executor : executors) {
                executor.onExit().get(1, TimeUnit.MINUTES);
            }
            keysOfKilled = client.call(Server.size());
            // The server notices the end of a connection a little later.
            assertThat(Polling.until(
                            () -> !client.call(Command.of("CLIENT LIST"))
                                    .toString()
                                    .contains("millrace-spark"),
                            Duration.ofSeconds(10)))
                    .isTrue();
        }
    }

    @AfterAll
    static void close() {
        server.close();
    }

    @Test
    void haltedExecutorsLeaveTheKeyspaceOfAnUndisturbedRun() {
        Keyspace undisturbed = written(UNDISTURBED);

        assertThat(undisturbed.keys()).isEqualTo(ROWS - BadRows.bad(ROWS).size() + 1);
        assertThat(keyspace(ExecutorsJob.DISTURBED)).isEqualTo(undisturbed);
    }

    @Test
    void accountOfAJobWithHaltedExecutorsIsExact() throws IOException {
        System.out.println(result.getFirst());
        List<Long> bad = BadRows.bad(ROWS);
        assertThat(result.getFirst())
                .startsWith("{\"rows\":{\"read\":" + ROWS + ",\"written\":" + (ROWS - bad.size()) + ",\"rejected\":"
                        + bad.size() + ",\"skipped\":0,\"unconfirmed\":0}")
                .contains("\"partitions\":8,\"attempts\":{\"admitted\":8,")
                .doesNotContain("\"lost\":0}");
        assertThat(result.get(2)).isEqualTo(String.valueOf(ROWS));
        assertThat(RejectedRow.in(folder.resolve(ExecutorsJob.REJECTS)))
                .extracting(RejectedRow::id)
                .isEqualTo(bad);
    }

    /** No executor is halted in the last partition. */
    @Test
    void sparkHasStartedASpeculativeAttempt() {
        assertThat(result.get(1)).isEqualTo("2");
    }

    @Test
    void jobOfAKilledDriverCanBeRunAgain() {
        assertThat(keysOfKilled).isBetween(2L, ROWS / 2 + 1);

        assertThat(written(ExecutorsJob.KILLED)).isEqualTo(written(UNDISTURBED));
    }

    @Test
    void killedDriverLeavesNoNamedRejectsAndNoLocalFiles() throws IOException {
        Path rejects = folder.resolve(ExecutorsJob.REJECTS_OF_KILLED);
        try (Stream<Path> named = Files.list(rejects)) {
            assertThat(named).allMatch(file -> file.getFileName().toString().startsWith("_millrace-"));
        }
        // Each halted executor has left the file of its task, which Spark deletes only at the end of the driver.
        try (Stream<Path> files = Files.walk(folder)) {
            assertThat(files.filter(file -> file.toString().contains("millrace-rejects")))
                    .hasSizeLessThanOrEqualTo(HALTS);
        }
    }

    @Test
    void markedPasswordIsFoundNowhere() throws IOException {
        List<Path> files;
        try (Stream<Path> walked = Files.walk(folder)) {
            files = walked.filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                    .toList();
        }

        assertThat(files).anyMatch(file -> file.startsWith(folder.resolve(ExecutorsJob.EVENTS)));
        assertThat(Files.readString(folder.resolve("driver.log")))
                .contains("rowsWritten=10", "cannot prepare the server");
        assertThat(files)
                .allSatisfy(file -> assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
                        .doesNotContain(SECRET));
    }

    /** The keyspace after a job in the JVM of the test has written all rows. */
    private static Keyspace written(int database) {
        ExecutorsJob.write(
                BadRows.hashes().rows(TestSpark.session().range(ROWS)),
                ExecutorsJob.withDatabase(server.uri(), database),
                folder.resolve("rejects-" + database));
        return keyspace(database);
    }

    private static Keyspace keyspace(int database) {
        try (RedisClient client = client(database)) {
            return Keyspace.of(client);
        }
    }

    private static RedisClient client(int database) {
        return RedisClient.connect(RedisUri.parse(server.uri()).withDatabase(database));
    }
}
