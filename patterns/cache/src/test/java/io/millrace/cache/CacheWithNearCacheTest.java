// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.ClientOptions;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Command;
import io.millrace.client.command.Keys;
import io.millrace.client.exception.ConnectException;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.RefusalMode;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A cache with a near cache, and a second cache without one. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CacheWithNearCacheTest {

    /**
     * A ping interval that is longer than the reply time of a busy machine. Without a PING reply, entries are served
     * for at most twice this time.
     */
    private static final Duration QUIET = Duration.ofSeconds(10);

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static Cache<String> near(RedisClient client) {
        return near(client, RedisExtension.longTimeouts(), QUIET);
    }

    private static Cache<String> near(RedisClient client, CacheOptions.Builder options, Duration quiet) {
        return REDIS.closeAfterTest(Cache.builder(client, "texts", Codec.text())
                .options(options.build())
                .near(NearCacheOptions.entries(1_000).withPingInterval(quiet))
                .build());
    }

    private static String loaded(String key) {
        return "loaded " + key;
    }

    /** Reads the key until the near cache answers. */
    private static void ask(Cache<String> cache, String key) {
        long before = cache.stats().nearHits();
        Eventually.holds(
                "the entry is kept in this process",
                () -> {
                    cache.get(key, CacheWithNearCacheTest::loaded);
                    return cache.stats();
                },
                now -> now.nearHits() > before);
    }

    /**
     * Waits until the invalidations of all earlier writes have arrived. The method writes another key last, and waits
     * for the invalidation of that key.
     */
    private static void awaitWhatWasWritten(Cache<String> cache) {
        Cache<String> writer = REDIS.cache(RedisExtension.longTimeouts());
        writer.put("sentinel", "before");
        ask(cache, "sentinel");
        writer.put("sentinel", "after");
        Eventually.is(
                "the sentinel is invalidated", "after", () -> cache.get("sentinel", CacheWithNearCacheTest::loaded));
    }

    @Test
    void hitInTheNearCacheSendsNoCommand() {
        RedisClient client = REDIS.client();
        Cache<String> cache = near(client);
        cache.get("1", CacheWithNearCacheTest::loaded);
        Eventually.is("the entry is written", 1L, () -> client.call(Keys.exist("texts:1")));
        awaitWhatWasWritten(cache);
        ask(cache, "1");
        int getsBefore = RedisExtension.calls(client, "get");

        for (int i = 0; i < 100; i++) {
            assertThat(cache.get("1", CacheWithNearCacheTest::loaded)).isEqualTo("loaded 1");
        }
        Map<String, String> all = cache.getAll(List.of("1"), CacheWithNearCacheTest::loaded);

        assertThat(all).containsExactly(Map.entry("1", "loaded 1"));
        assertThat(RedisExtension.calls(client, "get")).isEqualTo(getsBefore);
        assertThat(RedisExtension.calls(client, "mget")).isZero();
        assertThat(cache.stats().loads()).isEqualTo(1);
    }

    @Test
    void nearCacheEntryIsReplacedAfterAnotherClientChangesTheKey() {
        Cache<String> cache = near(REDIS.client());
        RedisClient other = REDIS.client();
        Cache<String> writer = REDIS.closeAfterTest(Cache.of(
                other, "texts", Codec.text(), RedisExtension.longTimeouts().build()));

        ask(cache, "1");
        writer.put("1", "other");
        Eventually.is("the new value is seen", "other", () -> cache.get("1", CacheWithNearCacheTest::loaded));
        ask(cache, "1");
        writer.remove("1");
        Eventually.is("the removal is seen", "loaded 1", () -> cache.get("1", CacheWithNearCacheTest::loaded));
        ask(cache, "1");
        other.call(Command.of("FLUSHALL"));
        long loads = cache.stats().loads();
        Eventually.holds(
                "the value is loaded again",
                () -> {
                    cache.get("1", CacheWithNearCacheTest::loaded);
                    return cache.stats();
                },
                now -> now.loads() > loads);
    }

    @Test
    void valueWrittenByThisProcessIsReturnedByTheNextRead() {
        Cache<String> cache = near(REDIS.client());
        for (int i = 0; i < 200; i++) {
            cache.get("1", CacheWithNearCacheTest::loaded);
            cache.put("1", "version " + i);

            assertThat(cache.get("1", CacheWithNearCacheTest::loaded)).isEqualTo("version " + i);
            assertThat(cache.get("1", CacheWithNearCacheTest::loaded)).isEqualTo("version " + i);
        }
        cache.remove("1");
        assertThat(cache.get("1", CacheWithNearCacheTest::loaded)).isEqualTo("loaded 1");
    }

    @Test
    void nearCacheKeepsTheEntryOfAKeyWithManyConcurrentReaders() throws Exception {
        Cache<String> cache = near(REDIS.client());
        cache.put("hot", "value");

        ConcurrentCallers.callAll(64, () -> {
            for (int i = 0; i < 500; i++) {
                assertThat(cache.get("hot", CacheWithNearCacheTest::loaded)).isEqualTo("value");
            }
            return true;
        });

        CacheStats counts = cache.stats();
        assertThat(counts.lookups()).isEqualTo(64 * 500);
        assertThat(counts.nearHits()).isGreaterThan(64 * 500 / 2);
    }

    @Test
    void cacheWorksWithoutTheTrackingConnection() {
        FaultProxy proxy = REDIS.proxy();
        RedisClient client = REDIS.client(proxy.port());
        RedisClient other = REDIS.client();
        Cache<String> cache = near(client, CacheOptions.builder(), Duration.ofMillis(200));
        Cache<String> writer = REDIS.closeAfterTest(Cache.of(
                other, "texts", Codec.text(), RedisExtension.longTimeouts().build()));
        ask(cache, "1");

        // The invalidations stop, and Redis does not answer, so the cache calls the loader.
        proxy.disconnectAll(ConnectionEnd.SILENCE);
        writer.put("1", "other");
        long before = System.nanoTime();
        Eventually.holds(
                "near entries are no longer served",
                () -> cache.get("1", key -> "loaded later"),
                value -> !value.equals("loaded 1"));
        Duration stale = Duration.ofNanos(System.nanoTime() - before);
        proxy.refuseConnections(RefusalMode.RESET);
        proxy.disconnectAll(ConnectionEnd.RESET);
        long missedBefore = cache.stats().nearMissedWhileDown();
        Eventually.holds(
                "the connection loss is detected",
                () -> {
                    assertThat(cache.get("2", CacheWithNearCacheTest::loaded)).isEqualTo("loaded 2");
                    return cache.stats().nearMissedWhileDown();
                },
                missed -> missed > missedBefore);
        long missed = cache.stats().nearMissedWhileDown();
        cache.getAll(List.of("3", "4"), CacheWithNearCacheTest::loaded);
        long missedMore = cache.stats().nearMissedWhileDown();
        proxy.acceptConnections();

        assertThat(stale).isLessThan(Duration.ofSeconds(10));
        assertThat(missedMore).isEqualTo(missed + 2);
        ask(cache, "2");
    }

    @Test
    void builderRejectsAServerThatDoesNotSupportTracking() {
        RedisClient admin = REDIS.client();
        admin.call(Command.of("ACL SETUSER", "blind", "on", ">secret", "allkeys", "+@all", "-client|tracking"));
        RedisUri uri = RedisUri.of(REDIS.server().host(), REDIS.server().port()).withLogin("blind", "secret");
        RedisClient client = REDIS.closeAfterTest(RedisClient.connect(ClientOptions.builder(uri)
                .connectTimeout(Duration.ofSeconds(60))
                .build()));

        assertThatThrownBy(() -> near(client))
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("CLIENT TRACKING is refused: NOPERM");
    }

    @Test
    void exceptionSaysThatCaffeineIsNotOnTheClassPath() throws Exception {
        List<URL> classPath = new ArrayList<>();
        for (String element : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (!element.isEmpty() && !element.contains("caffeine")) {
                classPath.add(new File(element).toURI().toURL());
            }
        }
        URL[] urls = classPath.toArray(URL[]::new);
        try (URLClassLoader withoutCaffeine = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
            Class<?> options = withoutCaffeine.loadClass(NearCacheOptions.class.getName());
            Class<?> clockAndRandom = withoutCaffeine.loadClass(ClockAndRandom.class.getName());
            Class<?> client = withoutCaffeine.loadClass(RedisClient.class.getName());
            Method open = withoutCaffeine
                    .loadClass(TrackedNearCache.class.getName())
                    .getDeclaredMethod("open", client, String.class, options, clockAndRandom, Duration.class);
            open.setAccessible(true);
            Object entries = options.getMethod("entries", long.class).invoke(null, 10L);
            Object none = options.getField("NONE").get(null);

            assertThat(open.invoke(null, null, "texts:", none, null, Duration.ZERO))
                    .isNotNull();
            assertThatThrownBy(() -> open.invoke(null, null, "texts:", entries, null, Duration.ZERO))
                    .isInstanceOf(InvocationTargetException.class)
                    .cause()
                    .hasMessage("a near cache cannot be opened: Caffeine is not on the class path."
                            + " Add com.github.ben-manes.caffeine:caffeine.");
        }
    }
}
