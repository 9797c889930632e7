// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.load.LoadReport.Bottleneck;
import io.millrace.load.LoadReport.Times;
import org.junit.jupiter.api.Test;

class StallWatchTest {

    private static final long SECOND = 1_000_000_000;

    @Test
    void onlyTimeWithCommandsInFlightAndWithoutRepliesIsAStall() {
        StallWatch stalls = new StallWatch();

        stalls.observe(0, 0, 0);
        stalls.observe(0, 10, SECOND);
        stalls.observe(0, 10, 3 * SECOND);
        stalls.observe(5, 10, 7 * SECOND);
        stalls.observe(5, 0, 8 * SECOND);
        stalls.observe(5, 0, 9 * SECOND);

        assertThat(stalls.seconds()).isEqualTo(2);
    }

    @Test
    void stalledServerIsTheBottleneckAlthoughItUsesNoCpuTime() {
        Times waiting = new Times(1, 1, 10, 0);

        assertThat(RowTransfer.bottleneck(waiting, 8, 0.1)).isEqualTo(Bottleneck.SERVER);
        assertThat(RowTransfer.bottleneck(waiting, 0, 0.1)).isEqualTo(Bottleneck.NETWORK);
        assertThat(RowTransfer.bottleneck(waiting, 0, 0.9)).isEqualTo(Bottleneck.SERVER);
        assertThat(RowTransfer.bottleneck(new Times(10, 1, 1, 0), 1, 0.1)).isEqualTo(Bottleneck.SOURCE);
    }
}
