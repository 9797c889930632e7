// SPDX-License-Identifier: Apache-2.0
package io.millrace.client.resilience;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ResilienceOptionsTest {

    private static final Duration ZERO = Duration.ZERO;

    @Test
    void defaultsAreTheDefaultsOfTheSettings() {
        assertThat(RetryOptions.DEFAULT)
                .isEqualTo(new RetryOptions(3, Duration.ofMillis(50), Duration.ofSeconds(1), Duration.ofSeconds(10)));
        assertThat(CircuitOptions.DEFAULT).isEqualTo(new CircuitOptions(100, 50, Duration.ofSeconds(5), 3));
    }

    @Test
    void copiesChangeOnlyTheirSettings() {
        Duration one = Duration.ofSeconds(1);
        Duration two = Duration.ofSeconds(2);

        assertThat(RetryOptions.DEFAULT.withAttempts(7).withDelays(one, two).withTimeLimit(two))
                .isEqualTo(new RetryOptions(7, one, two, two));
        assertThat(CircuitOptions.DEFAULT.withWindow(7, 8).withRecovery(one, 9))
                .isEqualTo(new CircuitOptions(7, 8, one, 9));
    }

    @Test
    void valuesOutOfRangeAreRejected() {
        assertThatThrownBy(() -> RetryOptions.DEFAULT.withAttempts(0)).hasMessageStartingWith("attempts=0 is out of");
        assertThatThrownBy(() -> RetryOptions.DEFAULT.withDelays(ZERO, Duration.ofSeconds(1)))
                .hasMessageStartingWith("delay=zero is out of range");
        assertThatThrownBy(() -> RetryOptions.DEFAULT.withDelays(Duration.ofSeconds(1), ZERO))
                .hasMessageStartingWith("maxDelay=zero is out of range");
        assertThatThrownBy(() -> RetryOptions.DEFAULT.withDelays(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .hasMessage("maxDelay=PT1S must not be less than delay=PT2S");
        assertThatThrownBy(() -> RetryOptions.DEFAULT.withTimeLimit(ZERO))
                .hasMessageStartingWith("timeLimit=zero is out of range");
        assertThatThrownBy(() -> CircuitOptions.DEFAULT.withWindow(0, 1)).hasMessageStartingWith("window=0 is out of");
        assertThatThrownBy(() -> CircuitOptions.DEFAULT.withWindow(1, 101))
                .hasMessageStartingWith("failurePercent=101 is out of range");
        assertThatThrownBy(() -> CircuitOptions.DEFAULT.withRecovery(ZERO, 1))
                .hasMessageStartingWith("openFor=zero is out of range");
        assertThatThrownBy(() -> CircuitOptions.DEFAULT.withRecovery(Duration.ofSeconds(1), 0))
                .hasMessageStartingWith("probes=0 is out of range");
    }
}
