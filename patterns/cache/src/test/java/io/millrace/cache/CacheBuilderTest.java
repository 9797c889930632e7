// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Replies;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The kinds of caches that a builder builds, and their arguments. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CacheBuilderTest {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final AtomicInteger loads = new AtomicInteger();

    /** The keys of each call of the bulk loader. */
    private final Queue<Set<String>> bulkCalls = new ConcurrentLinkedQueue<>();

    private static CacheBuilder<String> builder() {
        return Cache.builder(REDIS.client(), "texts", Codec.text())
                .options(RedisExtension.longTimeouts().build());
    }

    private Optional<String> search(String key) {
        loads.incrementAndGet();
        return key.startsWith("no") ? Optional.empty() : Optional.of("value of " + key);
    }

    private Map<String, String> searchAll(Set<String> keys, BulkFailures failures) {
        bulkCalls.add(keys);
        return keys.stream()
                .filter(key -> !key.startsWith("no"))
                .collect(Collectors.toMap(key -> key, key -> "value of " + key));
    }

    @Test
    void builderThatIsUsedAgainDoesNotChangeTheCachesThatItHasBuilt() {
        RedisClient client = REDIS.client();
        CacheBuilder<String> builder = builder();
        CacheOptions.Builder options = RedisExtension.longTimeouts().jitter(0);
        Cache<String> first = REDIS.closeAfterTest(
                builder.options(options.timeToLive(Duration.ofHours(1)).build()).build());
        REDIS.closeAfterTest(
                builder.options(options.timeToLive(Duration.ofSeconds(1)).build())
                        .build());

        first.put("key", "value");

        assertThat(client.call(Command.of("PTTL", "texts:key").as(Replies::integer)))
                .isGreaterThan(Duration.ofMinutes(30).toMillis());
    }

    @Test
    void findingCacheStoresTheAbsenceOfAValue() {
        RedisClient client = REDIS.client();
        try (LoadingCache<String> cache = builder().buildFinding(this::search)) {
            assertThat(cache.find("none")).isEmpty();
            Eventually.is("the negative entry is written", 1L, () -> client.call(Keys.exist("texts:none")));
            assertThat(cache.find("none")).isEmpty();
            assertThat(loads).hasValue(1);
            assertThatThrownBy(() -> cache.get("none"))
                    .isInstanceOf(NoSuchElementException.class)
                    .hasMessage("a key has no value: cache=texts. To get an empty result for such a key, call find.");
            assertThat(cache.get("some")).isEqualTo("value of some");
            assertThat(cache.getAll(List.of("some", "none", "other")))
                    .isEqualTo(Map.of("some", "value of some", "other", "value of other"));
            assertThat(loads).hasValue(3);
        }
    }

    @Test
    void loadingCacheWithABulkLoaderLoadsManyKeysWithOneCall() {
        try (LoadingCache<String> cache =
                builder().buildLoading(key -> search(key).orElseThrow(), this::searchAll)) {
            assertThat(cache.get("one")).isEqualTo("value of one");
            assertThat(cache.find("one")).hasValue("value of one");
            assertThat(cache.getAll(List.of("one", "two", "none", "three")).keySet())
                    .containsExactly("one", "two", "three");
            assertThat(cache.getEach(List.of("four")).values()).isEqualTo(Map.of("four", "value of four"));

            assertThat(bulkCalls).containsExactly(Set.of("two", "none", "three"), Set.of("four"));
            assertThat(loads).hasValue(1);
        }
    }

    @Test
    void lookupWithoutALoaderIsRefusedAlsoIfTheKeyIsCached() {
        Cache<String> cache = REDIS.closeAfterTest(builder().build());
        cache.put("key", "value");

        assertThatNullPointerException().isThrownBy(() -> NoLoader.get(cache)).withMessage("loader");
        assertThatNullPointerException().isThrownBy(() -> NoLoader.find(cache)).withMessage("loader");
        assertThatNullPointerException()
                .isThrownBy(() -> NoLoader.getAsync(cache))
                .withMessage("loader");
        assertThatNullPointerException()
                .isThrownBy(() -> NoLoader.getEach(cache))
                .withMessage("loader");
    }

    @Test
    void asynchronousLookupOfAClosedCacheFailsItsFuture() {
        Cache<String> cache = builder().build();
        cache.close();

        CompletableFuture<String> future = cache.getAsync("key", key -> "not called");

        assertThatThrownBy(future::join)
                .hasCauseInstanceOf(IllegalStateException.class)
                .hasMessageContaining("the cache is closed: cache=texts. Close the cache after its last call.");
    }

    /** Lookups by code without null annotations. */
    @NullUnmarked
    private static final class NoLoader {

        static void get(Cache<String> cache) {
            Loader<String> loader = null;
            String unused = cache.get("key", loader);
        }

        static void find(Cache<String> cache) {
            Optional<String> unused = cache.find("key", null);
        }

        static void getAsync(Cache<String> cache) {
            CompletableFuture<String> unused = cache.getAsync("key", null);
        }

        static void getEach(Cache<String> cache) {
            BulkLoader<String> loader = null;
            LookupResults<String> unused = cache.getEach(List.of("key"), loader);
        }
    }
}
