// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;

@ExtendWith(SharedServer.class)
class CacheTest {

    private final Call call;

    CacheTest(TestServer server) {
        this.call = server.call();
    }

    @Test
    void cacheShowsItsSettingsAndCounts() {
        long before = call.json("/caches/value").get("counts").get("loads").asLong();
        call.get("/value/counted");

        JsonNode cache = call.json("/caches/value");

        assertThat(cache.get("settings").get("timeToLive").asDouble()).isEqualTo(10);
        assertThat(cache.get("counts").get("loads").asLong()).isEqualTo(before + 1);
        assertThat(call.json("/caches").get("caches").get(0).get("name").asString())
                .isEqualTo("value");
        assertThat(call.get("/caches/none").status()).isEqualTo(404);
        assertThat(call.with("Accept", "text/plain").get("/caches/value").body())
                .contains("settings.timeToLive: 10.0\n");
    }

    @Test
    void entryIsShownWithoutItsValueAndRemoved() {
        call.get("/value/entry");

        JsonNode entry = call.json("/caches/value/entries/entry");

        assertThat(entry.get("state").asString()).isEqualTo("fresh");
        assertThat(entry.get("timeLeft").asDouble()).isBetween(0.1, 10.0);
        assertThat(entry.get("age").asDouble()).isBetween(0.0, 9.9);
        assertThat(entry.get("bytes").asInt()).isGreaterThan(10);
        assertThat(entry.get("value").isNull()).isTrue();
        assertThat(call.delete("/caches/value/entries/entry").status()).isEqualTo(204);
        assertThat(call.get("/caches/value/entries/entry").status()).isEqualTo(404);
    }

    @Test
    void clearRemovesAllEntries() {
        call.get("/value/cleared");

        RawAnswer answer = call.delete("/caches/value");

        assertThat(answer.status()).isEqualTo(202);
        long giveUp = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (call.get("/caches/value/entries/cleared").status() != 404) {
            assertThat(System.nanoTime()).isLessThan(giveUp);
            LockSupport.parkNanos(1_000_000);
        }
    }
}
