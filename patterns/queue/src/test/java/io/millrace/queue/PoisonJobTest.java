// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Hashes;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One job that ends each process that begins it, among 300 innocent jobs. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class PoisonJobTest {

    private static final int INNOCENT = 300;
    private static final int MAX_PROCESSES = 20;

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    @TempDir
    private Path outputs;

    @ParameterizedTest
    @CsvSource({"JOBS, halt", "STREAM, halt", "JOBS, exit", "STREAM, exit"})
    @Timeout(value = 10, unit = TimeUnit.MINUTES)
    void onlyThePoisonJobIsDeadAfterThreeDeaths(QueueKind queueKind, String poison) throws Exception {
        RedisClient client = REDIS.client();
        List<String> jobs = new ArrayList<>(TestJobs.payloads(INNOCENT));
        jobs.add(100, poison);
        queueKind.push(client, "feeds", jobs);

        List<Integer> exits = new ArrayList<>();
        while (exits.isEmpty() || (exits.getLast() == PoisonProcess.POISONED && exits.size() < MAX_PROCESSES)) {
            exits.add(run(queueKind, exits.size()));
        }

        assertThat(exits).containsExactly(PoisonProcess.POISONED, PoisonProcess.POISONED, PoisonProcess.POISONED, 0);
        assertThat(queueKind.dead(client, "feeds")).containsExactly(poison);
        assertThat(client.call(Hashes.getAll("effects")).keySet())
                .containsExactlyInAnyOrderElementsOf(TestJobs.payloads(INNOCENT));
    }

    private int run(QueueKind queueKind, int number) throws Exception {
        Path output = outputs.resolve("process-" + number);
        Process process = new ProcessBuilder(JavaCommand.of(
                        PoisonProcess.class, Integer.toString(REDIS.server().port()), queueKind.name()))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(100, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(output).content().isEmpty();
        return process.exitValue();
    }
}
