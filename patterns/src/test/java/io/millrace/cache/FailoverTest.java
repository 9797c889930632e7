// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Server;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.Ending;
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

/** A replica is promoted while callers run, and their connections are led to it. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class FailoverTest {

    private static final int SOME = 300;

    @RegisterExtension
    static final Redis REDIS = new Redis();

    private final EmbeddedRedis replica = REDIS.closing(EmbeddedRedis.start());
    private final Replicas both = Replicas.follow(REDIS, REDIS.server(), replica);
    private final FaultProxy proxy = REDIS.proxy();

    private Cache<String> cache(CacheOptions options, boolean near) {
        NearOptions kept = near ? NearOptions.entries(100).withQuiet(Duration.ofSeconds(10)) : NearOptions.NONE;
        return REDIS.closing(Cache.builder(REDIS.oneConnection(proxy.port()), "texts", Codec.text())
                .options(options)
                .near(kept)
                .build());
    }

    /** All connections break, and are made again to the server that is the primary now. */
    private void moveToTheReplica() {
        proxy.forwardTo(replica.host(), replica.port());
        proxy.disconnectAll(Ending.RESET);
    }

    /** Of those that ask and change; each that is made by a script is one too. */
    private int commandsOfThePrimary() {
        return Stream.of("get", "set", "del")
                .mapToInt(command -> Redis.calls(both.onPrimary(), command))
                .sum();
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    void callersGetNothingWrongAndHitsComeBack(boolean leased, boolean near) throws Exception {
        long seed = System.nanoTime();
        System.out.println("FailoverTest: leased=" + leased + ", near=" + near + ", seed=" + seed);
        CacheOptions options = Redis.patient()
                .redisTimeout(Duration.ofMillis(500))
                .lease(leased ? LoadingProcess.LONG_LEASE : Duration.ZERO)
                .build();
        Cache<String> cache = cache(options, near);

        try (Traffic traffic = new Traffic(cache, options, new Random(seed))) {
            traffic.awaitHits(SOME);
            double before = traffic.hitRate(SOME);
            // A replica follows a little later: a removal that it has not heard of when it is promoted is lost.
            traffic.pauseChanges();
            both.awaitWhatWasWritten();
            traffic.troubleBegins();
            both.promote();
            moveToTheReplica();
            traffic.resumeChanges();
            traffic.awaitHits(SOME);
            traffic.troubleIsOver();
            int onTheOldOne = commandsOfThePrimary();
            Eventually.holds("the hit rate is back", () -> traffic.hitRate(SOME), rate -> rate > before - 0.1);
            traffic.awaitHits(SOME);
            assertThat(commandsOfThePrimary()).as("nobody asks it any more").isEqualTo(onTheOldOne);
        }

        assertThat(both.onReplica().call(Server.size())).isPositive();
        assertThat(cache.counts().loadFailures()).isZero();
    }

    @Test
    void nothingIsServedFromThisProcessThatTheOtherServerHad() {
        Cache<String> cache = cache(Redis.patient().build(), true);
        Cache<String> onPrimary = REDIS.closing(Cache.of(
                both.onPrimary(), "texts", Codec.text(), Redis.patient().build()));
        Cache<String> onReplica = REDIS.closing(Cache.of(
                both.onReplica(), "texts", Codec.text(), Redis.patient().build()));
        onPrimary.put("key", "old");
        askUntilItIsHere(cache, "old");

        both.awaitWhatWasWritten();
        both.promote();
        onReplica.put("key", "new");
        assertThat(cache.get("key", key -> "loaded")).as("nobody has told").isEqualTo("old");
        moveToTheReplica();
        Eventually.is("it is dropped", "new", () -> cache.get("key", key -> "loaded"));

        onPrimary.put("key", "nobody's");
        askUntilItIsHere(cache, "new");
        assertThat(cache.counts().loads()).isZero();
    }

    private static void askUntilItIsHere(Cache<String> cache, String value) {
        long before = cache.counts().nearHits();
        Eventually.holds(
                "it is kept in this process",
                () -> {
                    assertThat(cache.get("key", key -> "loaded")).isEqualTo(value);
                    return cache.counts();
                },
                now -> now.nearHits() > before + 10);
    }
}
