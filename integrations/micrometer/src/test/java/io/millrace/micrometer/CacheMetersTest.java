// SPDX-License-Identifier: Apache-2.0
package io.millrace.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.cache.Cache;
import io.millrace.cache.CacheOptions;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Strings;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.Map;
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
