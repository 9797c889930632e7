// SPDX-License-Identifier: Apache-2.0
package io.millrace.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.command.Keys;
import io.millrace.load.LoadEvent;
import io.millrace.load.LoadReport;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One attempt of a task without Spark. */
class AttemptTest {

    @BeforeEach
    void clearServer() {
        TestRedis.clear();
    }

    private static JobPlan plan(String... pairs) {
        Map<String, String> options =
                new HashMap<>(Map.of("uri", TestRedis.uri(), "key", "row:{id}", "as", "hash", "verify", "full"));
        for (int i = 0; i < pairs.length; i += 2) {
            options.put(pairs[i], pairs[i + 1]);
        }
        return JobPlan.of("q", WriteOptions.of(options), new StructType().add("id", DataTypes.LongType));
    }

    private static LoadReport run(JobPlan plan, long rows, Consumer<LoadEvent> events) {
        List<InternalRow> all = LongStream.range(0, rows)
                .<InternalRow>mapToObj(id -> new GenericInternalRow(new Object[] {id}))
                .toList();
        return new Attempt(plan, 3, "partition 3, attempt 0 on host a", Optional.empty(), Optional.empty(), events)
                .run(all.iterator());
    }

    /** Removes a key between the load and its verification. */
    private static void removeOneKey(LoadEvent event) {
        if (event instanceof LoadEvent.Finished finished
                && finished.report().rows().written() > 0) {
            var unused = TestRedis.client().call(Keys.unlink("row:7"));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "7d"})
    void missingKeyFailsTheVerificationAlsoIfItsRowExpires(String ttl) {
        JobPlan plan = ttl.isEmpty() ? plan() : plan("ttl", ttl);

        assertThatThrownBy(() -> run(plan, 100, AttemptTest::removeOneKey))
                .isInstanceOf(SparkLoadException.class)
                .hasMessageContaining(
                        "partition 3, attempt 0 on host a: verification differs: checked=100, mismatched=1")
                .satisfies(failed ->
                        assertThat(((SparkLoadException) failed).partition()).hasValue(3));
    }

    @Test
    void keysThatExpireAreVerified() {
        LoadReport report = run(plan("ttl", "7d", "ttlJitter", "10%"), 1_000, event -> {});

        assertThat(report.verified()).contains(new LoadReport.Verified(1_000, 0));
    }
}
