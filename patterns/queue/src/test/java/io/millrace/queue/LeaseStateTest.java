// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** When a worker may take the jobs of other workers. */
class LeaseStateTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final AtomicLong clock = new AtomicLong();
    private final LeaseState lease = new LeaseState(Duration.ofSeconds(30), clock::get);

    private void renewAt(long seconds) {
        clock.set(seconds * SECOND);
        lease.renewed(clock.get());
    }

    @Test
    void leaseIsSteadyAfterAWholeLeaseWithoutAFailure() {
        renewAt(0);
        renewAt(10);
        renewAt(20);
        boolean before = lease.isSteady();

        renewAt(30);

        assertThat(before).isFalse();
        assertThat(lease.isSteady()).isTrue();
    }

    @Test
    void failedRenewalEndsTheSteadyTimeUntilAnotherWholeLeaseHasPassed() {
        renewAt(0);
        renewAt(10);
        renewAt(20);
        renewAt(30);

        lease.failed();
        boolean afterTheFailure = lease.isSteady();
        renewAt(33);
        renewAt(43);
        renewAt(53);
        boolean afterTwentySeconds = lease.isSteady();
        renewAt(63);

        assertThat(afterTheFailure).isFalse();
        assertThat(afterTwentySeconds).isFalse();
        assertThat(lease.isSteady()).isTrue();
    }

    @Test
    void processThatWasSuspendedIsLateAndNotSteady() {
        renewAt(0);
        renewAt(10);
        renewAt(20);
        renewAt(30);

        clock.set(55 * SECOND);
        boolean late = lease.isLate();
        boolean steadyBefore = lease.isSteady();
        renewAt(55);

        assertThat(late).isTrue();
        assertThat(steadyBefore).isFalse();
        assertThat(lease.isLate()).isFalse();
        assertThat(lease.isSteady()).isFalse();
    }
}
