// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.run.Tools;
import io.millrace.testkit.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

/** The lab as a process that is told to end in the middle of something: nothing of it is left. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class InterruptionTest {

    private static final Duration PATIENCE = Duration.ofMinutes(5);
    private static final long LONGEST_END_SECONDS = 100;

    @TempDir
    private Path folder;

    private final EmbeddedRedis server = EmbeddedRedis.start();
    private final Jedis control = TestServer.connect(server);
    private final List<ProcessHandle> started = new ArrayList<>();

    @AfterEach
    void stop() {
        started.forEach(ProcessHandle::destroyForcibly);
        control.close();
        server.close();
    }

    private Process lab(String... args) throws IOException {
        Files.createDirectories(folder.resolve("temporary"));
        var command = new ArrayList<>(List.of(Tools.java()));
        command.addAll(Tools.moreOptions());
        command.addAll(List.of(
                "-D" + Tools.JVM_OPTIONS + "=" + String.join(" ", Tools.moreOptions()),
                "-Djava.io.tmpdir=" + folder.resolve("temporary"),
                "-cp",
                Tools.classPathText(),
                Lab.class.getName()));
        command.addAll(List.of(args));
        command.addAll(List.of("-h", server.host(), "-p", Integer.toString(server.port())));
        var lab = new ProcessBuilder(Processes.withDefaultSignals(command))
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile())
                .start();
        started.add(lab.toHandle());
        return lab;
    }

    private String said() {
        try {
            return Files.readString(folder.resolve("err"));
        } catch (IOException e) {
            return "";
        }
    }

    private void await(Process lab, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(lab.isAlive()).as(said()).isTrue();
            assertThat(System.nanoTime() - start).as(said()).isLessThan(PATIENCE.toNanos());
            LockSupport.parkNanos(1_000_000);
        }
    }

    private void end(Process lab, String signal, int expected) throws Exception {
        signal(lab, signal);
        awaitEnd(lab, expected);
    }

    private void signal(Process lab, String signal) throws Exception {
        started.addAll(lab.descendants().toList());
        var kill = new ProcessBuilder("kill", "-" + signal, Long.toString(lab.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }

    private void awaitEnd(Process lab, int expected) throws Exception {
        assertThat(lab.waitFor(LONGEST_END_SECONDS, TimeUnit.SECONDS))
                .as("ended: " + said())
                .isTrue();
        assertThat(lab.exitValue()).as(said()).isEqualTo(expected);
    }

    private void nothingIsLeft() throws IOException {
        assertThat(started).allMatch(Processes::hasEnded);
        assertThat(control.dbSize()).isZero();
        try (var files = Files.list(folder.resolve("temporary"))) {
            assertThat(files.filter(file -> file.getFileName().toString().startsWith("millrace-lab")))
                    .isEmpty();
        }
        // What is still on its way from one that was killed would come now.
        assertThat(control.clientList().lines().count()).isEqualTo(1);
        assertThat(control.dbSize()).isZero();
        assertThat(Files.readString(folder.resolve("out"))).isEmpty();
        assertThat(said()).doesNotContain("Exception", "\tat ", "cannot delete", "took too long");
    }

    @Test
    void anInterruptedFloodLeavesNothing() throws Exception {
        var lab = lab("run", "e2", "e1", "--size", "2000", "--contenders", "lettuce");
        await(lab, () -> said().contains("lettuce/sync: ") && increments() > 22);

        end(lab, "INT", 130);

        nothingIsLeft();
    }

    @Test
    void anInterruptedPoolLeavesNothing() throws Exception {
        var lab = lab("run", "e1", "--size", "20000", "--contenders", "jedis,millrace");
        await(
                lab,
                () -> said().contains("millrace/one-by-one: ")
                        && control.clientList().lines().count() > 8
                        && control.dbSize() > 1_000);

        end(lab, "INT", 130);

        nothingIsLeft();
    }

    @Test
    void aTerminatedBulkLoadThroughAProxyLeavesNothing() throws Exception {
        var lab = lab("tune", "--size", "4000", "--rtt", "5ms");
        await(lab, () -> control.dbSize() > 5_000);

        end(lab, "TERM", 143);

        nothingIsLeft();
    }

    /** Where a client dies, the server goes on with what it has received: that may be megabytes. */
    @Test
    void whatTheServerStillHasToReadFromAKilledClientIsTakenAwayToo() throws Exception {
        var lab = lab("run", "broken", "--size", "200000", "--rounds", "5", "--contenders", "torrential");
        await(lab, () -> control.dbSize() > 5_000);
        server.pause();
        var contenders = lab.descendants().toList();
        LockSupport.parkNanos(500_000_000); // in which it sends as much as fits between the two

        signal(lab, "INT");
        for (var contender : contenders) {
            Processes.awaitEnd(contender, Duration.ofSeconds(LONGEST_END_SECONDS));
        }
        server.resume();
        awaitEnd(lab, 130);

        nothingIsLeft();
    }

    @Test
    void oneThatIsToldBeforeItHasBegunLeavesNothing() throws Exception {
        var lab = lab("run", "e1", "--rtt", "1ms", "--contenders", "jedis");
        await(lab, () -> control.clientList().lines().count() > 1 && someFolder());

        end(lab, "INT", 130);

        nothingIsLeft();
    }

    /** Of one of the thousand counters; twenty are made to warm up, before the turn. */
    private long increments() {
        var count = control.get("millrace-lab:counter:0");
        return count == null ? 0 : Long.parseLong(count);
    }

    private boolean someFolder() {
        try (Stream<Path> files = Files.list(folder.resolve("temporary"))) {
            return files.findAny().isPresent();
        } catch (IOException e) {
            return false;
        }
    }
}
