// SPDX-License-Identifier: Apache-2.0
package io.millrace.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests the lines about failed puts, with a clock of the test. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class FailedPutsTest {

    private final AtomicLong nanos = new AtomicLong();
    private final List<String> lines = new ArrayList<>();
    private final FailedPuts puts = new FailedPuts(nanos::get, lines::add);

    private void fail(int times) {
        for (int i = 0; i < times; i++) {
            puts.failed("prices", new IllegalStateException("no reply"));
        }
    }

    @Test
    void failuresAreLoggedAtOnceAndThenTogetherOnceAMinute() {
        fail(1_000);
        assertThat(lines)
                .containsExactly("values could not be put into a cache: cache=prices, puts=1, last failure: no reply");

        nanos.addAndGet(Duration.ofSeconds(59).toNanos());
        fail(1);
        assertThat(lines).hasSize(1);

        nanos.addAndGet(Duration.ofSeconds(1).toNanos());
        fail(1);
        assertThat(lines).hasSize(2);
        assertThat(lines.getLast()).contains("puts=1001,");
        assertThat(puts.total()).isEqualTo(1_002);
    }

    @Test
    void failuresOfAnOutageThatEndsWithinTheMinuteAreLoggedAtTheEnd() {
        fail(1_000);

        try (RedisClient client = TestCaches.client()) {
            new MillraceCacheManager(TestCaches.environment(Map.of(), client), puts).destroy();
        }

        assertThat(lines).hasSize(2);
        assertThat(lines.getLast()).contains("cache=prices, puts=999,");
        puts.logRest();
        assertThat(lines).hasSize(2);
    }

    @Test
    void withoutFailuresNothingIsLogged() {
        puts.logRest();

        assertThat(lines).isEmpty();
    }
}
