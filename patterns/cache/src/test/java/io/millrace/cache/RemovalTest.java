// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.client.exception.RedisException;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * If a load began before a put or a removal, the loaded value does not overwrite the result of the put or the removal.
 * The tests run with and without a lease.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class RemovalTest {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final AtomicInteger loads = new AtomicInteger();

    private static CacheOptions.Builder options(boolean leased) {
        return RedisExtension.leased(leased ? Duration.ofSeconds(10) : Duration.ZERO);
    }

    private String load(String key) {
        return key + "#" + loads.incrementAndGet();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void loadThatBeganBeforeARemovalDoesNotWriteItsValue(boolean leased) throws Exception {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(leased));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<String> older = CompletableFuture.supplyAsync(() -> cache.get("key", key -> {
            begun.countDown();
            mayEnd.await();
            return "older";
        }));

        begun.await();
        cache.remove("key");
        assertThat(cache.get("key", this::load)).as("value after the removal").isEqualTo("key#1");
        Eventually.is("the newer value is written", 1L, () -> client.call(Keys.exist("texts:key")));
        mayEnd.countDown();

        assertThat(older.join()).isEqualTo("older");
        cache.close();
        assertThat(REDIS.cache(options(leased)).get("key", this::load)).isEqualTo("key#1");
        assertThat(loads).hasValue(1);
        assertThat(client.call(Keys.exist("texts~lease:{texts:key}"))).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void loadThatBeganBeforeAPutDoesNotOverwriteThePutValue(boolean leased) throws Exception {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(options(leased));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<String> older = CompletableFuture.supplyAsync(() -> cache.get("key", key -> {
            begun.countDown();
            mayEnd.await();
            return "older";
        }));

        begun.await();
        cache.put("key", "put");
        mayEnd.countDown();

        assertThat(older.join()).isEqualTo("older");
        cache.close();
        assertThat(REDIS.cache(options(leased)).get("key", this::load)).isEqualTo("put");
        assertThat(client.call(Keys.exist("texts~lease:{texts:key}"))).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void removalWaitsForAWriteInProgress(boolean leased) throws Exception {
        RedisClient client = REDIS.client();
        FaultProxy proxy = REDIS.proxy();
        RedisClient stalling = REDIS.client(proxy.port());
        Cache<String> cache = REDIS.closeAfterTest(
                Cache.of(stalling, "texts", Codec.text(), options(leased).build()));
        String loaded = cache.get("key", key -> {
            proxy.stall(Direction.TO_SERVER);
            return "older";
        });
        Eventually.is(
                "the write is in progress", 1L, () -> stalling.stats().counts().pending());
        CompletableFuture<Boolean> removed = new CompletableFuture<>();
        Thread remover = new Thread(() -> {
            cache.remove("key");
            removed.complete(true);
        });

        remover.start();
        Eventually.is("the removal waits", Thread.State.TIMED_WAITING, () -> remover.getState());
        assertThat(removed).isNotDone();
        proxy.resume(Direction.TO_SERVER);
        assertThat(removed.get()).isTrue();
        remover.join();

        assertThat(loaded).isEqualTo("older");
        assertThat(client.call(Keys.exist("texts:key"))).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void removeAndPutThrowIfRedisDoesNotAnswer(boolean leased) {
        FaultProxy proxy = REDIS.proxy();
        Cache<String> cache = REDIS.closeAfterTest(Cache.of(
                REDIS.client(proxy.port()),
                "texts",
                Codec.text(),
                options(leased).redisTimeout(Duration.ofMillis(200)).build()));

        proxy.stall(Direction.TO_SERVER);

        assertThatThrownBy(() -> cache.remove("key")).isInstanceOf(RedisException.class);
        assertThatThrownBy(() -> cache.put("key", "value")).isInstanceOf(RedisException.class);
        assertThat(cache.stats().errors()).isEqualTo(2);
        proxy.resume(Direction.TO_SERVER);
    }
}
