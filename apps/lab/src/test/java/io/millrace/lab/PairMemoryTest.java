// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.embedded.ServerBinary;
import java.util.List;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** E7 as its users run it, with a few pairs. */
@KeepsJvms
class PairMemoryTest {

    private static final List<String> LAYOUTS =
            List.of("strings", "packed-128", "packed-1000", "packed-1000-limit-raised");

    @Test
    @NeedsRedisTools
    void packedPairsTakeAQuarterOfStringsUnlessTheyAreAboveTheLimit() {
        var lab = LabRun.of("run", "e7", "--size", "20000", "--rounds", "3", "--json");

        assertThat(lab.exit()).as(lab.err()).isZero();
        assertThat(lab.err()).contains("round 1 of 1").doesNotContain("MISSING");
        for (var client : List.of("millrace", "jedis")) {
            var results = lab.results(client);
            assertThat(results.stream().map(result -> result.path("variant").stringValue()))
                    .containsExactlyElementsOf(LAYOUTS);
            assertThat(results).allMatch(result -> result.path("verified").booleanValue(false));
            var bytes = results.stream().map(PairMemoryTest::bytesPerPair).toList();
            assertThat(bytes.get(0)).as("strings").isBetween(40.0, 150.0);
            assertThat(bytes.get(1)).as("within the limit").isLessThan(bytes.get(0) / 4);
            assertThat(bytes.get(2)).as("the trap").isGreaterThan(bytes.get(0) / 2);
            assertThat(bytes.get(3)).as("the limit raised").isLessThan(bytes.get(0) / 4);
        }
        assertThat(lab.results("millrace").get(2).path("remark").stringValue())
                .contains("hashtable", "hash-max-listpack-entries=512", "THE TRAP", "jemalloc");
    }

    @Test
    void aServerWithAnotherAllocatorIsNotMeasured() {
        try (var redis = EmbeddedRedis.start(EmbeddedOptions.defaults().withBinary(ServerBinary.fromJar()));
                var jedis = TestServer.connect(redis)) {
            var port = Integer.toString(redis.port());

            var lab = LabRun.of("run", "e7", "-p", port, "--size", "1000", "--json");

            assertThat(lab.err())
                    .contains("e7, millrace/packed-128: MISSING: memory is measured on a server with jemalloc");
            assertThat(lab.results()).isEmpty();
            assertThat(jedis.info("commandstats")).doesNotContain("cmdstat_set:", "cmdstat_hset:");
        }
    }

    @Test
    @NeedsRedisTools
    void theLimitOfANamedServerIsRestoredAndItsOtherKeysAreLeftAlone() {
        try (var redis = EmbeddedRedis.start();
                var jedis = TestServer.connect(redis)) {
            jedis.configSet("hash-max-listpack-entries", "300");
            jedis.set("somebody's", "value");

            var lab = LabRun.of(
                    "run",
                    "e7",
                    "-p",
                    Integer.toString(redis.port()),
                    "--beside-other-keys",
                    "--size",
                    "3000",
                    "--contenders",
                    "millrace",
                    "--json");

            assertThat(lab.exit()).as(lab.err()).isZero();
            assertThat(lab.results()).hasSize(4);
            assertThat(jedis.configGet("hash-max-listpack-entries")).containsValue("300");
            assertThat(jedis.keys("*")).containsExactly("somebody's");
        }
    }

    private static double bytesPerPair(JsonNode result) {
        return result.path("figures").path("bytes per pair").doubleValue();
    }
}
