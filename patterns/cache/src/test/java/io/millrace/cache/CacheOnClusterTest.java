// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedOptions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A cache whose entries have the slots of all nodes of a cluster. */
class CacheOnClusterTest {

    private static final List<String> KEYS =
            IntStream.range(0, 3_000).mapToObj(key -> "key" + key).toList();

    private static EmbeddedCluster cluster;

    private final AtomicInteger loads = new AtomicInteger();
    private RedisClient client;

    @BeforeAll
    static void startCluster() {
        cluster = EmbeddedCluster.start(EmbeddedOptions.defaults(), 3, 0);
    }

    @AfterAll
    static void closeCluster() {
        cluster.close();
    }

    @BeforeEach
    void connect() {
        client = RedisClient.connect(RedisUri.parse(cluster.uri()));
        client.call(Server.flushAll());
    }

    @AfterEach
    void closeClient() {
        client.close();
    }

    private String load(String key) {
        loads.incrementAndGet();
        return "value of " + key;
    }

    private Cache<String> cache(Duration lease) {
        return Cache.of(
                client, "texts", Codec.text(), RedisExtension.leased(lease).build());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 10})
    void keysOfManySlotsAreReadTogetherLoadedOnceAndRemoved(int leaseSeconds) {
        try (Cache<String> cache = cache(Duration.ofSeconds(leaseSeconds))) {
            Map<String, String> loaded = cache.getAll(KEYS, this::load);
            Eventually.is(
                    "all entries are written",
                    (long) KEYS.size(),
                    () -> cache.stats().writes());

            Map<String, String> found = cache.getAll(KEYS, this::load);

            assertThat(found).isEqualTo(loaded).hasSize(KEYS.size());
            assertThat(found.keySet()).containsExactlyElementsOf(KEYS);
            assertThat(found).allSatisfy((key, value) -> assertThat(value).isEqualTo("value of " + key));
            assertThat(loads).hasValue(KEYS.size());
            assertThat(cache.stats().errors()).isZero();
            cache.removeAll(KEYS.subList(0, 2_000));
            assertThat(client.call(Server.size())).isEqualTo(1_000);
            cache.clear();
            assertThat(client.call(Server.size())).isZero();
        }
    }

    @Test
    void singleEntryIsLoadedOnceAndRemovedWithItsLease() {
        try (Cache<String> cache = cache(Duration.ofSeconds(10))) {
            for (String key : KEYS.subList(0, 50)) {
                assertThat(cache.get(key, this::load)).isEqualTo("value of " + key);
                assertThat(cache.get(key, this::load)).isEqualTo("value of " + key);
                cache.put(key, "other");
                assertThat(cache.find(key, name -> Optional.empty())).contains("other");
                cache.remove(key);
            }

            assertThat(loads).hasValue(50);
            assertThat(cache.stats().errors()).isZero();
            assertThat(client.call(Server.size())).isZero();
        }
    }

    @Test
    void nearCacheForgetsAnEntryThatAnotherClientChangesOnAnyNode() {
        List<String> keys = KEYS.subList(0, 60);
        try (RedisClient other = RedisClient.connect(RedisUri.parse(cluster.uri()));
                Cache<String> writing = Cache.of(
                        other,
                        "texts",
                        Codec.text(),
                        RedisExtension.longTimeouts().build());
                Cache<String> near = Cache.builder(client, "texts", Codec.text())
                        .options(RedisExtension.longTimeouts().build())
                        .near(NearCacheOptions.entries(1_000))
                        .build()) {
            for (String key : keys) {
                writing.put(key, "old");
            }
            Eventually.is("all entries are in the near cache", true, () -> {
                long before = near.stats().nearHits();
                keys.forEach(key -> near.get(key, this::load));
                return near.stats().nearHits() - before == keys.size();
            });

            for (String key : keys) {
                writing.put(key, "new");
            }

            for (String key : keys) {
                Eventually.is("the near cache has the new value", "new", () -> near.get(key, this::load));
            }
            assertThat(loads).hasValue(0);
        }
    }

    @Test
    void warmUpWritesToAllNodes() {
        try (Cache<String> cache = cache(Duration.ZERO)) {
            WarmUpStats stats = cache.warmUp(
                    KEYS.stream().map(key -> Map.entry(key, "value of " + key)).iterator());

            assertThat(stats).isEqualTo(new WarmUpStats(KEYS.size(), KEYS.size(), 0, 0, 0, ""));
            assertThat(cache.getAll(KEYS, this::load))
                    .allSatisfy((key, value) -> assertThat(value).isEqualTo("value of " + key))
                    .hasSize(KEYS.size());
            assertThat(loads).hasValue(0);
        }
    }
}
