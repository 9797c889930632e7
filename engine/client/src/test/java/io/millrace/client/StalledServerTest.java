// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs {@link StalledServerRun} in a separate JVM. That program contains the checks. */
class StalledServerTest {

    private static final int HEAP_MEGABYTES = 256;
    private static final long STALL_MILLIS = Long.getLong("millrace.stallMillis", 1_000);

    /** A command timeout in milliseconds that is longer than the pause. No command times out during the pause. */
    private static final long LONG_TIMEOUT = STALL_MILLIS + 120_000;

    private static final long SHORT_TIMEOUT = 300;

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void clientStaysWithinItsLimitsWhileTheServerIsPausedAndWorksAgainAfterwards() throws Exception {
        assertThat(run(LONG_TIMEOUT, false).exit()).isZero();
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void callersSucceedAgainAfterTheirCommandsTimedOutDuringThePause() throws Exception {
        assertThat(run(SHORT_TIMEOUT, false).exit()).isZero();
    }

    @Test
    @Tag("soak")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void halfOfTheEarlierRateIsReachedWithinTwoSecondsAfterThePause() throws Exception {
        assertThat(run(LONG_TIMEOUT, true).exit()).isZero();
    }

    @Test
    @Tag("soak")
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void halfOfTheEarlierRateIsReachedWithinTwoSecondsEvenIfCommandsTimedOut() throws Exception {
        assertThat(run(SHORT_TIMEOUT, true).exit()).isZero();
    }

    private static ChildJvm.ProcessExit run(long timeoutMillis, boolean measured) throws Exception {
        return ChildJvm.run(
                StalledServerRun.class,
                HEAP_MEGABYTES,
                Duration.ofMillis(STALL_MILLIS + 300_000),
                Long.toString(STALL_MILLIS),
                Long.toString(timeoutMillis),
                Boolean.toString(measured));
    }
}
