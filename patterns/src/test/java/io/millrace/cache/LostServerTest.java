// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.RedisUri;
import io.millrace.client.Server;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Direction;
import io.millrace.testkit.Ending;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What callers get while Redis is away, slow or a replica, with a lease and without, with a near part and without; and that hits come back. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class LostServerTest {

    private static final int SOME = 150;

    @RegisterExtension
    static final Redis REDIS = new Redis();

    private static Traffic traffic(Cache<String> cache, boolean leased) {
        long seed = System.nanoTime();
        System.out.println("LostServerTest: leased=" + leased + ", seed=" + seed);
        return new Traffic(cache, options(leased), new Random(seed));
    }

    private static CacheOptions options(boolean leased) {
        return CacheOptions.builder()
                .redisTimeout(Duration.ofMillis(50))
                .lease(leased ? Duration.ofSeconds(1) : Duration.ZERO)
                .build();
    }

    private static Cache<String> cache(int port, boolean leased, boolean near) {
        NearOptions kept = near ? NearOptions.entries(100).withQuiet(Duration.ofMillis(100)) : NearOptions.NONE;
        return REDIS.closing(Cache.builder(REDIS.oneConnection(port), "texts", Codec.text())
                .options(options(leased))
                .near(kept)
                .build());
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true"})
    void aServerThatIsKilledAndComesBackEmptyHarmsNobody(boolean leased, boolean near) throws Exception {
        EmbeddedRedis first = REDIS.closing(EmbeddedRedis.start());
        FaultProxy proxy = REDIS.closing(FaultProxy.inFrontOf(first.host(), first.port()));
        Cache<String> cache = cache(proxy.port(), leased, near);

        try (Traffic traffic = traffic(cache, leased)) {
            traffic.awaitHits(SOME);
            traffic.troubleBegins();
            first.kill();
            traffic.await(SOME);
            EmbeddedRedis second = REDIS.closing(EmbeddedRedis.start());
            proxy.forwardTo(second.host(), second.port());
            traffic.awaitHits(SOME);
            traffic.troubleIsOver();
            traffic.awaitHits(SOME);
        }

        assertThat(cache.counts().errors()).isPositive();
        assertThat(cache.counts().loadFailures()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true"})
    void aServerThatIsPausedHarmsNobody(boolean leased, boolean near) throws Exception {
        Cache<String> cache = cache(REDIS.server().port(), leased, near);

        try (Traffic traffic = traffic(cache, leased)) {
            traffic.awaitHits(SOME);
            traffic.troubleBegins();
            REDIS.server().pause();
            try {
                traffic.await(SOME);
                Eventually.holds("Redis is missed", cache::counts, now -> now.errors() > 0);
            } finally {
                REDIS.server().resume();
            }
            traffic.awaitHits(SOME);
            traffic.troubleIsOver();
            traffic.awaitHits(SOME);
        }
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true"})
    void connectionsThatBreakOrStallHarmNobody(boolean leased, boolean near) throws Exception {
        FaultProxy proxy = REDIS.proxy();
        Cache<String> cache = cache(proxy.port(), leased, near);

        try (Traffic traffic = traffic(cache, leased)) {
            for (int round = 0; round < 3; round++) {
                traffic.awaitHits(SOME / 3);
                traffic.troubleBegins();
                proxy.disconnectAll(Ending.RESET);
                traffic.await(SOME / 3);
                proxy.stall(Direction.TO_CLIENT);
                traffic.await(SOME / 3);
                proxy.resume(Direction.TO_CLIENT);
                REDIS.client().call(Server.flush());
                traffic.awaitHits(SOME / 3);
                traffic.troubleIsOver();
            }
            traffic.awaitHits(SOME);
        }

        assertThat(cache.counts().errors()).isPositive();
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true"})
    void aReplicaServesWhatItHasAndWhenItIsPromotedAllOfIt(boolean leased, boolean near) throws Exception {
        EmbeddedRedis primary = REDIS.server();
        EmbeddedRedis replica = REDIS.closing(EmbeddedRedis.start());
        Replicas both = Replicas.follow(REDIS, primary, replica);
        FaultProxy proxy = REDIS.proxy();
        Cache<String> cache = cache(proxy.port(), leased, near);

        try (Traffic traffic = traffic(cache, leased)) {
            traffic.awaitHits(SOME);
            traffic.troubleBegins();
            traffic.pauseChanges();
            both.awaitWhatWasWritten();
            proxy.forwardTo(replica.host(), replica.port());
            proxy.disconnectAll(Ending.RESET);
            traffic.resumeChanges();
            traffic.await(SOME);
            both.onPrimary().call(Server.flush());
            Eventually.is("it has nothing", 0L, () -> both.onReplica().call(Server.size()));
            long errors = cache.counts().errors();
            Eventually.holds("it refuses to write", cache::counts, now -> now.errors() > errors + 10);
            traffic.await(SOME);
            both.promote();
            traffic.awaitHits(SOME);
            traffic.troubleIsOver();
            traffic.awaitHits(SOME);
        }

        try (RedisClient direct = RedisClient.connect(RedisUri.parse(replica.uri()))) {
            assertThat(direct.call(Server.size())).isPositive();
        }
    }
}
