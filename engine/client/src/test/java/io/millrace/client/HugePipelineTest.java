// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ChildJvm.ProcessExit;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class HugePipelineTest {

    private static final long COMMANDS = Long.getLong("millrace.pipelined", 500_000);

    /** Heap of the program. If the pipeline kept its results, the results would need ten times as much memory. */
    private static final int HEAP_MEGABYTES = 32;

    @Test
    @Timeout(value = 15, unit = TimeUnit.MINUTES)
    void pipelineOfManyCommandsUsesBoundedMemoryAndReportsEveryError() throws Exception {
        ProcessExit processExit =
                ChildJvm.run(HugePipelineRun.class, HEAP_MEGABYTES, Duration.ofMinutes(14), Long.toString(COMMANDS));

        assertThat(processExit.output()).contains(COMMANDS + " commands in ");
        assertThat(processExit.exit()).isZero();
    }
}
