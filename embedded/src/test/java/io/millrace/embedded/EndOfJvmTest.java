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

/** Ends real JVMs in every manner and looks for what they left. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class EndOfJvmTest {

    @Test
    void theServerEndsWithAJvmThatExits() throws Exception {
        try (Child child = Child.start(List.of())) {
            child.jvm.outputWriter().append('\n').flush();

            assertThat(child.lastLine()).isEqualTo("drained: +PONG");
            child.assertNothingLeft();
        }
    }

    @Test
    void theServerEndsWithAJvmThatIsKilled() throws Exception {
        try (Child child = Child.start(List.of())) {
            child.jvm.destroyForcibly();

            child.assertNothingLeft();
        }
    }

    @Test
    void theServerAnswersWhileAnInterruptedJvmDrains() throws Exception {
        // The child leads a process group of its own, and the whole group is interrupted, as a terminal does it.
        try (Child child = Child.start(Guard.newSession())) {
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
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), ChildJvm.class.getName()));
            Process jvm = new ProcessBuilder(command).redirectErrorStream(true).start();
            String[] words = String.valueOf(jvm.inputReader().readLine()).split(" ", 2);
            ProcessHandle server = ProcessHandle.of(Long.parseLong(words[0])).orElseThrow();
            Path directory = Path.of(words[1]);
            assertThat(directory).isDirectory();
            return new Child(jvm, server, directory);
        }

        String lastLine() throws IOException {
            return jvm.inputReader().readLine();
        }

        void assertNothingLeft() throws Exception {
            assertThat(jvm.waitFor(20, TimeUnit.SECONDS)).isTrue();
            Processes.awaitEnd(server, Duration.ofSeconds(10));
            long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
            while (Files.exists(directory) && System.nanoTime() < giveUp) {
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
