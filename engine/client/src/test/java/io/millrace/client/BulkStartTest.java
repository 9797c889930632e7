// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class BulkStartTest {

    @Test
    void bulkWriterThatFindsTooLittleMemoryLeavesNoConnection() throws Exception {
        ChildJvm.ProcessExit exit = ChildJvm.runWithoutExit(BulkStartRun.class, 32, Duration.ofMinutes(2));

        assertThat(exit.exit()).as(exit.output()).isZero();
    }
}
