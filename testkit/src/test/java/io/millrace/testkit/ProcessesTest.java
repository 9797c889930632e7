// SPDX-License-Identifier: Apache-2.0
package io.millrace.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class ProcessesTest {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @Test
    void runningProcessCountsAsNotEndedAndATimeoutReportsItsState() throws IOException {
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
    void exitedProcessCountsAsEnded() throws Exception {
        Process gone = new ProcessBuilder("true").start();
        gone.waitFor();

        assertThat(Processes.hasEnded(gone.toHandle())).isTrue();
    }

    @Test
    void commandWithDefaultSignalsIsEndedByASignalThatItsParentIgnores() throws Exception {
        List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", "trap '' HUP INT; exec \"$@\"", "sh"));
        command.addAll(Processes.withDefaultSignals(List.of("cat")));
        Process cat = new ProcessBuilder(command).start();
        try {
            cat.outputWriter().append("started\n").flush();
            assertThat(cat.inputReader().readLine()).isEqualTo("started");

            new ProcessBuilder("kill", "-INT", Long.toString(cat.pid())).start().waitFor();

            assertThat(cat.waitFor()).isEqualTo(130);
        } finally {
            cat.destroyForcibly();
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void zombieProcessCountsAsEnded() throws IOException {
        // The shell starts a child and then replaces itself by {@code cat}. So {@code cat} is the parent of the child,
        // and it never reads the exit status of the child.
        Process parent = new ProcessBuilder("/bin/sh", "-c", "sleep 60 & echo $!; exec cat").start();
        try {
            ProcessHandle child = ProcessHandle.of(
                            Long.parseLong(parent.inputReader().readLine()))
                    .orElseThrow();
            parent.outputWriter().append("the shell is replaced\n").flush();
            assertThat(parent.inputReader().readLine()).isEqualTo("the shell is replaced");
            assertThat(Processes.hasEnded(child)).isFalse();

            child.destroyForcibly();
            Processes.awaitEnd(child, TIMEOUT);

            assertThat(child.isAlive()).isTrue();
        } finally {
            parent.destroyForcibly();
        }
    }
}
