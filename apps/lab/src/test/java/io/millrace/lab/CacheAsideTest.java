// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** E5 as its users run it, small, on a server of their own. What others do is tried in one process: in {@code TextCacheTest}, {@code HerdTest} and {@code
 * WithoutServerTest}. */
@KeepsJvms
class CacheAsideTest {

    @Test
    void everyWorkloadIsRunVerifiedAndLeavesNothing() {
        try (var redis = EmbeddedRedis.start();
                var jedis = TestServer.connect(redis)) {
            jedis.set("somebody's", "value");

            var lab = LabRun.of(
                    "run",
                    "e5",
                    "-p",
                    Integer.toString(redis.port()),
                    "--beside-other-keys",
                    "--size",
                    "500",
                    "--rounds",
                    "1",
                    "--contenders",
                    "millrace",
                    "--json");

            assertThat(lab.exit()).as(lab.err()).isZero();
            assertThat(lab.results()).allMatch(result -> result.path("verified").booleanValue(false));
            assertThat(variants(lab.results("millrace")))
                    .containsExactly(
                            "calls-first-cache",
                            "calls-second-cache",
                            "hits-1-bare",
                            "hits-1-near-cache",
                            "hits-1-cache",
                            "hits-64-bare",
                            "hits-64-near-cache",
                            "hits-64-cache",
                            "multiget-at-once",
                            "stampede-1-cache",
                            "stampede-1-cache-lease",
                            "stampede-2-cache",
                            "stampede-2-cache-lease",
                            "warmup-bare",
                            "warmup-cache",
                            "lost-gone-cache",
                            "lost-silent-cache");
            assertThat(computations(lab, "millrace", "stampede-1-cache")).isEqualTo(1);
            assertThat(computations(lab, "millrace", "stampede-2-cache")).isBetween(1.0, 2.0);
            assertThat(computations(lab, "millrace", "stampede-2-cache-lease")).isEqualTo(1);
            assertThat(figure(named(lab, "millrace", "lost-silent-cache"), "texts"))
                    .isEqualTo(64);
            assertThat(jedis.keys("*")).containsExactly("somebody's");
        }
    }

    private static List<String> variants(List<JsonNode> results) {
        return results.stream()
                .map(result -> result.path("variant").stringValue())
                .toList();
    }

    private static JsonNode named(LabRun lab, String contender, String variant) {
        return lab.results(contender).stream()
                .filter(result -> result.path("variant").stringValue().equals(variant))
                .findFirst()
                .orElseThrow();
    }

    private static double computations(LabRun lab, String contender, String variant) {
        return figure(named(lab, contender, variant), "computations");
    }

    private static double figure(JsonNode result, String name) {
        return result.path("figures").path(name).doubleValue();
    }
}
