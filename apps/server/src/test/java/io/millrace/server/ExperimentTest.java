// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Keys;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@ExtendWith(SharedServer.class)
class ExperimentTest {

    private final TestServer server;
    private final Call call;

    ExperimentTest(TestServer server) {
        this.server = server;
        this.call = server.call();
    }

    private static String body(String key, long bits, String rest) {
        return "{\"key\":\"" + key + "\",\"populationNumber\":" + bits + ",\"maxRandom\":10,\"lessThan\":3" + rest
                + "}";
    }

    @Test
    void experimentIsCreatedCountedReplacedAndDeleted() {
        RawAnswer created = call.post("/experiments/create", body("ab test", 10_000, ",\"seed\":7"));

        assertThat(created.status()).isEqualTo(201);
        assertThat(created.body()).isEqualTo("ab test");
        assertThat(created.header("location")).contains("/experiments/ab%20test");
        String path = created.header("location").orElseThrow();
        JsonNode whole = call.json(path);
        assertThat(whole.get("bits").asLong()).isEqualTo(10_000);
        assertThat(whole.get("count").asLong()).isBetween(2_700L, 3_300L);
        assertThat(whole.get("bytes").asLong()).isGreaterThanOrEqualTo(1_250);
        assertThat(call.get(path).body()).isEqualTo(whole.get("count").asString());

        RawAnswer replaced = call.post("/experiments/create", body("ab test", 64, ",\"seed\":7"));

        assertThat(replaced.status()).isEqualTo(200);
        assertThat(call.json(path).get("bits").asLong()).isEqualTo(64);
        assertThat(call.delete(path).status()).isEqualTo(204);
        assertThat(call.delete(path).status()).isEqualTo(404);
        assertThat(call.get(path).status()).isEqualTo(404);
    }

    @Test
    void partsAndBitsAddUp() {
        call.post("/experiments/create", body("parts", 100, ",\"seed\":1"));
        long bits = 0;
        for (int i = 0; i < 100; i++) {
            bits += call.get("/experiments/parts/bits/" + i).body().equals("true") ? 1 : 0;
        }

        long whole = Long.parseLong(call.get("/experiments/parts").body());
        long first = Long.parseLong(call.get("/experiments/parts?to=33").body());
        long second = Long.parseLong(call.get("/experiments/parts?from=33").body());

        assertThat(bits).isEqualTo(whole);
        assertThat(first + second).isEqualTo(whole);
        assertThat(call.get("/experiments/parts?from=3&to=101").status()).isEqualTo(400);
        assertThat(call.get("/experiments/parts?from=9&to=3").status()).isEqualTo(400);
        assertThat(call.get("/experiments/parts/bits/100").status()).isEqualTo(400);
        assertThat(call.get("/experiments/parts/bits/-1").status()).isEqualTo(400);
        assertThat(call.get("/experiments/none/bits/1").status()).isEqualTo(404);
    }

    @Test
    void thirdCreationAtOnceIsRefused() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<RawAnswer>> creations = new ArrayList<>();
            server.redis().pause();
            try {
                for (int i = 0; i < 3; i++) {
                    String body = body("at once " + i, 64, "");
                    creations.add(threads.submit(() -> call.post("/experiments/create", body)));
                }
                Await.until(
                        "a creation is refused",
                        () -> creations.stream()
                                .anyMatch(creation -> creation.isDone()
                                        && creation.resultNow().status() == 429));
            } finally {
                server.redis().resume();
            }

            List<Integer> statuses = new ArrayList<>();
            for (Future<RawAnswer> creation : creations) {
                statuses.add(creation.get().status());
            }
            assertThat(statuses).containsOnlyOnce(429);
        }
    }

    @Test
    void secondCreationOfAKeyAtOnceIsAConflict() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<RawAnswer>> creations = new ArrayList<>();
            server.redis().pause();
            try {
                for (int i = 0; i < 2; i++) {
                    creations.add(threads.submit(() -> call.post("/experiments/create", body("twice", 64, ""))));
                }
                Await.until("a creation is refused", () -> creations.stream().anyMatch(Future::isDone));
                assertThat(call.delete("/experiments/twice").status()).isEqualTo(409);
            } finally {
                server.redis().resume();
            }

            List<Integer> statuses = new ArrayList<>();
            for (Future<RawAnswer> creation : creations) {
                statuses.add(creation.get().status());
            }
            assertThat(statuses).containsOnlyOnce(409);
        }
    }

    @Test
    void keyOfAnotherTypeIsAConflictAndStays() {
        String head = "{typed}:population";
        server.client().call(Strings.set(head, "of another program"));

        assertThat(call.get("/experiments/typed").status()).isEqualTo(409);
        assertThat(call.post("/experiments/create", body("typed", 64, "")).status())
                .isEqualTo(409);
        assertThat(server.client().call(Strings.get(head))).contains("of another program");
        server.client().call(Keys.unlink(head));
    }

    /** A server without free memory refuses to store bits, and still deletes. */
    @Test
    void replacementThatFailsSaysThatTheFormerExperimentMayBeLost() {
        call.post("/experiments/create", body("replaced", 64, ""));
        server.client().call(Server.setConfig("maxmemory", "1"));
        RawAnswer refused;
        RawAnswer firstRefused;
        try {
            refused = call.post("/experiments/create", body("replaced", 64, ""));
            firstRefused = call.post("/experiments/create", body("never stored", 64, ""));
        } finally {
            server.client().call(Server.setConfig("maxmemory", "0"));
        }

        assertThat(refused.status()).isEqualTo(503);
        assertThat(refused.body()).contains("The former experiment of this key may be deleted.");
        assertThat(firstRefused.status()).isEqualTo(503);
        assertThat(firstRefused.body()).doesNotContain("former experiment");
        assertThat(call.get("/experiments/replaced").status()).isEqualTo(404);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{",
                "null",
                "{\"key\":\"e\"}",
                "{\"key\":\"\",\"populationNumber\":1,\"maxRandom\":1,\"lessThan\":1}",
                "{\"key\":\"e\",\"populationNumber\":0,\"maxRandom\":1,\"lessThan\":1}",
                "{\"key\":\"e\",\"populationNumber\":1000000001,\"maxRandom\":1,\"lessThan\":1}",
                "{\"key\":\"e\",\"populationNumber\":1,\"maxRandom\":0,\"lessThan\":0}",
                "{\"key\":\"e\",\"populationNumber\":1,\"maxRandom\":1,\"lessThan\":2}",
                "{\"key\":\"e\",\"populationNumber\":1,\"maxRandom\":1,\"lessThan\":-1}",
                "{\"key\":\"e\",\"populationNumber\":1.5,\"maxRandom\":1,\"lessThan\":1}",
                "{\"key\":\"e\",\"populationNumber\":\"1\",\"maxRandom\":1,\"lessThan\":1}",
                "{\"key\":\"e\",\"populationNumber\":1e999,\"maxRandom\":1,\"lessThan\":1}",
                "{\"key\":\"e\",\"populationNumber\":99999999999999999999,\"maxRandom\":1,\"lessThan\":1}",
                "{\"key\":1,\"populationNumber\":1,\"maxRandom\":1,\"lessThan\":1}",
                "{\"key\":\"e\",\"populationNumber\":1,\"maxRandom\":1,\"lessThan\":1,\"more\":1}",
                "{\"key\":\"e\",\"key\":\"f\",\"populationNumber\":1,\"maxRandom\":1,\"lessThan\":1}",
                "{\"key\":\"e\",\"populationNumber\":1,\"maxRandom\":1,\"lessThan\":1} {}",
                "{\"key\":\"a:activity:b\",\"populationNumber\":1,\"maxRandom\":1,\"lessThan\":1}",
                "{\"key\":\"a/b\",\"populationNumber\":1,\"maxRandom\":1,\"lessThan\":1}",
                "{\"key\":\"a\\\\b\",\"populationNumber\":1,\"maxRandom\":1,\"lessThan\":1}",
                "{\"key\":\".\",\"populationNumber\":1,\"maxRandom\":1,\"lessThan\":1}",
                "{\"key\":\"..\",\"populationNumber\":1,\"maxRandom\":1,\"lessThan\":1}",
                "{\"key\":\"a\\u0000b\",\"populationNumber\":1,\"maxRandom\":1,\"lessThan\":1}",
                "{\"@class\":\"java.lang.Runtime\"}"
            })
    void bodyThatIsNotAnExperimentIsRefused(String body) {
        RawAnswer answer = call.post("/experiments/create", body);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.contentType()).isEqualTo("application/problem+json");
        assertThat(answer.body()).doesNotContain("io.millrace", "java.", "Exception", "Creation");
    }
}
