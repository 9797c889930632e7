// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.client.Target;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import redis.clients.jedis.Jedis;

/** Every cache on a server with a password, in a database that is not the first. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CacheLibraryTest {

    private static final String PASSWORD = "s3cret pass/wort@1";
    private static final EmbeddedRedis REDIS =
            EmbeddedRedis.start(EmbeddedOptions.defaults().withPassword(PASSWORD));

    /** Threads that a JVM has once: of the JDK, and of Netty, which end when they are idle. */
    private static final Pattern SHARED_THREADS =
            Pattern.compile("ForkJoinPool.*|VirtualThread-unblocker|Cleaner-\\d+|globalEventExecutor.*");

    private static Jedis control = new Jedis();

    static List<CacheLibrary> all() {
        return CacheLibrary.ALL;
    }

    static List<CacheLibrary> withPut() {
        return CacheLibrary.ALL.stream().filter(library -> !library.near()).toList();
    }

    static List<CacheLibrary> withGetAll() {
        return CacheLibrary.PLAIN;
    }

    @BeforeAll
    static void connect() {
        control = new Jedis(REDIS.host(), REDIS.port(), 60_000);
        control.auth(PASSWORD);
        control.select(1);
    }

    @AfterAll
    static void stop() {
        control.close();
        REDIS.close();
    }

    @BeforeEach
    void empty() {
        control.flushAll();
    }

    private static CacheAdapter open(CacheLibrary library, Duration timeToLive) throws Exception {
        Target server = Target.of(REDIS.host(), REDIS.port());
        var target = new Target(
                server.host(),
                server.port(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(PASSWORD),
                1,
                Optional.empty(),
                false,
                2,
                0,
                Target.LONG_TIMEOUT);
        return library.opener().open(target, timeToLive);
    }

    @ParameterizedTest
    @MethodSource("all")
    void missingTextIsComputedAndThenFoundByAnotherCache(CacheLibrary library) throws Exception {
        var computed = new AtomicInteger();
        CacheAdapter.Loader loader = key -> key + " number " + computed.incrementAndGet();
        try (CacheAdapter cache = open(library, CacheAdapter.LONG_LIFE);
                CacheAdapter other = open(library, CacheAdapter.LONG_LIFE)) {
            String first = cache.get("a", loader);
            while (control.keys("*").isEmpty()) {
                Thread.onSpinWait(); // A cache may return a text before Redis has stored the text.
            }

            String second = cache.get("a", loader);
            String third = other.get("a", loader);

            assertThat(List.of(first, second, third)).containsOnly("a number 1");
            assertThat(control.keys("*")).allMatch(key -> key.contains("millrace-lab:"));
        }
    }

    @ParameterizedTest
    @MethodSource("withPut")
    void textLivesAsLongAsTheCacheSaysOrTheCallSays(CacheLibrary library) throws Exception {
        try (CacheAdapter shortLived = open(library, Duration.ofMillis(30));
                CacheAdapter longLived = open(library, CacheAdapter.LONG_LIFE)) {
            shortLived.get("computed", key -> "old");
            longLived.put("stored", "old", Duration.ofMillis(30));

            String computed = "old";
            String stored = "old";
            while (computed.equals("old") || stored.equals("old")) {
                computed = shortLived.get("computed", key -> "new");
                stored = longLived.get("stored", key -> "new");
            }

            assertThat(List.of(computed, stored)).containsOnly("new");
        }
    }

    @ParameterizedTest
    @MethodSource("withGetAll")
    void manyTextsAreReadInOrder(CacheLibrary library) throws Exception {
        List<String> keys = Texts.keys(1_234).reversed();
        try (CacheAdapter cache = open(library, CacheAdapter.LONG_LIFE)) {
            for (String key : keys) {
                cache.put(key, key + " text", CacheAdapter.LONG_LIFE);
            }

            assertThat(cache.manyReader().getAll(keys))
                    .isEqualTo(keys.stream().map(key -> key + " text").toList());
            assertThat(control.dbSize()).isEqualTo(1_234);
        }
    }

    @ParameterizedTest
    @MethodSource("all")
    void failedComputationStoresNothingAndClosedCacheLeavesNoThread(CacheLibrary library) throws Exception {
        var before = Thread.getAllStackTraces().keySet();

        try (CacheAdapter cache = open(library, CacheAdapter.LONG_LIFE)) {
            assertThatThrownBy(() -> cache.get("absent", key -> {
                        throw new IllegalStateException("no text of " + key);
                    }))
                    .satisfiesAnyOf(
                            thrown -> assertThat(thrown).hasMessage("no text of absent"),
                            thrown -> assertThat(thrown).hasRootCauseMessage("no text of absent"));
        }

        assertThat(control.exists(CacheAdapter.redisKey("absent"), CacheAdapter.HASH))
                .isZero();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            boolean isNew = !before.contains(thread)
                    && !SHARED_THREADS.matcher(thread.getName()).matches();
            assertThat(!isNew || thread.join(Duration.ofSeconds(60)))
                    .as(thread.getName())
                    .isTrue();
        }
    }

    @Test
    void labelsAreUniqueAndEachNoteNamesADocument() {
        var labels = new HashMap<String, CacheLibrary>();
        CacheLibrary.ALL.forEach(library -> labels.put(library.label(), library));

        assertThat(labels).hasSameSizeAs(CacheLibrary.ALL);
        assertThat(CacheLibrary.ALL)
                .allMatch(library -> library.description().documentation().startsWith("https://")
                        && !library.description().note().isBlank());
    }

    @Test
    void textBeginsWithItsKeyAndHasTheWantedLength() {
        assertThat(Arrays.asList(new Texts(40).of("key-7"), new Texts(2).of("key-7")))
                .containsExactly("key-7 is the key of a text that a slow s", "key-7");
    }
}
