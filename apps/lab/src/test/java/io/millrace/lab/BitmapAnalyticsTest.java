// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** E6 as its users run it, with few bits. */
@KeepsJvms
class BitmapAnalyticsTest {

    @Test
    void everyBitAndEveryAnswerIsRightAndTheFormsTakeWhatTheyShould() {
        try (var redis = EmbeddedRedis.start();
                var jedis = TestServer.connect(redis)) {
            jedis.set("somebody's", "value");

            var lab = LabRun.of(
                    "run",
                    "e6",
                    "-p",
                    Integer.toString(redis.port()),
                    "--beside-other-keys",
                    "--size",
                    "205000",
                    "--rounds",
                    "1",
                    "--json");

            assertThat(lab.exit()).as(lab.err()).isZero();
            assertThat(lab.results()).allMatch(result -> result.path("verified").booleanValue(false));
            assertThat(variants(lab.results("millrace")))
                    .containsExactly(
                            "population-setbit",
                            "population-packed",
                            "month-load",
                            "month-counts",
                            "month-union",
                            "month-every-week",
                            "month-retention",
                            "month-cohorts",
                            "sparse-spread-bitmap",
                            "sparse-spread-chunked",
                            "sparse-spread-compressed",
                            "sparse-clustered-chunked",
                            "sparse-clustered-compressed");
            assertThat(variants(lab.results("jedis")))
                    .containsExactly(
                            "population-setbit", "month-counts", "month-union", "month-every-week", "month-retention");
            assertThat(variants(lab.results("lettuce"))).containsExactly("population-setbit");
            assertThat(operations(lab, "population-setbit")).isEqualTo(20_500);
            assertThat(operations(lab, "population-packed")).isEqualTo(205_000);
            assertThat(bytes(lab, "month-load")).isBetween(30 * 205_000L / 8, 2 * 30 * 205_000L / 8);
            assertThat(bytes(lab, "sparse-spread-compressed")).isLessThan(bytes(lab, "sparse-spread-bitmap") / 4);
            assertThat(bytes(lab, "sparse-clustered-chunked")).isLessThan(bytes(lab, "sparse-spread-chunked") / 2);
            assertThat(jedis.keys("*")).containsExactly("somebody's");
        }
    }

    private static List<String> variants(List<JsonNode> results) {
        return results.stream()
                .map(result -> result.path("variant").stringValue())
                .toList();
    }

    private static JsonNode result(LabRun lab, String variant) {
        return lab.results("millrace").stream()
                .filter(result -> result.path("variant").stringValue().equals(variant))
                .findFirst()
                .orElseThrow();
    }

    private static long operations(LabRun lab, String variant) {
        return result(lab, variant).path("operations").longValue();
    }

    private static long bytes(LabRun lab, String variant) {
        return Math.round(result(lab, variant).path("figures").path("bytes").doubleValue());
    }
}
