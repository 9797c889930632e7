// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.RefusalMode;
import org.junit.jupiter.api.Test;

class RedisAwayTest {

    @Test
    void requestsThatNeedRedisAreRefusedUntilRedisIsBack() {
        try (EmbeddedRedis next = EmbeddedRedis.start();
                FaultProxy proxy = FaultProxy.inFrontOf(next.host(), next.port());
                TestServer server = TestServer.startBehind(proxy, "--millrace.redis.command-timeout=1s")) {
            TestBeans.GATED.reset();
            String load = server.call()
                    .post("/loads", "{\"job\":\"gated\"}")
                    .header("location")
                    .orElseThrow();
            TestBeans.GATED.awaitReader();
            proxy.refuseConnections(RefusalMode.RESET);
            server.redis().kill();
            proxy.disconnectAll(ConnectionEnd.RESET);

            checkWithoutRedis(server.call());
            TestBeans.GATED.letPass();
            assertThat(server.call().json(load).get("state").asString()).isEqualTo("running");

            proxy.forwardTo(next.host(), next.port());
            proxy.acceptConnections();
            Await.until(
                    "the server reaches Redis again",
                    () -> server.call().get("/experiments/e").status() == 404);
            Await.until(
                    "the load has ended",
                    () -> !server.call().json(load).get("state").asString().equals("running"));
            // The last row of this source is rejected.
            assertThat(server.call().json(load).get("state").asString()).isEqualTo("rejected");
            assertThat(server.call().json(load + "/report").at("/rows/written").asLong())
                    .isEqualTo(2);
            assertThat(server.call()
                            .post(
                                    "/experiments/create",
                                    "{\"key\":\"e\",\"populationNumber\":8,\"maxRandom\":1,\"lessThan\":1}")
                            .status())
                    .isEqualTo(201);
            Await.until(
                    "the server is ready",
                    () -> server.call().get("/actuator/health").status() == 200);
        }
    }

    private static void checkWithoutRedis(Call call) {
        RawAnswer experiment = call.get("/experiments/e");

        assertThat(experiment.status()).isEqualTo(503);
        assertThat(experiment.header("retry-after")).contains("2");
        assertThat(experiment.body()).contains("/problems/redis-away").doesNotContain("127.0.0.1", "Exception");
        assertThat(call.get("/caches/value/entries/k").status()).isEqualTo(503);
        assertThat(call.get("/value/k").status()).isEqualTo(200);
        assertThat(call.get("/actuator/health").status()).isEqualTo(503);
        assertThat(call.get("/actuator/health/liveness").status()).isEqualTo(200);
        assertThat(call.get("/loads").status()).isEqualTo(200);
    }
}
