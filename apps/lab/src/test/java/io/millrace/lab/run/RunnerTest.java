// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.lab.TestServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunnerTest {

    @TempDir
    private Path folder;

    private final List<String> progress = new ArrayList<>();

    /** Sets as many keys as its script says, by a client that bash is: redis-cli may not be there. */
    private record Scripted(String name, String script) implements ProcessContender {

        @Override
        public String note() {
            return "";
        }

        @Override
        public Invocation invocation(Task task) {
            var client = "cli() { exec 3<>/dev/tcp/" + task.host() + "/" + task.port()
                    + "; echo \"$*\" >&3; head -n 1 <&3; }; ";
            return Invocation.of(List.of("bash", "-c", client + script));
        }

        @Override
        public Account account(Task task, Ended ended) {
            if (ended.exit() != 0) {
                throw new LabException(
                        "ended with " + ended.exit() + ": " + ended.errors().strip());
            }
            return new Account(Optional.empty(), Map.of("own", 42.0));
        }
    }

    private record Keys(List<Contender> contenders, int warmUps) implements Workload {

        @Override
        public String name() {
            return "keys";
        }

        @Override
        public long operations(Size size) {
            return size.operations();
        }

        @Override
        public int rounds(int asked) {
            return warmUps == 0 ? 1 : asked;
        }

        @Override
        public List<Bar> bars() {
            return List.of();
        }

        @Override
        public Inputs prepare(Path folder, long operations) {
            return Inputs.of(Map.of());
        }

        @Override
        public Check check() {
            return new Check() {
                @Override
                public List<String> complaints(RedisServer server, long operations) {
                    long keys = server.control().dbSize();
                    return keys == operations ? List.of() : List.of("keys: " + keys);
                }

                @Override
                public Outcomes outcomes(RedisServer server, long operations) {
                    return Outcomes.answered(server.statistics("mset").calls(), 0);
                }
            };
        }
    }

    private static final String TEN_KEYS = "cli mset a 1 b 1 c 1 d 1 e 1 f 1 g 1 h 1 i 1 j 1";

    private List<Run> run(Contender... contenders) {
        try (var server = TestServer.start(folder)) {
            return new Runner(folder, 2, progress::add).run(new Keys(List.of(contenders), 1), new Size(10, 10), server);
        }
    }

    @Test
    void eachTurnFindsTheServerEmptyAndIsMeasured() {
        var run = run(new Scripted("good", TEN_KEYS)).getFirst();

        assertThat(run.verified()).isTrue();
        assertThat(run.samples()).extracting(Sample::round).containsExactly(0, 1, 2);
        assertThat(run.samples()).allSatisfy(sample -> {
            assertThat(sample.measured().wallSeconds()).isPositive();
            assertThat(sample.serverCpuSeconds())
                    .satisfies(cpu -> assertThat(cpu.orElse(0)).isPositive());
            assertThat(sample.outcomes()).isEqualTo(Outcomes.answered(1, 0));
            assertThat(sample.measured().figures()).containsEntry("own", 42.0);
        });
    }

    @Test
    void aWorkloadMayDoWithoutWarmUpAndWithFewerRounds() {
        List<Run> runs;
        try (var server = TestServer.start(folder)) {
            runs = new Runner(folder, 2, progress::add)
                    .run(new Keys(List.of(new Scripted("good", TEN_KEYS)), 0), new Size(10, 10), server);
        }

        assertThat(runs.getFirst().samples()).extracting(Sample::round).containsExactly(1);
        assertThat(progress.getLast()).startsWith("keys, round 1 of 1, good/process: ");
    }

    @Test
    void aContenderThatLeavesWrongDataIsFoundOut() {
        var runs = run(new Scripted("short", "cli set a 1"), new Scripted("good", TEN_KEYS));

        assertThat(runs).extracting(Run::verified).containsExactly(false, true);
        assertThat(runs.getFirst().samples())
                .hasSize(3)
                .allSatisfy(sample -> assertThat(sample.complaints()).containsExactly("keys: 1"));
        assertThat(progress).anySatisfy(line -> assertThat(line).contains("WRONG DATA: keys: 1"));
    }

    @Test
    void aContenderThatFailsIsOutAndTheOthersGoOn() {
        var runs = run(new Scripted("broken", "echo no luck >&2; exit 3"), new Scripted("good", TEN_KEYS));

        assertThat(runs.getFirst().samples()).isEmpty();
        assertThat(runs.getFirst().failure()).contains("ended with 3: no luck");
        assertThat(runs.getFirst().verified()).isFalse();
        assertThat(runs.getLast().verified()).isTrue();
        assertThat(progress).filteredOn(line -> line.contains("broken")).hasSize(1);
    }

    @Test
    void noProcessIsLeftBehind() {
        // Tests of this module share a browser and idle JVMs.
        var before = ProcessHandle.current().descendants().toList();

        run(new Scripted("good", TEN_KEYS));

        assertThat(ProcessHandle.current()
                        .descendants()
                        .filter(process -> !before.contains(process))
                        .filter(ProcessHandle::isAlive))
                .isEmpty();
    }
}
