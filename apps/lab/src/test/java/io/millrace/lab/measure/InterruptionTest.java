// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.TestServer;
import io.millrace.lab.client.Target;
import io.millrace.lab.experiment.Parameters;
import io.millrace.lab.server.Keyspace;
import io.millrace.lab.server.RedisServer;
import io.millrace.testkit.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.Jedis;

/** A lab that the user ends during a round leaves nothing behind, and a killed lab leaves no process. */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InterruptionTest {

    @TempDir
    private Path folder;

    /** A lab in its own process. Arguments: host, port, contender. */
    static final class Lab {

        private Lab() {}

        public static void main(String[] args) {
            var server = RedisServer.at(
                    Target.of(args[0], Integer.parseInt(args[1])), Keyspace.PREFIX_BESIDE_OTHERS, () -> {});
            var options = Session.Options.of(Parameters.DEFAULT, TestWorker.class)
                    .withChosen(contender -> contender.label().equals(args[2]));
            try (var interruption = Interruption.ofThisThread();
                    var session = Session.open(server, options, ProgressLine.onStandardError())) {
                session.run(TestExperiment.of("test", Parameters.DEFAULT));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"INT, 130, endless", "TERM, 143, endless", "TERM, 143, script-endless", "KILL, 137, endless"})
    void endedLabLeavesNoWorkers(String signal, int exitCode, String contender) throws Exception {
        try (var redis = EmbeddedRedis.start();
                Jedis control = TestServer.connect(redis)) {
            control.set("foreign", "x");
            Process lab = startLab(redis, contender);
            while (control.dbSize() < 1_000) {
                assertThat(lab.isAlive()).as(said()).isTrue();
                LockSupport.parkNanos(1_000_000);
            }
            List<ProcessHandle> workers = lab.descendants().toList();

            new ProcessBuilder("kill", "-" + signal, Long.toString(lab.pid()))
                    .start()
                    .waitFor();

            assertThat(lab.waitFor(100, TimeUnit.SECONDS)).as(said()).isTrue();
            assertThat(lab.exitValue()).as(said()).isEqualTo(exitCode);
            for (ProcessHandle worker : workers) {
                worker.onExit().get(60, TimeUnit.SECONDS);
            }
            assertThat(workers).isNotEmpty().noneMatch(ProcessHandle::isAlive);
            if (!signal.equals("KILL")) { // A killed lab cannot clean up.
                assertThat(said())
                        .contains("the lab was interrupted; its processes have ended, its keys have been removed");
                assertThat(control.keys("*")).containsExactly("foreign");
                assertThat(control.clientList().lines()).hasSize(1);
                assertThat(filesLeft()).isEmpty();
            }
        }
    }

    private List<Path> filesLeft() throws IOException {
        try (Stream<Path> left = Files.list(folder.resolve("temporary"))) {
            return left.filter(path -> path.getFileName().toString().startsWith("millrace"))
                    .toList();
        }
    }

    private Process startLab(EmbeddedRedis redis, String contender) throws Exception {
        Files.createDirectories(folder.resolve("temporary"));
        List<String> options = new ArrayList<>();
        options.add("-D" + Programs.JVM_OPTIONS + "=" + String.join(" ", Programs.moreOptions()));
        options.add("-Djava.io.tmpdir=" + folder.resolve("temporary"));
        List<String> command = new ArrayList<>(Programs.jvm(Lab.class, options, List.of()));
        command.addAll(List.of(redis.host(), Integer.toString(redis.port()), contender));
        return new ProcessBuilder(Processes.withDefaultSignals(command))
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile())
                .start();
    }

    private String said() throws IOException {
        return Files.readString(folder.resolve("err"));
    }
}
