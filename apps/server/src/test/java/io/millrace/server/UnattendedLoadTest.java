// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Loads that no request has started. */
class UnattendedLoadTest {

    @Test
    void loadsOfTheStartAndOfATimerAreInTheLog(@TempDir Path folder) throws Exception {
        Path rows = Files.writeString(folder.resolve("rows.csv"), "id\n1\n2\n");
        String timed = "--millrace.load.jobs.timed.";

        try (TestServer server = TestServer.start(
                "--millrace.server.data=" + folder.resolve("data"),
                "--millrace.load.jobs.customers.when=before-port",
                timed + "csv=" + rows,
                timed + "key=timed:{id}",
                timed + "as=hash",
                timed + "when=manual",
                timed + "cron=* * * * * *")) {
            Await.until("the timer has started a load", () -> loads(server, "timed") > 0);

            assertThat(loads(server, "customers")).isEqualTo(1);
            JsonNode first = server.call().json("/loads/1");
            assertThat(first.get("job").asString()).isEqualTo("customers");
            assertThat(first.get("state").asString()).isEqualTo("ok");
            assertThat(server.call().json("/loads/1/report").at("/rows/written").asLong())
                    .isEqualTo(1_000);
        }

        assertThat(Files.readString(folder.resolve("data/loads.jsonl")))
                .contains("\"job\":\"customers\"", "\"job\":\"timed\"");
    }

    private static long loads(TestServer server, String job) {
        return Stream.of(server.call().json("/loads").get("loads"))
                .flatMap(loads -> loads.valueStream())
                .filter(load -> load.get("job").asString().equals(job)
                        && !load.get("state").asString().equals("running"))
                .count();
    }
}
