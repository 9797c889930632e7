// SPDX-License-Identifier: Apache-2.0
package io.millrace.load.target;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ExpiryTest {

    private static final Expiry HOUR = Expiry.of(Optional.of(Duration.ofHours(1)));

    @Test
    void remainingTimeMustMatchTheAgeOfTheKey() {
        Duration minute = Duration.ofMinutes(1);

        assertThat(HOUR.allows(3_600_000, minute)).isTrue();
        assertThat(HOUR.allows(3_540_000, minute)).isTrue();
        assertThat(HOUR.allows(3_538_000, minute)).isFalse();
        assertThat(HOUR.allows(3_600_001, minute)).isFalse();
        assertThat(HOUR.allows(-1, minute)).isFalse();
        assertThat(HOUR.allows(0, Duration.ofHours(2))).isTrue();
        assertThat(Expiry.of(Optional.empty()).allows(-1, minute)).isTrue();
        assertThat(Expiry.of(Optional.empty()).allows(5, minute)).isFalse();
    }

    @Test
    void keyMayBeMissingOnlyAfterItsExpiry() {
        assertThat(HOUR.mayHavePassed(Duration.ofMinutes(59))).isFalse();
        assertThat(HOUR.mayHavePassed(Duration.ofMinutes(60))).isTrue();
        assertThat(Expiry.of(Optional.empty()).mayHavePassed(Duration.ofDays(9)))
                .isFalse();
    }
}
