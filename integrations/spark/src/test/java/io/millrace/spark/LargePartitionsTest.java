// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedRedis;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Executors whose memory is far smaller than their partitions. */
@Tag("soak")
class LargePartitionsTest {

    private static final long ROWS = Long.getLong("millrace.sparkPartitionRows", 10_000_000);
    private static final Duration LONGEST = Duration.ofMinutes(30);

    @TempDir
    Path folder;

    @Test
    void executorsOf512MegabytesWritePartitionsOfTenMillionRows() throws Exception {
        Path result = folder.resolve(LargePartitionsJob.RESULT);
        long all = LargePartitionsJob.PARTITIONS * ROWS;
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RedisClient client = RedisClient.connect(RedisUri.parse(server.uri()));
                SparkProcess driver = SparkProcess.start(
                        LargePartitionsJob.class, folder, folder.toString(), server.uri(), String.valueOf(ROWS))) {
            driver.await(() -> Files.exists(result), LONGEST);

            String report = Files.readString(result);

            System.out.println(report);
            assertThat(report)
                    .startsWith("{\"rows\":{\"read\":" + all + ",\"written\":" + all
                            + ",\"rejected\":0,\"skipped\":0,\"unconfirmed\":0}")
                    .contains("\"failed\":0");
            assertThat(client.call(Server.size())).isEqualTo(Math.min(all, LargePartitionsJob.KEYS));
        }
    }
}
