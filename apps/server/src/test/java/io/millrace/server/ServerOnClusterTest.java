// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedOptions;
import java.time.LocalDate;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** A server whose Redis is a cluster. */
class ServerOnClusterTest {

    @Test
    void valuesAndActivitiesAreKeptInTheCluster() {
        LocalDate today = LocalDate.now(ZoneOffset.UTC);
        try (EmbeddedCluster cluster = EmbeddedCluster.start(EmbeddedOptions.defaults(), 3, 0);
                TestServer server = TestServer.startOn(cluster)) {
            Call call = server.call();

            for (int i = 0; i < 20; i++) {
                RawAnswer first = call.get("/value/tea" + i);
                RawAnswer second = call.get("/value/tea" + i);
                RawAnswer marks = call.post(
                        "/activities/site" + i + "/login/marks",
                        "[{\"id\":1,\"time\":\"" + today + "T12:00:00Z\"},{\"id\":2,\"time\":\"" + today
                                + "T12:00:00Z\"}]");

                assertThat(first.status()).isEqualTo(200);
                assertThat(second.body()).isEqualTo(first.body());
                assertThat(second.header("cache-status").orElse("")).contains("hit");
                assertThat(marks.body()).isEqualTo("{\"marks\":2,\"added\":2}");
                assertThat(call.get("/activities/site" + i + "/login/counts?from=" + today + "&to=" + today)
                                .body())
                        .contains("\"count\":2");
            }
            assertThat(call.get("/actuator/health").status()).isEqualTo(200);
        }
    }
}
