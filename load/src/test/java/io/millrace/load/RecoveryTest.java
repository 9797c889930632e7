// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Outcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class RecoveryTest {

    private static final Outcome.Lost LOST = new Outcome.Lost(true, "the peer has closed it");

    private final CancelSignal stop = new CancelSignal();
    private final AtomicLong quietNanos = new AtomicLong();
    private final Recovery recovery = new Recovery(
            false,
            stop,
            Duration.ofMinutes(30),
            Optional.empty(),
            warning -> {},
            () -> System.nanoTime() + quietNanos.get());

    @Test
    void quietTimeWithAConnectionIsNoWait() {
        assertThat(recovery.await(recovery.lost(LOST))).isTrue();
        recovery.connected(Optional.empty());

        quietNanos.addAndGet(Duration.ofHours(1).toNanos());

        assertThat(recovery.await(recovery.lost(LOST))).isTrue();
        recovery.attemptFailed("refused");
        assertThat(recovery.await(recovery.lost(LOST))).isTrue();
    }

    @Test
    void timeWithoutAConnectionIsAWait() {
        assertThat(recovery.await(recovery.lost(LOST))).isTrue();
        recovery.attemptFailed("refused");

        quietNanos.addAndGet(Duration.ofHours(1).toNanos());

        assertThat(recovery.await(recovery.lost(LOST))).as("the last attempt").isTrue();
        assertThat(recovery.await(recovery.lost(LOST))).isFalse();
        recovery.giveUp(recovery.lost(LOST));
        assertThat(stop.ending().reason().orElseThrow()).contains("has waited 1 h");
    }
}
