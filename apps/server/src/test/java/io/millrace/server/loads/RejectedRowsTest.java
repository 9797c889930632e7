// SPDX-License-Identifier: Apache-2.0
package io.millrace.server.loads;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisUri;
import io.millrace.load.LoadEvent;
import io.millrace.load.LoadOptions;
import io.millrace.load.LoadPlan;
import io.millrace.load.source.GeneratedSource;
import io.millrace.load.source.Rejection;
import io.millrace.load.source.Row;
import io.millrace.load.target.HashTarget;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RejectedRowsTest {

    private static final TextMask MASK = TextMask.of(
            RedisUri.of("redis", 6_379),
            new LoadPlan(GeneratedSource.customers(1, 1), HashTarget.of("c:{id}"), LoadOptions.defaults()),
            false);

    private final RejectedRows rows = new RejectedRows();

    private void reject(long number, String message) {
        Row row = new Row();
        row.clear(number, number + 1);
        rows.add(
                new LoadEvent.Rejected(row, "c:" + number, new Rejection(Rejection.Reason.NUMBER_INVALID, message)),
                MASK);
    }

    @Test
    void largeMessageIsCutAndHidesNoLaterRow() {
        reject(1, "score='" + "9".repeat(40_000) + "'");
        for (int row = 2; row <= 100; row++) {
            reject(row, "score='x'");
        }

        assertThat(rows.lines()).hasSize(100);
        assertThat(rows.lines().getFirst()).hasSizeBetween(1_000, 1_200).endsWith("9…\"}");
    }

    @Test
    void rowsAreTheFirstOnesWithinTheLimits() {
        for (int row = 1; row <= 1_000; row++) {
            reject(row, "score='" + "x".repeat(row % 2 * 500) + "'");
        }

        assertThat(rows.lines()).hasSizeBetween(50, 1_000);
        assertThat(rows.lines().getLast()).startsWith("{\"row\":" + rows.lines().size() + ",");
        assertThat(String.join("", rows.lines()).getBytes(StandardCharsets.UTF_8))
                .hasSizeLessThanOrEqualTo(RejectedRows.MAX_BYTES);
    }
}
