// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A rejected row whose message quotes its value, on a server that does not show values. */
class HiddenValuesTest {

    private static final String JOB = "--millrace.load.jobs.scores.";

    @Test
    void valuesOfRejectedRowsAreNotShown(@TempDir Path folder) throws IOException {
        Path rows = Files.writeString(folder.resolve("rows.csv"), "id,balance\n1,12 EUR\n");
        try (TestServer server = TestServer.start(
                JOB + "csv=" + rows,
                JOB + "key=scores",
                JOB + "as=zset",
                JOB + "value=id",
                JOB + "score=balance",
                JOB + "on-error=stop",
                JOB + "when=manual")) {
            Call call = server.call();
            String path = call.post("/loads", "{\"job\":\"scores\"}")
                    .header("location")
                    .orElseThrow();
            Await.until(
                    "the load has ended",
                    () -> !call.json(path).get("state").asString().equals("running"));

            String load = call.get(path).body();
            String report = call.json(path + "/report").toString();
            String rejects = call.get(path + "/rejects").body();

            JsonNode row = JsonMapper.shared().readTree(rejects);
            assertThat(row.get("reason").asString()).isEqualTo("number-invalid");
            assertThat(row.get("line").asLong()).isEqualTo(2);
            assertThat(row.get("message").isNull()).isTrue();
            assertThat(load).contains("the load stops at the first rejected row: row 1 (line 2): ***");
            assertThat(load + report + rejects).doesNotContain("EUR");
        }
    }
}
