// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedOptions;
import java.time.LocalDate;
import java.time.ZoneOffset;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** A server whose Redis is a cluster. */
class ServerOnClusterTest {

    private static EmbeddedCluster cluster;
    private static TestServer server;
    private static Call call;

    @BeforeAll
    static void startServer() {
        cluster = EmbeddedCluster.start(EmbeddedOptions.defaults(), 3, 0);
        server = TestServer.startOn(cluster, "--millrace.server.values.near-entries=1000");
        call = server.call();
    }

    @AfterAll
    static void closeServer() {
        server.close();
        cluster.close();
    }

    @Test
    void valuesAreKeptInTheClusterAndInTheNearCache() {
        for (int i = 0; i < 20; i++) {
            RawAnswer first = call.get("/value/tea" + i);
            RawAnswer second = call.get("/value/tea" + i);

            assertThat(first.status()).isEqualTo(200);
            assertThat(second.body()).isEqualTo(first.body());
            assertThat(second.header("cache-status").orElse("")).contains("hit");
        }
        assertThat(call.json("/caches/value").toString()).contains("near");
        assertThat(call.get("/actuator/health").status()).isEqualTo(200);
    }

    @Test
    void activitiesAreMarkedCountedAndCompared() {
        LocalDate today = LocalDate.now(ZoneOffset.UTC);
        String marks =
                "[{\"id\":1,\"time\":\"" + today + "T12:00:00Z\"},{\"id\":2,\"time\":\"" + today + "T12:00:00Z\"}]";
        String span = "?from=" + today.minusDays(3) + "&to=" + today;
        for (int i = 0; i < 10; i++) {
            String event = "/activities/site" + i + "/login";

            assertThat(call.post(event + "/marks", marks).body()).isEqualTo("{\"marks\":2,\"added\":2}");
            assertThat(call.get(event + "/counts" + span).body()).contains("\"count\":2");
            assertThat(call.get(event + "/retention" + span).status()).isEqualTo(200);
            assertThat(call.get(event + "/cohorts" + span).body()).contains("\"size\":2");
        }
    }

    @Test
    void experimentsAreCreatedCountedAndDeleted() {
        for (int i = 0; i < 5; i++) {
            String path = "/experiments/test" + i;
            RawAnswer created = call.post(
                    "/experiments/create",
                    "{\"key\":\"test" + i
                            + "\",\"populationNumber\":1000000,\"maxRandom\":10,\"lessThan\":3,\"seed\":7}");

            assertThat(created.status()).isEqualTo(201);
            assertThat(call.json(path).get("count").asLong()).isBetween(298_000L, 302_000L);
            assertThat(call.delete(path).status()).isEqualTo(204);
            assertThat(call.get(path).status()).isEqualTo(404);
        }
    }

    @Test
    void loadWritesToAllNodesAndIsVerified() {
        RawAnswer started = call.post("/loads", "{\"job\":\"customers\",\"verify\":\"full\"}");
        String path = started.header("location").orElseThrow();
        Await.until(
                "the load has ended",
                () -> !call.json(path).get("state").asString().equals("running"));

        JsonNode report = call.json(path + "/report");

        assertThat(call.json(path).get("state").asString()).isEqualTo("ok");
        assertThat(report.at("/rows/written").asLong()).isEqualTo(1_000);
        assertThat(report.at("/verified/checked").asLong()).isEqualTo(1_000);
        assertThat(report.get("nodes").size()).isEqualTo(3);
        assertThat(report.toString()).doesNotContain("127.0.0.1");
    }
}
