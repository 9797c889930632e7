// SPDX-License-Identifier: Apache-2.0
package io.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.cache.Cache;
import io.millrace.cache.LoadingCache;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Strings;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

@ExtendWith(SharedServer.class)
class CacheTest {

    private final TestServer server;
    private final Call call;

    CacheTest(TestServer server) {
        this.server = server;
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
    void unknownCacheIsNotFound() {
        assertThat(call.delete("/caches/none").status()).isEqualTo(404);
        assertThat(call.get("/caches/none/entries/k").status()).isEqualTo(404);
        assertThat(call.delete("/caches/none/entries/k").status()).isEqualTo(404);
        assertThat(call.get("/caches/none/entries?key=k").status()).isEqualTo(404);
    }

    /** The second cache would hide the first one. */
    @Test
    void secondCacheOfANameFailsTheStart() {
        Map<String, Cache<?>> caches = new HashMap<>(Map.of("value", values().cache()));

        assertThatThrownBy(() -> ServerApplication.add(caches, "value", values().cache()))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining("\"value\"");
    }

    @Test
    void clearRemovesAllEntries() {
        call.get("/value/cleared");

        RawAnswer answer = call.delete("/caches/value");

        assertThat(answer.status()).isEqualTo(202);
        Await.until(
                "the entry is removed",
                () -> call.get("/caches/value/entries/cleared").status() == 404);
    }

    /** Redis is paused, so the first clear waits. */
    @Test
    void secondClearIsRefusedUntilTheFirstHasEnded() {
        AtomicReference<RawAnswer> second = new AtomicReference<>();

        // The cache waits 500 ms for Redis. On a busy machine, the first clear may have failed before the second
        // request.
        Await.until("the second request meets the first clear", () -> {
            server.redis().pause();
            try {
                call.delete("/caches/value");
                second.set(call.delete("/caches/value"));
            } finally {
                server.redis().resume();
            }
            return second.get().status() == 409;
        });

        assertThat(second.get().body()).contains("/problems/conflict", "The cache is being cleared.");
        Await.until(
                "the first clear has ended", () -> call.delete("/caches/value").status() == 202);
        assertThat(call.get("/caches/value").status()).isEqualTo(200);
    }

    /** Another program may have keys that begin with the name of the cache. */
    @Test
    void keysOfOtherProgramsAreNeitherReadNorChanged() {
        String foreign = "value:foreign";
        server.client().call(Strings.set(foreign, "of another program"));

        assertThat(call.get("/value/foreign").body()).startsWith("foreign-value-");
        Await.until("the cache is cleared", () -> call.delete("/caches/value").status() == 202);
        Await.until(
                "the entry is removed",
                () -> call.get("/caches/value/entries/foreign").status() == 404);

        assertThat(server.client().call(Strings.get(foreign))).contains("of another program");
        server.client().call(Keys.unlink(foreign));
    }

    @ParameterizedTest
    @ValueSource(strings = {"user/1", "..", "a\\b", "a;b"})
    void keyThatAPathCannotHaveIsAParameter(String key) {
        LoadingCache<String> values = values();
        assertThat(values.get(key)).startsWith(key + "-value-");
        String path = "/caches/value/entries?key=" + URLEncoder.encode(key, StandardCharsets.UTF_8);

        Await.until("the value is written", () -> call.get(path).status() == 200);
        assertThat(call.json(path).get("key").asString()).isEqualTo(key);
        assertThat(call.delete(path).status()).isEqualTo(204);
        assertThat(call.get(path).status()).isEqualTo(404);
        assertThat(call.get("/caches/value/entries").status()).isEqualTo(400);
        assertThat(call.get("/caches/value/entries?key=").status()).isEqualTo(400);
    }

    @SuppressWarnings("unchecked")
    private LoadingCache<String> values() {
        return server.bean("valuesByKey", LoadingCache.class);
    }
}
