// SPDX-License-Identifier: Apache-2.0
package io.millrace.packed;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.BucketLayout;
import io.millrace.client.ClientOptions;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Stores many pairs {@code id -> id}, and prints the memory of the server. With {@code -Dmillrace.packedPairs=30000000},
 * as in {@code make soak}, the server needs about 300 MB.
 */
@ExtendWith(NoThreadLeft.class)
class ManyPairsTest {

    private static final int PAIRS = Integer.getInteger("millrace.packedPairs", 100_000);
    private static final long MANY_MORE_PAIRS = 300_000_000;
    private static final int BATCH = 100_000;

    @Test
    void pairsTakeTheMeasuredMemoryAndAreAllReadBack() {
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RedisClient client = RedisClient.connect(ClientOptions.builder(RedisUri.parse(server.uri()))
                        .connectTimeout(Duration.ofSeconds(60))
                        .commandTimeout(Duration.ofMinutes(2))
                        .build())) {
            BucketMap<String> pairs = BucketMap.of(client, BucketLayout.byNumber("", 128), Codec.text());
            long before = usedMemory(client);

            for (int from = 0; from < PAIRS; from += BATCH) {
                pairs.putAll(batch(from));
            }

            for (int from = 0; from < PAIRS; from += BATCH) {
                Map<String, String> expected = batch(from);
                assertThat(pairs.getAll(expected.keySet()).equals(expected))
                        .as("pairs from %d", from)
                        .isTrue();
            }
            BucketMemory memory = pairs.memory(10_000);
            double bytesPerPair = (double) (usedMemory(client) - before) / PAIRS;
            print(memory, bytesPerPair);
            assertThat(memory.buckets()).isEqualTo((PAIRS + 127) / 128);
            assertThat(memory.compact()).isEqualTo(memory.measured());
            assertThat((double) memory.totalPairs()).isBetween(0.99 * PAIRS, 1.01 * PAIRS);
            assertThat(memory.bytesPerPair()).isBetween(2.0, 30.0);
        }
    }

    private static void print(BucketMemory memory, double bytesPerPair) {
        System.out.printf(
                Locale.ROOT,
                "ManyPairsTest: %,d pairs, measured: %.1f bytes of used_memory each, %.1f by MEMORY USAGE;"
                        + " estimate for %,d pairs, not measured: %.1f GB%n",
                PAIRS,
                bytesPerPair,
                memory.bytesPerPair(),
                MANY_MORE_PAIRS,
                MANY_MORE_PAIRS * bytesPerPair / (1L << 30));
    }

    private static Map<String, String> batch(int from) {
        Map<String, String> batch = HashMap.newHashMap(BATCH);
        for (int id = from; id < Math.min(from + BATCH, PAIRS); id++) {
            batch.put(Integer.toString(id), Integer.toString(id));
        }
        return batch;
    }

    private static long usedMemory(RedisClient client) {
        return client.call(Server.info("memory"))
                .lines()
                .filter(line -> line.startsWith("used_memory:"))
                .mapToLong(line ->
                        Long.parseLong(line.substring("used_memory:".length()).strip()))
                .findFirst()
                .orElseThrow();
    }
}
