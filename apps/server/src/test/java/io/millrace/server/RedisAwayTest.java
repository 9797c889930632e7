// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RedisAwayTest {

    @Test
    void requestsThatNeedRedisAreRefusedAndValuesAreComputed() {
        try (TestServer server = TestServer.start()) {
            server.redis().kill();

            RawAnswer entry = server.call().get("/caches/value/entries/k");
            RawAnswer experiment = server.call().get("/experiments/e");
            RawAnswer value = server.call().get("/value/k");

            assertThat(entry.status()).isIn(503, 504);
            assertThat(experiment.status()).isIn(503, 504);
            assertThat(experiment.body()).doesNotContain("127.0.0.1", "Exception");
            assertThat(value.status()).isEqualTo(200);
            assertThat(server.call().get("/actuator/health").status()).isEqualTo(503);
            assertThat(server.call().get("/actuator/health/liveness").status()).isEqualTo(200);
            assertThat(server.call().get("/loads").status()).isEqualTo(200);
        }
    }
}
