// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Interrupted callers, interrupted loaders, and closed caches. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class InterruptTest {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final AtomicInteger loads = new AtomicInteger();

    private String load(String key) {
        return key + "#" + loads.incrementAndGet();
    }

    @Test
    void interruptedCallerStartsNoLoad() {
        Cache<String> cache = REDIS.cache(RedisExtension.longTimeouts());

        REDIS.server().pause();
        try {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> cache.get("key", this::load)).isInstanceOf(LoadInterruptedException.class);
            assertThat(Thread.currentThread().isInterrupted()).isTrue();
            assertThatThrownBy(() -> cache.getAll(List.of("key"), this::load))
                    .isInstanceOf(LoadInterruptedException.class);
        } finally {
            assertThat(Thread.interrupted()).isTrue();
            REDIS.server().resume();
        }

        cache.close();
        assertThat(loads).hasValue(0);
        assertThat(cache.stats().errors()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void valueOfALoaderThatInterruptsItsThreadIsCached(boolean leased) {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(RedisExtension.leased(leased ? Duration.ofSeconds(60) : Duration.ZERO));

        String value = cache.get("key", key -> {
            Thread.currentThread().interrupt();
            return load(key);
        });

        assertThat(value).isEqualTo("key#1");
        Eventually.is("the value is cached", 1L, () -> client.call(Keys.exist("texts:key")));
        Eventually.is("the lease is deleted", 0L, () -> client.call(Keys.exist("texts~lease:{texts:key}")));
        assertThat(cache.stats().errors()).isZero();
    }

    @Test
    void loadAfterCloseIsRefused() throws Exception {
        InFlightLoads<String> all = new InFlightLoads<>();
        LookupRequest<String> lookupRequest = new LookupRequest<>("key", key -> Optional.of(load(key)), true);

        all.close(0);

        InFlightLoads.JoinedLoad<String> joined = all.join(lookupRequest, all.stamp("key"));
        assertThat(joined.mustStart()).isFalse();
        assertThat(joined.load().await(0)).isEqualTo(new LoadOutcome.Closed<>());
        assertThat(joined.load().awaitGone(0)).isTrue();
        assertThat(all.addBackground(lookupRequest, new LoaderCall())).isEmpty();
    }

    @Test
    void callerThatReadRedisBeforeAPutReadsRedisAgain() {
        InFlightLoads<String> all = new InFlightLoads<>();
        long stamp = all.stamp("key");

        all.recordChange("key");

        LookupRequest<String> lookupRequest = new LookupRequest<>("key", key -> Optional.of(load(key)), true);
        assertThat(all.join(lookupRequest, stamp).readsFirst()).isTrue();
        assertThat(all.isInFlight("key")).isTrue();
    }
}
