// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Command;
import io.millrace.client.ConnectException;
import io.millrace.client.Keys;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.testkit.Ending;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import io.millrace.testkit.Refusal;
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

/** A cache that keeps entries in this process too, beside one that does not. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class NearCacheTest {

    /** Longer than a busy machine takes to answer: an entry is trusted for twice that without a sign of life. */
    private static final Duration QUIET = Duration.ofSeconds(10);

    @RegisterExtension
    static final Redis REDIS = new Redis();

    private static Cache<String> near(RedisClient client) {
        return near(client, Redis.patient(), QUIET);
    }

    private static Cache<String> near(RedisClient client, CacheOptions.Builder options, Duration quiet) {
        return REDIS.closing(Cache.builder(client, "texts", Codec.text())
                .options(options.build())
                .near(NearOptions.entries(1_000).withQuiet(quiet))
                .build());
    }

    private static String loaded(String key) {
        return "loaded " + key;
    }

    /** Asks until the answer comes from this process. */
    private static void ask(Cache<String> cache, String key) {
        long before = cache.counts().nearHits();
        Eventually.holds(
                "the entry is kept in this process",
                () -> {
                    cache.get(key, NearCacheTest::loaded);
                    return cache.counts();
                },
                now -> now.nearHits() > before);
    }

    /** Returns when all that was written before has been told: a change of another key, which is made now, has. */
    private static void awaitWhatWasWritten(Cache<String> cache) {
        Cache<String> writer = REDIS.cache(Redis.patient());
        writer.put("sentinel", "before");
        ask(cache, "sentinel");
        writer.put("sentinel", "after");
        Eventually.is("the sentinel is told", "after", () -> cache.get("sentinel", NearCacheTest::loaded));
    }

    @Test
    void aHitInThisProcessDoesNotAskRedis() {
        RedisClient client = REDIS.client();
        Cache<String> cache = near(client);
        cache.get("1", NearCacheTest::loaded);
        Eventually.is("it is written", 1L, () -> client.call(Keys.exist("texts:1")));
        awaitWhatWasWritten(cache);
        ask(cache, "1");
        int asked = Redis.calls(client, "get");

        for (int i = 0; i < 100; i++) {
            assertThat(cache.get("1", NearCacheTest::loaded)).isEqualTo("loaded 1");
        }
        Map<String, String> all = cache.getAll(List.of("1"), NearCacheTest::loaded);

        assertThat(all).containsExactly(Map.entry("1", "loaded 1"));
        assertThat(Redis.calls(client, "get")).isEqualTo(asked);
        assertThat(Redis.calls(client, "mget")).isZero();
        assertThat(cache.counts().loads()).isEqualTo(1);
    }

    @Test
    void whatAnotherProcessWritesRemovesOrFlushesIsSeen() {
        Cache<String> cache = near(REDIS.client());
        RedisClient other = REDIS.client();
        Cache<String> writer = REDIS.closing(
                Cache.of(other, "texts", Codec.text(), Redis.patient().build()));

        ask(cache, "1");
        writer.put("1", "another's");
        Eventually.is("another's value is seen", "another's", () -> cache.get("1", NearCacheTest::loaded));
        ask(cache, "1");
        writer.remove("1");
        Eventually.is("the removal is seen", "loaded 1", () -> cache.get("1", NearCacheTest::loaded));
        ask(cache, "1");
        other.call(Command.of("FLUSHALL"));
        long loads = cache.counts().loads();
        Eventually.holds(
                "it is loaded again",
                () -> {
                    cache.get("1", NearCacheTest::loaded);
                    return cache.counts();
                },
                now -> now.loads() > loads);
    }

    @Test
    void whatThisProcessWritesIsSeenAtOnce() {
        Cache<String> cache = near(REDIS.client());
        for (int i = 0; i < 200; i++) {
            cache.get("1", NearCacheTest::loaded);
            cache.put("1", "version " + i);

            assertThat(cache.get("1", NearCacheTest::loaded)).isEqualTo("version " + i);
            assertThat(cache.get("1", NearCacheTest::loaded)).isEqualTo("version " + i);
        }
        cache.remove("1");
        assertThat(cache.get("1", NearCacheTest::loaded)).isEqualTo("loaded 1");
    }

    @Test
    void aKeyThatManyAskForIsKept() throws Exception {
        Cache<String> cache = near(REDIS.client());
        cache.put("hot", "value");

        Crowd.ask(64, () -> {
            for (int i = 0; i < 500; i++) {
                assertThat(cache.get("hot", NearCacheTest::loaded)).isEqualTo("value");
            }
            return true;
        });

        CacheCounts counts = cache.counts();
        assertThat(counts.lookups()).isEqualTo(64 * 500);
        assertThat(counts.nearHits()).isGreaterThan(64 * 500 / 2);
    }

    @Test
    void withoutItsConnectionItIsACacheAsAnyOther() {
        FaultProxy proxy = REDIS.proxy();
        RedisClient client = REDIS.client(proxy.port());
        RedisClient other = REDIS.client();
        Cache<String> cache = near(client, CacheOptions.builder(), Duration.ofMillis(200));
        Cache<String> writer = REDIS.closing(
                Cache.of(other, "texts", Codec.text(), Redis.patient().build()));
        ask(cache, "1");

        // Nothing is told any more, and Redis does not answer either, so the loader is asked.
        proxy.disconnectAll(Ending.SILENCE);
        writer.put("1", "another's");
        long before = System.nanoTime();
        Eventually.holds(
                "what is kept here is not trusted any more",
                () -> cache.get("1", key -> "loaded later"),
                value -> !value.equals("loaded 1"));
        Duration stale = Duration.ofNanos(System.nanoTime() - before);
        proxy.refuseConnections(Refusal.RESET);
        proxy.disconnectAll(Ending.RESET);
        long missedBefore = cache.counts().nearMissedWhileDown();
        Eventually.holds(
                "it is known to be down",
                () -> {
                    assertThat(cache.get("2", NearCacheTest::loaded)).isEqualTo("loaded 2");
                    return cache.counts().nearMissedWhileDown();
                },
                missed -> missed > missedBefore);
        long missed = cache.counts().nearMissedWhileDown();
        cache.getAll(List.of("3", "4"), NearCacheTest::loaded);
        long missedMore = cache.counts().nearMissedWhileDown();
        proxy.acceptConnections();

        assertThat(stale).isLessThan(Duration.ofSeconds(10));
        assertThat(missedMore).isEqualTo(missed + 2);
        ask(cache, "2");
    }

    @Test
    void aServerThatDoesNotTellIsRefusedWhenTheCacheIsMade() {
        RedisClient admin = REDIS.client();
        admin.call(Command.of("ACL SETUSER", "blind", "on", ">secret", "allkeys", "+@all", "-client|tracking"));
        RedisUri uri = RedisUri.of(REDIS.server().host(), REDIS.server().port()).withLogin("blind", "secret");
        RedisClient client = REDIS.closing(RedisClient.connect(uri));

        assertThatThrownBy(() -> near(client))
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("CLIENT TRACKING is refused: NOPERM");
    }

    @Test
    void withoutCaffeineItIsSaidWhatIsMissing() throws Exception {
        List<URL> classPath = new ArrayList<>();
        for (String element : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (!element.isEmpty() && !element.contains("caffeine")) {
                classPath.add(new File(element).toURI().toURL());
            }
        }
        URL[] urls = classPath.toArray(URL[]::new);
        try (URLClassLoader withoutCaffeine = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
            String home = NearOptions.class.getPackageName() + ".";
            Class<?> options = withoutCaffeine.loadClass(home + "NearOptions");
            Class<?> surroundings = withoutCaffeine.loadClass(home + "Surroundings");
            Class<?> client = withoutCaffeine.loadClass(RedisClient.class.getName());
            Method open = withoutCaffeine
                    .loadClass(home + "TrackedNear")
                    .getDeclaredMethod("open", client, String.class, options, surroundings);
            open.setAccessible(true);
            Object entries = options.getMethod("entries", long.class).invoke(null, 10L);
            Object none = options.getField("NONE").get(null);

            assertThat(open.invoke(null, null, "texts:", none, null)).isNotNull();
            assertThatThrownBy(() -> open.invoke(null, null, "texts:", entries, null))
                    .isInstanceOf(InvocationTargetException.class)
                    .cause()
                    .hasMessage("a near cache cannot be opened: Caffeine is not on the class path."
                            + " Add com.github.ben-manes.caffeine:caffeine.");
        }
    }
}
