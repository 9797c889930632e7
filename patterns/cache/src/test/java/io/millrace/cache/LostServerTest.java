// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.command.Server;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.ConnectionEnd;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests the answers of a cache while Redis is down, slow or a replica, and the hits after the recovery. The tests run
 * with and without leases, and with and without a near cache.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class LostServerTest {

    private static final int LOOKUPS = Integer.getInteger("millrace.lookups", 60);

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static CacheTraffic traffic(Cache<String> cache, boolean leased) {
        long seed = System.nanoTime();
        System.out.println("LostServerTest: leased=" + leased + ", seed=" + seed);
        return new CacheTraffic(cache, options(leased), new Random(seed));
    }

    private static CacheOptions options(boolean leased) {
        return CacheOptions.builder()
                .redisTimeout(Duration.ofMillis(200))
                .lease(leased ? Duration.ofSeconds(1) : Duration.ZERO)
                .build();
    }

    private static Cache<String> cache(int port, boolean leased, boolean near) {
        NearCacheOptions kept =
                near ? NearCacheOptions.entries(100).withPingInterval(Duration.ofMillis(400)) : NearCacheOptions.NONE;
        return REDIS.closeAfterTest(Cache.builder(REDIS.oneConnection(port), "texts", Codec.text())
                .options(options(leased))
                .near(kept)
                .build());
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true"})
    void callersGetCorrectAnswersWhenTheServerRestartsEmpty(boolean leased, boolean near) throws Exception {
        EmbeddedRedis first = REDIS.closeAfterTest(EmbeddedRedis.start());
        FaultProxy proxy = REDIS.closeAfterTest(FaultProxy.inFrontOf(first.host(), first.port()));
        Cache<String> cache = cache(proxy.port(), leased, near);

        try (CacheTraffic cacheTraffic = traffic(cache, leased)) {
            cacheTraffic.awaitHits(LOOKUPS);
            cacheTraffic.beginFault();
            first.kill();
            cacheTraffic.awaitAnswers(LOOKUPS);
            Eventually.holds("errors are counted", cache::stats, now -> now.errors() > 0);
            EmbeddedRedis second = REDIS.closeAfterTest(EmbeddedRedis.start());
            proxy.forwardTo(second.host(), second.port());
            cacheTraffic.awaitHits(LOOKUPS);
            cacheTraffic.endFault();
            cacheTraffic.awaitHits(LOOKUPS);
        }

        assertThat(cache.stats().loadFailures()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true"})
    void callersGetCorrectAnswersWhenTheServerPauses(boolean leased, boolean near) throws Exception {
        Cache<String> cache = cache(REDIS.server().port(), leased, near);

        try (CacheTraffic cacheTraffic = traffic(cache, leased)) {
            cacheTraffic.awaitHits(LOOKUPS);
            cacheTraffic.beginFault();
            REDIS.server().pause();
            try {
                cacheTraffic.awaitAnswers(LOOKUPS);
                Eventually.holds("errors are counted", cache::stats, now -> now.errors() > 0);
            } finally {
                REDIS.server().resume();
            }
            cacheTraffic.awaitHits(LOOKUPS);
            cacheTraffic.endFault();
            cacheTraffic.awaitHits(LOOKUPS);
        }
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true"})
    void callersGetCorrectAnswersWhenConnectionsBreakOrStall(boolean leased, boolean near) throws Exception {
        FaultProxy proxy = REDIS.proxy();
        Cache<String> cache = cache(proxy.port(), leased, near);

        try (CacheTraffic cacheTraffic = traffic(cache, leased)) {
            for (int round = 0; round < 3; round++) {
                cacheTraffic.awaitHits(LOOKUPS / 3);
                cacheTraffic.beginFault();
                proxy.disconnectAll(ConnectionEnd.RESET);
                cacheTraffic.awaitAnswers(LOOKUPS / 3);
                long errors = cache.stats().errors();
                proxy.stall(Direction.TO_CLIENT);
                cacheTraffic.awaitAnswers(LOOKUPS / 3);
                Eventually.holds("errors are counted", cache::stats, now -> now.errors() > errors);
                proxy.resume(Direction.TO_CLIENT);
                REDIS.client().call(Server.flush());
                cacheTraffic.awaitHits(LOOKUPS / 3);
                cacheTraffic.endFault();
            }
            cacheTraffic.awaitHits(LOOKUPS);
        }
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true"})
    void replicaServesHitsAndAcceptsWritesAfterPromotion(boolean leased, boolean near) throws Exception {
        EmbeddedRedis primary = REDIS.server();
        EmbeddedRedis replica = REDIS.closeAfterTest(EmbeddedRedis.start());
        PrimaryAndReplica both = PrimaryAndReplica.follow(REDIS, primary, replica);
        FaultProxy proxy = REDIS.proxy();
        Cache<String> cache = cache(proxy.port(), leased, near);

        try (CacheTraffic cacheTraffic = traffic(cache, leased)) {
            cacheTraffic.awaitHits(LOOKUPS);
            cacheTraffic.beginFault();
            cacheTraffic.pauseChanges();
            both.awaitReplication();
            proxy.forwardTo(replica.host(), replica.port());
            proxy.disconnectAll(ConnectionEnd.RESET);
            cacheTraffic.resumeChanges();
            cacheTraffic.awaitAnswers(LOOKUPS);
            both.onPrimary().call(Server.flush());
            Eventually.is("the replica is empty", 0L, () -> both.onReplica().call(Server.size()));
            long errors = cache.stats().errors();
            Eventually.holds("the replica refuses writes", cache::stats, now -> now.errors() > errors + 10);
            cacheTraffic.awaitAnswers(LOOKUPS);
            both.promote();
            cacheTraffic.awaitHits(LOOKUPS);
            cacheTraffic.endFault();
            cacheTraffic.awaitHits(LOOKUPS);
        }

        try (RedisClient direct = RedisClient.connect(ClientOptions.builder(RedisUri.parse(replica.uri()))
                .connectTimeout(Duration.ofSeconds(60))
                .build())) {
            assertThat(direct.call(Server.size())).isPositive();
        }
    }
}
