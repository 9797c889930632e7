// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class ProcessesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    @Test
    void aProcessThatRunsHasNotEndedAndIsDescribed() throws IOException {
        Process running = new ProcessBuilder("cat").start();
        try {
            assertThat(Processes.hasEnded(running.toHandle())).isFalse();
            assertThatThrownBy(() -> Processes.awaitEnd(running.toHandle(), Duration.ofMillis(10)))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageMatching("process has not ended after 10 ms: .*cat.*; parent: .*java.*");
        } finally {
            running.destroyForcibly();
        }
    }

    @Test
    void aProcessThatIsGoneHasEnded() throws Exception {
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();

        assertThat(Processes.hasEnded(gone.toHandle())).isTrue();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aZombieHasEnded() throws IOException {
        // The program that takes the shell's place knows nothing of the child that it gets with it.
        Process careless = new ProcessBuilder("/bin/sh", "-c", "sleep 60 & echo $!; exec cat").start();
        try {
            ProcessHandle child = ProcessHandle.of(
                            Long.parseLong(careless.inputReader().readLine()))
                    .orElseThrow();
            careless.outputWriter().append("its place is taken\n").flush();
            assertThat(careless.inputReader().readLine()).isEqualTo("its place is taken");
            assertThat(Processes.hasEnded(child)).isFalse();

            child.destroyForcibly();
            Processes.awaitEnd(child, PATIENCE);

            assertThat(child.isAlive()).isTrue();
        } finally {
            careless.destroyForcibly();
        }
    }
}
