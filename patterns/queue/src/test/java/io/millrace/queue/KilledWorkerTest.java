// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.RedisClient;
import io.millrace.client.command.Command;
import io.millrace.client.command.Hashes;
import io.millrace.client.command.Lists;
import io.millrace.client.command.PopResult;
import io.millrace.client.command.Replies;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Kills one of two worker processes at a random moment, several times for each kind of queue. The other process
 * survives all runs. Several runs are in progress at the same time. Each run has a separate queue and a separate victim
 * process.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class KilledWorkerTest {

    private static final int RUNS = Integer.getInteger("millrace.queueKills", 4);
    private static final int PARALLEL_RUNS = 10;
    private static final int JOBS = 300;
    private static final Duration WAIT_TIMEOUT = Duration.ofSeconds(100);
    private static final List<String> PAYLOADS = TestJobs.payloads(JOBS);

    private static final Command<String> CLIENTS = Command.of("CLIENT LIST").as(Replies::text);

    /** Limits the number of processes that start at the same time, to leave CPU time to the running processes. */
    private final Semaphore starts = new Semaphore(2);

    @RegisterExtension
    static final RedisServerExtension REDIS = new RedisServerExtension();

    /** The output of each process. Empty unless the process failed. */
    @TempDir
    private Path outputs;

    /** The result of a run. */
    private record KillResult(int held, int twice, boolean killed) {}

    @ParameterizedTest
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    @EnumSource
    void killedWorkerLosesNoJobAndOnlyTheJobsThatItRanAreDoneTwice(QueueKind queueKind) throws Exception {
        long seed = System.nanoTime();
        System.out.println("KilledWorkerTest: kind=" + queueKind + ", seed=" + seed);
        RedisClient client = REDIS.client();
        Process survivor = startReady(client, "survivor");
        List<KillResult> runs = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(PARALLEL_RUNS)) {
            List<Future<KillResult>> started = IntStream.range(0, RUNS)
                    .mapToObj(number -> threads.submit(() -> run(queueKind, client, number, new Random(seed + number))))
                    .toList();
            for (Future<KillResult> run : started) {
                runs.add(run.get());
            }
            client.call(Lists.pushLeft("jobs:survivor", "end"));
            assertThat(survivor.waitFor(WAIT_TIMEOUT.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
        } finally {
            survivor.destroyForcibly();
        }

        System.out.println("KilledWorkerTest: kind=" + queueKind + ", " + runs);
        assertThat(outputs.resolve("survivor")).isEmptyFile();
        assertThat(survivor.exitValue()).isZero();
        assertThat(runs).allMatch(KillResult::killed);
        assertThat(runs).filteredOn(killResult -> killResult.held() > 0).hasSizeGreaterThan(RUNS < 20 ? 0 : RUNS / 2);
    }

    private KillResult run(QueueKind queueKind, RedisClient client, int number, Random random) throws Exception {
        String key = queueKind + "-" + number;
        String name = "victim-" + number;
        Process victim = startReady(client, name);
        try {
            List<String> unused = queueKind.push(client, key, PAYLOADS);
            client.call(Lists.pushLeft("jobs:" + name, queueKind + " " + key));
            int last = 1 + random.nextInt(JOBS / 4);
            awaitProgress(client, key, name, 1 + random.nextInt(last));
            client.call(Lists.pushLeft("jobs:survivor", queueKind + " " + key));
            awaitProgress(client, key, name, last);
            LockSupport.parkNanos(random.nextInt(3_000_000));
        } finally {
            victim.destroyForcibly();
        }
        assertThat(victim.waitFor(WAIT_TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return verify(queueKind, client, key, name, victim.exitValue());
    }

    private KillResult verify(QueueKind queueKind, RedisClient client, String key, String victim, int exit) {
        Eventually.holds(
                "the server has closed the victim's connection",
                () -> !client.call(CLIENTS).contains(" name=" + victim + " "));
        Map<String, String> held = queueKind.heldBy(victim, client, key);
        PopResult<String, String> ended = client.call(Lists.awaitRight(WAIT_TIMEOUT, key + ":ended"))
                .orElseThrow(() -> new AssertionError("the survivor did not end: key=" + key));
        Map<String, String> effects = client.call(Hashes.getAll(key + ":effects"));
        List<String> twice = effects.entrySet().stream()
                .filter(effect -> !effect.getValue().equals("1"))
                .map(Map.Entry::getKey)
                .toList();

        assertThat(ended.element()).isEqualTo("complete");
        assertThat(outputs.resolve(victim)).isEmptyFile();
        assertThat(effects.keySet()).containsExactlyInAnyOrderElementsOf(PAYLOADS);
        assertThat(held.values()).containsAll(twice);
        assertThat(effects.values()).containsAnyOf("1").isSubsetOf("1", "2");
        assertThat(client.call(Lists.range(key + ":repeated", 0, -1)))
                .containsExactlyInAnyOrderElementsOf(held.keySet());
        return new KillResult(held.size(), twice.size(), exit != 0);
    }

    private Process startReady(RedisClient client, String name) throws Exception {
        starts.acquire();
        Process process = start(name);
        try {
            assertThat(client.call(Lists.awaitRight(WAIT_TIMEOUT, "ready:" + name)))
                    .as(() -> output(name))
                    .isPresent();
            return process;
        } catch (Throwable e) {
            process.destroyForcibly();
            throw e;
        } finally {
            starts.release();
        }
    }

    /**
     * Waits until the worker has done this number of jobs, or all jobs are done. On a busy machine the survivor may do
     * all other jobs before the victim does a job.
     */
    private static void awaitProgress(RedisClient client, String key, String name, int jobs) {
        Eventually.holds(
                name + " has done " + jobs + " jobs",
                () -> client.call(Hashes.get(key + ":progress", name))
                                        .map(Integer::parseInt)
                                        .orElse(0)
                                >= jobs
                        || client.call(Hashes.size(key + ":effects")) == JOBS);
    }

    private String output(String name) {
        try {
            return name + " printed: " + Files.readString(outputs.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Process start(String name) throws IOException {
        return new ProcessBuilder(JavaCommand.of(
                        WorkerProcess.class, Integer.toString(REDIS.server().port()), name))
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(outputs.resolve(name).toFile()))
                .start();
    }
}
