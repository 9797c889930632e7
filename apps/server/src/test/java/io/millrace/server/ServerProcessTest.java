// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

class ServerProcessTest {

    private static final String CONFIG = """
            millrace:
              load:
                jobs:
                  prices:
                    csv: prices.csv
                    key: price:{id}
                    as: hash
                    when: manual
                    rate: 20
            logging.level.root: warn
            """;

    private static final String TOKEN = "correct-horse-battery";

    @TempDir
    private Path folder;

    private EmbeddedRedis redis;

    @BeforeEach
    void startRedis() throws Exception {
        redis = EmbeddedRedis.start();
        StringBuilder rows = new StringBuilder("id,cents\n");
        for (int id = 0; id < 1_000; id++) {
            rows.append(id).append(",1\n");
        }
        Files.writeString(folder.resolve("prices.csv"), rows);
        Files.writeString(folder.resolve("config.yaml"), CONFIG);
        // The working folder may belong to another application. The server must not read the settings of this
        // application.
        Files.writeString(folder.resolve("application.properties"), "millrace.unknown=1\n");
    }

    @AfterEach
    void stopRedis() {
        redis.close();
    }

    private ServerProcess serve() throws Exception {
        return ServerProcess.start(
                folder,
                Map.of("MILLRACE_SERVER_TOKEN", TOKEN),
                "-u",
                redis.uri(),
                "--port",
                "0",
                "--config",
                "config.yaml",
                "--data",
                "data");
    }

    /** Calls with the token. The server refuses other calls. */
    private static Call authorized(ServerProcess server) throws Exception {
        Call call = new Call(server.awaitPort());
        assertThat(call.get("/caches").status()).isEqualTo(401);
        return call.with("Authorization", "Bearer " + TOKEN);
    }

    @Test
    void loadThatAKillHasCutIsToldAsCut() throws Exception {
        for (int round = 0; round < Integer.getInteger("millrace.cutLoads", 1); round++) {
            cutALoad(1 + 2 * round);
        }

        assertThat(Files.readString(folder.resolve("data/loads.jsonl"))).contains("\"outcome\":\"cut\"");
    }

    /** Kills a server while the load {@code id} runs, and starts the next server and the next load. */
    private void cutALoad(int id) throws Exception {
        String path = "/loads/" + id;
        try (ServerProcess killed = serve()) {
            Call call = authorized(killed);
            RawAnswer started = call.post("/loads", "{\"job\":\"prices\"}");
            assertThat(started.status()).as(started.body()).isEqualTo(202);
            while (call.json(path).at("/progress/rows/written").asLong() == 0) {
                LockSupport.parkNanos(5_000_000);
            }
            killed.kill();
        }

        try (ServerProcess next = serve()) {
            Call call = authorized(next);
            JsonNode cut = call.json(path);

            assertThat(cut.get("state").asString()).isEqualTo("cut");
            assertThat(cut.get("problem").asString()).contains("Rows may have been written");
            assertThat(call.get(path + "/report").status()).isEqualTo(404);
            RawAnswer again = call.post("/loads", "{\"job\":\"prices\",\"limit\":3}");
            assertThat(again.header("location")).contains("/loads/" + (id + 1));
            assertThat(next.stop()).isEqualTo(143);
        }
    }

    @Test
    void wrongArgumentsAndUsageNeedNoServer() throws Exception {
        try (ServerProcess wrong = ServerProcess.start(folder, "--tokn")) {
            assertThat(wrong.awaitExit()).isEqualTo(2);
            assertThat(wrong.output()).contains("millrace serve: unknown argument: --tokn");
        }
        try (ServerProcess refused =
                ServerProcess.start(folder, "-u", redis.uri(), "--host", "0.0.0.0", "--port", "0")) {
            assertThat(refused.awaitExit()).isEqualTo(1);
            assertThat(refused.output()).contains("without a token", "--token-file");
        }
    }
}
