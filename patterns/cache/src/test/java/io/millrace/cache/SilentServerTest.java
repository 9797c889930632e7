// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Lookups while the server does not answer and the circuit is open. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class SilentServerTest {

    private static final Duration TIMEOUT = Duration.ofMillis(500);

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final AtomicInteger loads = new AtomicInteger();

    private String load(String key) {
        return key + "#" + loads.incrementAndGet();
    }

    private static Cache<String> cache(int port, boolean leased) {
        CacheOptions options = CacheOptions.builder()
                .redisTimeout(TIMEOUT)
                .lease(leased ? Duration.ofSeconds(60) : Duration.ZERO)
                .deadline(Duration.ofSeconds(90))
                .build();
        return REDIS.closeAfterTest(Cache.of(REDIS.client(port), "texts", Codec.text(), options));
    }

    /** Looks up keys until a lookup does not wait for Redis. */
    private void openCircuit(Cache<String> cache) {
        AtomicInteger key = new AtomicInteger();
        Eventually.holds(
                "the circuit is open",
                () -> {
                    cache.get("opening" + key.incrementAndGet(), this::load);
                    return cache.stats().bypasses();
                },
                bypasses -> bypasses > 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void noLookupReadsRedisWhileTheCircuitIsOpen(boolean leased) {
        FaultProxy proxy = REDIS.proxy();
        Cache<String> cache = cache(proxy.port(), leased);
        proxy.stall(Direction.TO_CLIENT);
        openCircuit(cache);
        long bypasses = cache.stats().bypasses();

        for (int caller = 0; caller < 1_000; caller++) {
            String key = "key" + caller;
            assertThat(cache.get(key, this::load)).startsWith(key + "#");
        }

        assertThat(cache.stats().bypasses() - bypasses).isGreaterThanOrEqualTo(1_000);
        proxy.resume(Direction.TO_CLIENT);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void multiGetDoesNotWaitForRedisAndLaterValuesAreCachedAgain(boolean leased) {
        RedisClient direct = REDIS.client();
        FaultProxy proxy = REDIS.proxy();
        Cache<String> cache = cache(proxy.port(), leased);
        List<String> keys = IntStream.range(0, 100).mapToObj(key -> "key" + key).toList();
        proxy.stall(Direction.TO_CLIENT);
        openCircuit(cache);

        assertThat(cache.getAll(keys, this::load)).hasSize(100);
        assertThat(cache.getIfPresent("key0")).isEmpty();
        proxy.resume(Direction.TO_CLIENT);

        AtomicInteger next = new AtomicInteger();
        Eventually.holds(
                "loaded values are cached again",
                () -> {
                    String key = "later" + next.incrementAndGet();
                    cache.get(key, this::load);
                    return direct.call(Keys.exist("texts:" + key));
                },
                count -> count == 1);
        cache.put("key", "put");
        assertThat(cache.getIfPresent("key")).hasValue("put");
    }
}
