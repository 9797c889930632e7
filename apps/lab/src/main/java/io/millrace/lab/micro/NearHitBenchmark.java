// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.micro;

import io.millrace.cache.Cache;
import io.millrace.cache.CacheOptions;
import io.millrace.cache.NearCacheOptions;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.lab.server.RedisServer;
import java.time.Duration;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Reads entries that are in the near cache of the process. One operation is one hit of one caller. The server runs during
 * the measurement, because a near cache needs its connection, but gets no command.
 */
@State(Scope.Benchmark)
public class NearHitBenchmark {

    private static final int KEYS = 1_024; // a power of two

    /** No entry expires during the benchmark. */
    private static final Duration LIFE = Duration.ofHours(1);

    private final String[] keys =
            IntStream.range(0, KEYS).mapToObj(key -> "key-" + key).toArray(String[]::new);

    private final RedisServer server = RedisServer.start();
    private final RedisClient client = RedisClient.connect(
            RedisUri.of(server.target().host(), server.target().port()));
    private final Cache<String> cache = Cache.builder(client, "near-hit", Codec.text())
            .options(CacheOptions.builder().timeToLive(LIFE).build())
            .near(NearCacheOptions.entries(2 * KEYS))
            .build();

    /** Changed only by the one thread of the benchmark. */
    private int position;

    /** Fills the near cache. */
    @Setup
    public void prepare() throws Exception {
        for (String key : keys) {
            cache.put(key, key);
        }
        long before;
        do { // a read fills the near cache only if no invalidation arrives meanwhile
            before = cache.stats().nearHits();
            for (int key = 0; key < KEYS; key++) {
                var unused = nearHit();
            }
        } while (cache.stats().nearHits() - before < KEYS);
    }

    /** Reads the next key. */
    @Benchmark
    public String nearHit() throws Exception {
        position = (position + 1) & (KEYS - 1);
        return cache.get(keys[position], NearHitBenchmark::noLoad);
    }

    private static String noLoad(String key) {
        throw new IllegalStateException("the cache has lost an entry: key=" + key + ".");
    }

    /** Ends the server. */
    @TearDown
    public void close() {
        try (server;
                client) {
            cache.close();
        }
    }
}
