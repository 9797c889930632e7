// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LeaseKeeperTest {

    @ParameterizedTest
    @ValueSource(longs = {1_000, 3_000, 30_000, 600_000, 3_600_000})
    void afterTwoRenewalsThatHangAThirdBeginsInTheLease(long leaseMillis) {
        Duration lease = Duration.ofMillis(leaseMillis);
        long limit = RenewalCalls.limit(lease).toNanos();
        long retry = LeaseKeeper.nanosToNext(lease, false);

        long firstEnds = LeaseKeeper.nanosToNext(lease, true) + limit;
        long secondEnds = firstEnds + retry + limit;
        long thirdBegins = secondEnds + retry;

        assertThat(thirdBegins).isLessThan(lease.toNanos() * 9 / 10);
    }
}
