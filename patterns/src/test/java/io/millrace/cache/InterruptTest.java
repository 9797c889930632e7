// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Keys;
import io.millrace.client.RedisClient;
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

/** Interrupts of callers and of loaders, and a cache that is closed meanwhile. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class InterruptTest {

    @RegisterExtension
    static final Redis REDIS = new Redis();

    private final AtomicInteger loads = new AtomicInteger();

    private String load(String key) {
        return key + "#" + loads.incrementAndGet();
    }

    @Test
    void anInterruptedCallerLoadsNothing() {
        Cache<String> cache = REDIS.cache(Redis.patient());

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
        assertThat(cache.counts().errors()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatALoaderThatInterruptsItsThreadGivesIsKept(boolean leased) {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(Redis.patient().lease(leased ? Duration.ofSeconds(60) : Duration.ZERO));

        String value = cache.get("key", key -> {
            Thread.currentThread().interrupt();
            return load(key);
        });

        assertThat(value).isEqualTo("key#1");
        Eventually.is("it is kept", 1L, () -> client.call(Keys.exist("texts:key")));
        Eventually.is("the lease is gone", 0L, () -> client.call(Keys.exist("texts~lease:{texts:key}")));
        assertThat(cache.counts().errors()).isZero();
    }

    @Test
    void aLoadThatIsAskedForAfterTheEndIsRefused() throws Exception {
        Loads<String> all = new Loads<>();
        Request<String> request = new Request<>("key", key -> Optional.of(load(key)), true);

        all.close(0);

        Loads.Joined<String> joined = all.join(request, all.stamp("key"));
        assertThat(joined.mine()).isFalse();
        assertThat(joined.load().await(0)).isEqualTo(new LoadOutcome.Closed<>());
        assertThat(joined.load().awaitGone(0)).isTrue();
        assertThat(all.launch(request)).isEmpty();
    }

    @Test
    void whoLookedBeforeAPutLooksAgain() {
        Loads<String> all = new Loads<>();
        long stamp = all.stamp("key");

        all.changed("key");

        Request<String> request = new Request<>("key", key -> Optional.of(load(key)), true);
        assertThat(all.join(request, stamp).looksFirst()).isTrue();
        assertThat(all.isUnderWay("key")).isTrue();
    }
}
