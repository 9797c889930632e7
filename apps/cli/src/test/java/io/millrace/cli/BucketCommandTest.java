// SPDX-License-Identifier: Apache-2.0
package io.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.BucketLayout;
import io.millrace.client.Codec;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.packed.BucketMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code millrace load --bucket}. Reads the loaded pairs with {@link BucketMap}. */
class BucketCommandTest {

    private static EmbeddedRedis redis;
    private static Keyspace keyspace;

    @TempDir
    Path folder;

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
    void clear() {
        keyspace.call("CONFIG", "SET", "hash-max-listpack-entries", "512");
        keyspace.clear();
    }

    @Test
    void everyLoadedPairIsReadBack() throws IOException {
        Map<String, String> pairs = new HashMap<>();
        IntStream.range(0, 10_000).forEach(i -> pairs.put("user:" + i * 7, "v" + i));

        CliRun run = load(file(pairs), "--bucket", "128", "--verify", "full");

        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.lastLine()).startsWith("rows: 10000, written: 10000, rejected: 0,");
        assertThat(run.err()).doesNotContain("warning");
        BucketMap<String> map = BucketMap.of(keyspace.client(), BucketLayout.byNumber("user:", 128), Codec.text());
        assertThat(map.getAll(pairs.keySet())).isEqualTo(pairs);
        assertThat(map.memory(1_000).pairs()).isEqualTo(10_000);
        assertThat(keyspace.size()).isEqualTo(547);
    }

    @Test
    void everyLoadedPairWithAHashedKeyIsReadBack() throws IOException {
        Map<String, String> pairs = new HashMap<>();
        IntStream.range(0, 5_000).forEach(i -> pairs.put("user:é" + Integer.toString(i * 977, 36), "v" + i));

        CliRun run = load(file(pairs), "--bucket", "128", "--pairs", "5000", "--verify", "full");

        assertThat(run.code()).as(run.err()).isZero();
        BucketMap<String> map = BucketMap.of(keyspace.client(), BucketLayout.byHash("user:", 128, 5_000), Codec.text());
        assertThat(map.getAll(pairs.keySet())).isEqualTo(pairs);
    }

    @Test
    void keysWithoutATrailingNumberAreRejectedWithTheReason() throws IOException {
        Path rejects = folder.resolve("rejects.jsonl");

        CliRun run = load(
                Files.writeString(folder.resolve("mixed.csv"), "id,v\n1,a\nann,b\n03,c\n,d\n5,e\n")
                        .toString(),
                "--bucket",
                "100",
                "--rejects",
                rejects.toString());

        assertThat(run.code()).isEqualTo(3);
        assertThat(run.lastLine()).startsWith("rows: 5, written: 2, rejected: 3,");
        assertThat(run.err())
                .contains("mixed.csv:3: key-not-numbered: ")
                .contains("the key does not end in a decimal number")
                .contains("(key user:ann)")
                .contains("mixed.csv:5: key-empty: ");
        assertThat(Files.readAllLines(rejects)).hasSize(3);
        assertThat(keyspace.hash("user:{0}:100")).isEqualTo(Map.of("1", "a", "5", "e"));
    }

    @Test
    void loadWithABucketAboveTheServersLimitExitsWith2AndWritesNothing() throws IOException {
        CliRun run = load(file(Map.of("user:1", "a")), "--bucket", "1000");

        assertThat(run.code()).isEqualTo(2);
        assertThat(run.err())
                .contains("bucket=1000, hash-max-listpack-entries=512. Choose 512 or less")
                .contains("bucket-above-limit");
        assertThat(keyspace.size()).isZero();
    }

    @Test
    void bucketAboveTheServersLimitIsLoadedIfTheOptionIsGivenOrTheLimitIsRaised() throws IOException {
        String file = file(Map.of("user:1", "a"));

        CliRun withOption = load(file, "--bucket", "1000", "--bucket-above-limit");
        keyspace.call("CONFIG", "SET", "hash-max-listpack-entries", "1000");
        CliRun raised = load(file, "--bucket", "1000");

        assertThat(withOption.code()).isZero();
        assertThat(withOption.err()).contains("warning: bucket is above the server's limit for hashes in compact form");
        assertThat(raised.code()).isZero();
        assertThat(raised.err()).doesNotContain("warning");
    }

    @Test
    void longValuesAreCountedInAWarning() throws IOException {
        CliRun run = load(file(Map.of("user:1", "x".repeat(65), "user:2", "short")), "--bucket", "100", "--quiet");

        assertThat(run.code()).isZero();
        assertThat(run.err())
                .isEqualTo("warning: 1 row has a field or a value of more than hash-max-listpack-value=64 bytes."
                        + " The server does not keep such a hash in compact form." + System.lineSeparator());
    }

    @Test
    void explainShowsTheHashAndTheFieldOfAPair() throws IOException {
        CliRun run = load(file(Map.of("user:123456", "Ada")), "--bucket", "1000", "--explain");

        assertThat(run.out().lines())
                .containsExactly(
                        "HSET user:{123}:1000 456 Ada",
                        "# adjacent rows of one key become one HSET; with --no-fusion each row is a separate command");
    }

    private static CliRun load(String file, String... more) {
        List<String> args = List.of(
                "load",
                file,
                "-p",
                Integer.toString(redis.port()),
                "--key",
                "user:{id}",
                "--as",
                "string",
                "--value",
                "v");
        return CliRun.of(CliRun.args(args, more));
    }

    /** Writes a file of pairs. The keys begin with {@code user:}. */
    private String file(Map<String, String> pairs) throws IOException {
        StringBuilder csv = new StringBuilder("id,v\n");
        pairs.forEach((key, value) -> csv.append(key.substring("user:".length()))
                .append(',')
                .append(value)
                .append('\n'));
        return Files.writeString(folder.resolve("pairs.csv"), csv).toString();
    }
}
