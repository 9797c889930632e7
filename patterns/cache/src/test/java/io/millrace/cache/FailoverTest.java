// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Codec;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Promotes a replica to primary while callers use the cache. The connections move to the new primary. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class FailoverTest {

    private static final int LOOKUPS = Integer.getInteger("millrace.lookups", 60);

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final EmbeddedRedis replica = REDIS.closeAfterTest(EmbeddedRedis.start());
    private final PrimaryAndReplica both = PrimaryAndReplica.follow(REDIS, REDIS.server(), replica);
    private final FaultProxy proxy = REDIS.proxy();

    private Cache<String> cache(CacheOptions options, boolean near) {
        NearCacheOptions kept =
                near ? NearCacheOptions.entries(100).withPingInterval(Duration.ofSeconds(10)) : NearCacheOptions.NONE;
        return REDIS.closeAfterTest(Cache.builder(REDIS.oneConnection(proxy.port()), "texts", Codec.text())
                .options(options)
                .near(kept)
                .build());
    }

    /** Breaks all connections. New connections reach the new primary. */
    private void moveToTheReplica() {
        proxy.forwardTo(replica.host(), replica.port());
        proxy.disconnectAll(ConnectionEnd.RESET);
    }

    /**
     * Returns the number of read and write commands that the old primary has executed, including commands in Lua
     * scripts.
     */
    private int commandsOfThePrimary() {
        return Stream.of("get", "set", "del")
                .mapToInt(command -> RedisExtension.calls(both.onPrimary(), command))
                .sum();
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    void callersGetCorrectAnswersAndHitsDuringAFailover(boolean leased, boolean near) throws Exception {
        long seed = System.nanoTime();
        System.out.println("FailoverTest: leased=" + leased + ", near=" + near + ", seed=" + seed);
        CacheOptions options = RedisExtension.longTimeouts()
                .redisTimeout(Duration.ofMillis(500))
                .lease(leased ? CacheProcess.LONG_LEASE : Duration.ZERO)
                .build();
        Cache<String> cache = cache(options, near);

        try (CacheTraffic cacheTraffic = new CacheTraffic(cache, options, new Random(seed))) {
            cacheTraffic.awaitHits(LOOKUPS);
            double before = cacheTraffic.hitRate(LOOKUPS);
            // Replication is asynchronous: a removal that has not reached the replica before the promotion would be
            // lost.
            cacheTraffic.pauseChanges();
            both.awaitReplication();
            cacheTraffic.beginFault();
            both.promote();
            moveToTheReplica();
            cacheTraffic.resumeChanges();
            cacheTraffic.awaitHits(LOOKUPS);
            cacheTraffic.endFault();
            int commandsBefore = commandsOfThePrimary();
            Eventually.holds("the hit rate is back", () -> cacheTraffic.hitRate(LOOKUPS), rate -> rate > before - 0.1);
            cacheTraffic.awaitHits(LOOKUPS);
            assertThat(commandsOfThePrimary()).as("commands of the old primary").isEqualTo(commandsBefore);
        }

        assertThat(both.onReplica().call(Server.size())).isPositive();
        assertThat(cache.stats().loadFailures()).isZero();
    }

    @Test
    void nearCacheDropsTheEntriesOfTheOldPrimary() {
        Cache<String> cache = cache(RedisExtension.longTimeouts().build(), true);
        Cache<String> onPrimary = REDIS.closeAfterTest(Cache.of(
                both.onPrimary(),
                "texts",
                Codec.text(),
                RedisExtension.longTimeouts().build()));
        Cache<String> onReplica = REDIS.closeAfterTest(Cache.of(
                both.onReplica(),
                "texts",
                Codec.text(),
                RedisExtension.longTimeouts().build()));
        onPrimary.put("key", "old");
        readUntilNearHit(cache, "old");

        both.awaitReplication();
        both.promote();
        onReplica.put("key", "new");
        assertThat(cache.get("key", key -> "loaded"))
                .as("value before an invalidation")
                .isEqualTo("old");
        moveToTheReplica();
        Eventually.is("the near entry is dropped", "new", () -> cache.get("key", key -> "loaded"));

        onPrimary.put("key", "on the old primary");
        readUntilNearHit(cache, "new");
        assertThat(cache.stats().loads()).isZero();
    }

    private static void readUntilNearHit(Cache<String> cache, String value) {
        long before = cache.stats().nearHits();
        Eventually.holds(
                "the near cache answers",
                () -> {
                    assertThat(cache.get("key", key -> "loaded")).isEqualTo(value);
                    return cache.stats();
                },
                now -> now.nearHits() > before + 10);
    }
}
