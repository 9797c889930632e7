// SPDX-License-Identifier: Apache-2.0
package io.millrace.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.Cache;
import io.millrace.cache.CacheOptions;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Strings;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The meters of a cache, read from the text of Prometheus. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CacheMetersTest {

    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private final Scrape scrape = new Scrape();

    private Cache<String> cache(String name) {
        CacheOptions options = CacheOptions.builder()
                .redisTimeout(Duration.ofSeconds(30))
                .deadline(Duration.ofSeconds(60))
                .build();
        return SERVER.closeAfterTest(Cache.of(SERVER.client(client -> client), name, Codec.text(), options));
    }

    private double value(String meter, String cache) {
        return scrape.value(meter + "_total{cache=\"" + cache + "\"");
    }

    @Test
    void metersHaveTheNumbersOfTheCache() {
        Cache<String> pages = cache("pages");
        CacheMeters meters = new CacheMeters(pages);
        meters.bindTo(scrape.meters);
        RedisClient client = SERVER.client(options -> options);
        client.call(Strings.set("pages:broken", "not an entry"));

        pages.putAll(Map.of("one", "1", "two", "2"));
        assertThat(pages.getOnCallerThread("one", key -> "loaded")).isEqualTo("1");
        assertThat(pages.getOnCallerThread("three", key -> "loaded")).isEqualTo("loaded");
        assertThat(pages.getOnCallerThread("broken", key -> "loaded")).isEqualTo("loaded");

        assertThat(scrape.value("cache_gets_total{cache=\"pages\",result=\"hit\"}"))
                .isEqualTo(1);
        assertThat(scrape.value("cache_gets_total{cache=\"pages\",result=\"miss\"}"))
                .isEqualTo(2);
        assertThat(value("cache_puts", "pages")).isEqualTo(4);
        assertThat(value("millrace_cache_loads", "pages")).isEqualTo(2);
        assertThat(value("millrace_cache_waits", "pages")).isZero();
        assertThat(value("millrace_cache_stale", "pages")).isZero();
        assertThat(value("millrace_cache_errors", "pages")).isZero();
        assertThat(value("millrace_cache_undecodable", "pages")).isEqualTo(1);
        assertThat(scrape.text()).doesNotContain("three").doesNotContain("loaded\"");

        meters.close();
        assertThat(scrape.lines("cache_")).isEmpty();
        assertThat(scrape.lines("millrace_")).isEmpty();
    }

    /** The three numbers differ, so no meter can have the number of another. */
    @Test
    void waitsStaleValuesAndErrorsHaveTheirOwnMeters() throws Exception {
        Cache<String> pages = SERVER.closeAfterTest(Cache.of(
                SERVER.client(client -> client),
                "pages",
                Codec.text(),
                CacheOptions.builder()
                        .timeToLive(Duration.ofMillis(1))
                        .staleFor(Duration.ofHours(1))
                        .redisTimeout(Duration.ofSeconds(30))
                        .deadline(Duration.ofSeconds(60))
                        .build()));
        new CacheMeters(pages).bindTo(scrape.meters);

        pages.put("old", "value");
        Eventually.is("three lookups have found a stale value", 3L, () -> {
            assertThat(pages.getIfPresent("old")).contains("value");
            return pages.stats().staleServes();
        });
        SERVER.client(client -> client).call(Lists.pushLeft("pages:list", "not a string"));
        assertThat(pages.getIfPresent("list")).isEmpty();
        assertThat(pages.getIfPresent("list")).isEmpty();
        loadOnceForTwoCallers(pages);

        assertThat(value("millrace_cache_waits", "pages")).isEqualTo(1);
        assertThat(value("millrace_cache_errors", "pages")).isEqualTo(2);
        assertThat(value("millrace_cache_stale", "pages")).isEqualTo(3);
        assertThat(value("millrace_cache_undecodable", "pages")).isZero();
    }

    private static void loadOnceForTwoCallers(Cache<String> pages) throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<String> first = threads.submit(() -> pages.getOnCallerThread("slow", key -> {
                begun.countDown();
                mayEnd.await();
                return "loaded";
            }));
            begun.await();
            Future<String> second = threads.submit(() -> pages.getOnCallerThread("slow", key -> "not called"));
            Eventually.is("a caller waits", 1L, () -> pages.stats().waits());
            mayEnd.countDown();

            assertThat(first.get()).isEqualTo("loaded");
            assertThat(second.get()).isEqualTo("loaded");
        }
    }

    @Test
    void cacheThatIsMadeLaterHasItsOwnMeters() {
        new CacheMeters(cache("pages")).bindTo(scrape.meters);
        assertThat(scrape.lines("cache_puts_total")).hasSize(1);

        Cache<String> users = cache("users");
        new CacheMeters(users).bindTo(scrape.meters);
        users.put("key", "value");

        assertThat(value("cache_puts", "users")).isEqualTo(1);
        assertThat(value("cache_puts", "pages")).isZero();
    }
}
