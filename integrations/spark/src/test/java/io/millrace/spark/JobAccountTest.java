// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;

class JobAccountTest {

    /** The message of an attempt without rows. */
    private static AttemptMessage message(int partition) throws IOException {
        JobPlan plan = JobPlan.of(
                "q",
                WriteOptions.of(Map.of("uri", "redis://127.0.0.1:1", "key", "row:{id}", "as", "hash")),
                new StructType().add("id", DataTypes.LongType));
        try (AttemptWriter writer =
                new AttemptWriter(new AttemptFactory(plan, Optional.empty()), new AttemptId(partition, 0, 1, "a"))) {
            return (AttemptMessage) writer.commit();
        }
    }

    @Test
    void eachPartitionNeedsOneReport() throws IOException {
        List<AttemptMessage> twice = List.of(message(0), message(0));
        JobAccount one = new JobAccount(List.of(message(0)));

        one.check(1);

        assertThatThrownBy(() -> one.check(2))
                .isInstanceOf(SparkLoadException.class)
                .hasMessage("the account does not add up: 1 of 2 partitions have a report.");
        assertThatThrownBy(() -> new JobAccount(twice).check(2))
                .isInstanceOf(SparkLoadException.class)
                .hasMessageStartingWith("the account does not add up: partition 0, attempt 0 on a: ");
    }

    @Test
    void skippedRowsAreRefused() throws IOException {
        AttemptMessage good = message(0);
        String skipped = good.report().replace("\"read\":0", "\"read\":1").replace("\"skipped\":0", "\"skipped\":1");
        JobAccount account = new JobAccount(List.of(new AttemptMessage(0, 0, "a", skipped, "")));

        assertThatThrownBy(() -> account.check(1))
                .isInstanceOf(SparkLoadException.class)
                .hasMessageContaining("rows: 1, written: 0, rejected: 0, skipped: 1");
    }

    @Test
    void reportWithInconsistentCountsCannotBeCreated() {
        assertThatThrownBy(() ->
                        new JobReport("q", "target", true, 5, 3, 1, 1.0, new JobReport.Attempts(1, 0, 0, 0), "{}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("row counts are inconsistent: read=5, written=3, rejected=1");
    }
}
