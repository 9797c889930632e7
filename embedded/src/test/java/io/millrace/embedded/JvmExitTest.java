// SPDX-License-Identifier: Apache-2.0
package io.millrace.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.testkit.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ends real JVMs in several ways and checks that no process or directory remains. */
@Timeout(value = 200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class JvmExitTest {

    @Test
    void serverEndsWhenItsJvmExits() throws Exception {
        try (Child child = Child.start(List.of())) {
            child.jvm.outputWriter().append('\n').flush();

            assertThat(child.lastLine()).isEqualTo("drained: +PONG");
            child.assertNothingLeft();
        }
    }

    @Test
    void serverEndsWhenItsJvmIsKilled() throws Exception {
        try (Child child = Child.start(List.of())) {
            child.jvm.destroyForcibly();

            child.assertNothingLeft();
        }
    }

    @Test
    void serverAnswersWhileAnInterruptedJvmRunsItsShutdownHooks() throws Exception {
        // The child JVM is the leader of a separate process group. The signal goes to the whole group, like Ctrl-C in a
        // terminal.
        try (Child child = Child.start(ServerGuard.newSession())) {
            String group = Long.toString(child.jvm.pid());
            int status = new ProcessBuilder("/bin/sh", "-c", "kill -INT \"-$0\"", group)
                    .start()
                    .waitFor();

            assertThat(status).isZero();
            assertThat(child.lastLine()).isEqualTo("drained: +PONG");
            child.assertNothingLeft();
        }
    }

    private record Child(Process jvm, ProcessHandle server, Path directory) implements AutoCloseable {

        static Child start(List<String> prefix) throws IOException {
            List<String> command = new ArrayList<>(prefix);
            command.addAll(Processes.withDefaultSignals(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-cp",
                    System.getProperty("java.class.path"),
                    ChildJvm.class.getName())));
            Process jvm = new ProcessBuilder(command).redirectErrorStream(true).start();
            String[] parts = String.valueOf(jvm.inputReader().readLine()).split(" ", 2);
            ProcessHandle server = ProcessHandle.of(Long.parseLong(parts[0])).orElseThrow();
            Path directory = Path.of(parts[1]);
            assertThat(directory).isDirectory();
            return new Child(jvm, server, directory);
        }

        String lastLine() throws IOException {
            return jvm.inputReader().readLine();
        }

        void assertNothingLeft() throws Exception {
            assertThat(jvm.waitFor(60, TimeUnit.SECONDS)).isTrue();
            Processes.awaitEnd(server, Duration.ofSeconds(60));
            long timeout = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (Files.exists(directory) && System.nanoTime() - timeout < 0) {
                LockSupport.parkNanos(5_000_000);
            }
            assertThat(directory).doesNotExist();
        }

        @Override
        public void close() {
            jvm.destroyForcibly();
        }
    }
}
