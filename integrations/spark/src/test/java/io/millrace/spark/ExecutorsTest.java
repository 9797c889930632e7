// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.client.command.Hashes;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job on two executors, which are halted at random rows, with speculation. */
class ExecutorsTest {

    private static final long ROWS = Long.getLong("millrace.sparkRows", 10_000);
    private static final int HALTS = Integer.getInteger("millrace.sparkHalts", 1);

    @TempDir
    Path folder;

    @Test
    void haltedExecutorsLeaveTheKeyspaceOfAnUndisturbedRunAndAnExactAccount() throws Exception {
        long seed = Long.getLong("millrace.seed", System.nanoTime());
        System.out.println("ExecutorsTest: seed " + seed);
        String halts =
                new Random(seed).longs(HALTS, 0, ROWS).mapToObj(String::valueOf).collect(Collectors.joining(","));
        Path rejects = folder.resolve("rejects");
        Path result = folder.resolve("result");
        try (EmbeddedRedis server = EmbeddedRedis.start(EmbeddedOptions.defaults());
                RedisClient client = RedisClient.connect(RedisUri.parse(server.uri()))) {
            // This row is rejected by each of its attempts.
            var unused = client.call(Command.of("SET", "row:" + (ROWS - 1), "a string"));

            SparkProcess.run(
                    ExecutorsJob.class,
                    folder,
                    server.uri(),
                    String.valueOf(ROWS),
                    halts,
                    rejects.toString(),
                    result.toString());

            List<String> lines = Files.readAllLines(result);
            System.out.println(lines.getFirst());
            assertThat(lines.getFirst())
                    .startsWith("{\"rows\":{\"read\":" + ROWS + ",\"written\":" + (ROWS - 1)
                            + ",\"rejected\":1,\"skipped\":0,\"unconfirmed\":0}")
                    .contains("\"partitions\":8,\"attempts\":{\"admitted\":8,")
                    .doesNotContain("\"lost\":0}");
            assertThat(lines.get(1)).isEqualTo(String.valueOf(ROWS));
            assertThat(rejects.toFile().list()).hasSize(1);
            for (long id = 0; id < ROWS - 1; id += ROWS / 1_000) {
                assertThat(client.call(Hashes.getAll("row:" + id)))
                        .isEqualTo(Map.of("id", id + "", "name", "name " + id, "price", id + ".00"));
            }
            assertThat(client.call(Command.of("DBSIZE")).toString()).contains(String.valueOf(ROWS));
        }
    }
}
