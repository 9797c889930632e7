// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** See {@link StallRun} for what is looked at. */
class StalledServerTest {

    private static final int HEAP_MEGABYTES = 256;
    private static final long STALL_MILLIS = Long.getLong("millrace.stallMillis", 2_000);

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void aServerThatStoodStillFindsEverythingWithinItsLimitAndFullSpeedAtOnce() throws Exception {
        assertThat(run(STALL_MILLIS + 60_000).exit()).isZero();
    }

    @Test
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void callersWhoDoNotWaitForAServerThatStandsStillAreBackAtFullSpeedWithinTwoSeconds() throws Exception {
        assertThat(run(300).exit()).isZero();
    }

    private static ChildJvm.Ending run(long timeoutMillis) throws Exception {
        return ChildJvm.run(
                StallRun.class,
                HEAP_MEGABYTES,
                Duration.ofMillis(STALL_MILLIS + 60_000),
                Long.toString(STALL_MILLIS),
                Long.toString(timeoutMillis));
    }
}
