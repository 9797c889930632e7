// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.BulkOptions;
import io.millrace.client.BulkWriter;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Strings;
import io.millrace.load.source.Row;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LoadConnectionsTest {

    private static final int IN_FLIGHT = 1_024;
    private static final long IN_FLIGHT_BYTES = 1 << 16;

    @Test
    void memoryOfRowsIsLimitedEvenIfFewColumnsAreWritten() {
        long bound = 2L * (IN_FLIGHT * Row.KEPT_BYTES + IN_FLIGHT_BYTES * 3 / 2);
        long seed = new Random().nextLong();
        System.out.println("LanesTest: seed=" + seed);
        Random random = new Random(seed);
        byte[] value = "v".repeat(40_000).getBytes(StandardCharsets.UTF_8);
        BulkOptions options = new BulkOptions(IN_FLIGHT, IN_FLIGHT_BYTES, Duration.ofSeconds(30));
        long[] most = {0};
        long[] read = {0};
        long[] ended = {0};

        try (TestRedis redis = TestRedis.start();
                RedisClient client = RedisClient.connect(redis.options());
                LoadConnections loadConnections =
                        new LoadConnections(client, 2, options, (row, outcome) -> ended[0]++)) {
            for (int i = 0; i < 20_000; i++) {
                Row row = loadConnections.freeRow();
                row.clear(i, 0);
                row.add(Row.Kind.TEXT, value, 0, random.nextInt(2) == 0 ? random.nextInt(value.length) : 20);
                read[0] += row.length(0);
                byte[] key = ("k" + i % 100).getBytes(StandardCharsets.UTF_8);
                LoadConnection loadConnection = loadConnections.forKey(key, key.length);
                BulkWriter command = loadConnection.begin(Strings.SET);
                command.arg(key).arg("small");
                loadConnection.end(row);
                most[0] = Math.max(most[0], i % 16 == 0 ? loadConnections.rowBytes() : 0);
            }
            loadConnections.finish();

            assertThat(loadConnections.rowBytes())
                    .as("seed=%d", seed)
                    .isLessThanOrEqualTo(2L * 2 * IN_FLIGHT * Row.KEPT_BYTES);
        }

        assertThat(ended[0]).isEqualTo(20_000);
        assertThat(read[0]).as("more rows than the limit").isGreaterThan(5 * bound);
        assertThat(most[0]).as("seed=%d", seed).isLessThanOrEqualTo(bound + value.length * 3L);
    }

    @Test
    void memoryOfRowsWithManyEmptyColumnsIsLimited() {
        long bound = (long) IN_FLIGHT * Row.KEPT_BYTES + IN_FLIGHT_BYTES * 3 / 2;
        BulkOptions options = new BulkOptions(IN_FLIGHT, IN_FLIGHT_BYTES, Duration.ofSeconds(30));
        long most = 0;
        long oneRow = 0;

        try (TestRedis redis = TestRedis.start();
                RedisClient client = RedisClient.connect(redis.options());
                LoadConnections loadConnections = new LoadConnections(client, 1, options, (row, outcome) -> {})) {
            for (int i = 0; i < 2 * IN_FLIGHT; i++) {
                Row row = loadConnections.freeRow();
                row.clear(i, 0);
                row.add(i);
                for (int column = 0; column < 5_000; column++) {
                    row.addNull();
                }
                oneRow = row.capacity();
                byte[] key = "k".getBytes(StandardCharsets.UTF_8);
                LoadConnection loadConnection = loadConnections.forKey(key, key.length);
                loadConnection.begin(Strings.SET).arg(key).arg("small");
                loadConnection.end(row);
                most = Math.max(most, loadConnections.rowBytes());
            }
            loadConnections.finish();

            assertThat(loadConnections.rowBytes()).isLessThanOrEqualTo((long) IN_FLIGHT * Row.KEPT_BYTES);
        }

        assertThat(oneRow * IN_FLIGHT).as("more than the limit").isGreaterThan(5 * bound);
        assertThat(most).isLessThanOrEqualTo(bound + oneRow + (long) IN_FLIGHT * Row.KEPT_BYTES);
    }
}
