// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.testkit.Direction;
import io.millrace.testkit.FaultProxy;
import io.millrace.testkit.Faults;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The number of commands and of round trips of a lookup. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class RoundTripTest {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    /** With a lease, the claim is a pipeline of three commands, which takes one round trip. */
    @ParameterizedTest
    @CsvSource({"false, 2", "true, 5"})
    void missTakesTwoRoundTripsWithoutALeaseAndThreeWithALease(boolean leased, long commands) {
        RedisClient direct = REDIS.client();
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.closeAfterTest(Cache.of(
                client,
                "texts",
                Codec.text(),
                RedisExtension.leased(leased ? Duration.ofSeconds(60) : Duration.ZERO)
                        .build()));
        cache.get("first", key -> key); // the server now has the script
        awaitEntry(direct, "first");
        Eventually.is(
                "all commands have ended", 0L, () -> client.stats().counts().pending());

        long before = client.stats().counts().submitted();
        cache.get("second", key -> key);
        awaitEntry(direct, "second");
        long afterMiss = client.stats().counts().submitted();
        cache.get("first", key -> key);

        assertThat(afterMiss - before).as("commands of a miss").isEqualTo(commands);
        assertThat(client.stats().counts().submitted() - afterMiss)
                .as("commands of a hit")
                .isEqualTo(1);
    }

    /**
     * The network delays each reply by the round trip time. A miss may take two or three times this time, and less than one
     * round trip for all the rest: so the test fails if the cache waits once more. A slow machine can only add time, so the
     * fastest of the misses counts.
     */
    @ParameterizedTest
    @CsvSource({"false, 2", "true, 3"})
    void missWaitsForTheNetworkTwiceWithoutALeaseAndThreeTimesWithALease(boolean leased, int roundTrips) {
        Duration roundTrip = Duration.ofMillis(100);
        FaultProxy proxy = REDIS.proxy();
        RedisClient direct = REDIS.client();
        RedisClient client = REDIS.client(proxy.port());
        Cache<String> cache = REDIS.closeAfterTest(Cache.of(
                client,
                "texts",
                Codec.text(),
                RedisExtension.leased(leased ? Duration.ofSeconds(60) : Duration.ZERO)
                        .build()));
        cache.get("first", key -> key); // the server now has the script
        awaitEntry(direct, "first");
        proxy.faults(Direction.TO_CLIENT, Faults.NONE.withDelay(roundTrip));

        long fastest = Long.MAX_VALUE;
        for (int i = 0; i < 5; i++) {
            String key = "key" + i;
            long begin = System.nanoTime();
            cache.get(key, missing -> missing);
            awaitEntry(direct, key);
            Eventually.is(
                    "the reply to the write has arrived",
                    0L,
                    () -> client.stats().counts().pending());
            fastest = Math.min(fastest, System.nanoTime() - begin);
        }

        assertThat(Duration.ofNanos(fastest))
                .isBetween(roundTrip.multipliedBy(roundTrips), roundTrip.multipliedBy(roundTrips + 1));
    }

    private static void awaitEntry(RedisClient direct, String key) {
        Eventually.is("the entry is written", 1L, () -> direct.call(Keys.exist("texts:" + key)));
    }
}
