// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.source.Rejection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Expiries that differ from row to row. */
class RowExpiryTest {

    private static final HashTarget HASH = HashTarget.of("c:{id}");

    @Test
    void columnHasTheExpiryOfItsRow() {
        RowMapping mapping = StringTarget.of("{id}", "id").withTtlField("ttl").bind(Rows.columns("id", "ttl"));
        RowMapping common = StringTarget.of("{id}", "id")
                .withTtlField("ttl")
                .withTtl(Duration.ofSeconds(9))
                .bind(Rows.columns("id", "ttl"));

        assertThat(MappedArguments.of(mapping, Rows.row(1, 30))).endsWith("PX", "30000");
        assertThat(MappedArguments.of(mapping, Rows.row(1, "500ms"))).endsWith("PX", "500");
        assertThat(MappedArguments.of(mapping, Rows.row(1, "15m"))).endsWith("PX", "900000");
        assertThat(MappedArguments.of(mapping, Rows.row(1, "36500d"))).endsWith("PX", "3153600000000");
        assertThat(MappedArguments.of(common, Rows.row(1, "2h"))).endsWith("PX", "7200000");
        assertThat(MappedArguments.of(common, Rows.row(1, Rows.NULL))).endsWith("PX", "9000");
        assertThat(MappedArguments.of(common, Rows.row(1, ""))).endsWith("PX", "9000");
        for (Object ttl : List.of("", Rows.NULL, "0", "-5", "5 s", "1w", "36501d", "9".repeat(30), "9999999999999d")) {
            assertThat(mapping.prepare(Rows.row(1, ttl)).orElseThrow().reason())
                    .as("%s", ttl)
                    .isEqualTo(Rejection.Reason.EXPIRY_INVALID);
        }
    }

    @Test
    void jitterShortensTheExpiryOfAKeyAlwaysByTheSamePart() {
        RowMapping mapping =
                HASH.withTtl(Duration.ofSeconds(100)).withTtlJitter(0.1).bind(Rows.columns("id"));

        List<Long> expiries = new ArrayList<>();
        for (int id = 0; id < 1_000; id++) {
            expiries.add(Long.parseLong(
                    MappedArguments.repeated(mapping, Rows.row(id)).get(4)));
        }

        assertThat(expiries).allMatch(millis -> millis > 90_000 && millis <= 100_000);
        assertThat(expiries.stream().mapToLong(millis -> millis).average().orElseThrow())
                .isBetween(94_000.0, 96_000.0);
        assertThat(MappedArguments.repeated(mapping, Rows.row(5)).get(4))
                .isEqualTo(expiries.get(5).toString());
    }
}
