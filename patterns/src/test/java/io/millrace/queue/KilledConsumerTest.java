// SPDX-License-Identifier: Apache-2.0
package io.millrace.queue;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Command;
import io.millrace.client.Hashes;
import io.millrace.client.Lists;
import io.millrace.client.Popped;
import io.millrace.client.RedisClient;
import io.millrace.client.Replies;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Kills one of two consumer processes at a random moment, twenty times for each kind of queue. The other lives through all runs,
 * several of which are under way at a time; each run has a queue and a victim of its own.
 */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class KilledConsumerTest {

    private static final int RUNS = 20;
    private static final int AT_A_TIME = 10;
    private static final int TASKS = 300;
    private static final Duration PATIENCE = Duration.ofSeconds(40);
    private static final List<String> TASK_NAMES = Work.tasks(TASKS);

    private static final Command<String> CLIENTS = Command.of("CLIENT LIST").as(Replies::text);

    /** So that starting processes leaves something for those that run. */
    private final Semaphore starts = new Semaphore(2);

    @RegisterExtension
    static final Redis REDIS = new Redis();

    /** What each process has printed, which is nothing unless it broke. */
    @TempDir
    private Path words;

    /** What a run has shown. */
    private record Run(int inHand, int twice, boolean killed) {}

    @ParameterizedTest
    @EnumSource
    void whenAConsumerIsKilledNothingIsLostAndOnlyWhatItHadIsDoneTwice(Kind kind) throws Exception {
        long seed = System.nanoTime();
        System.out.println("KilledConsumerTest: kind=" + kind + ", seed=" + seed);
        RedisClient client = REDIS.client();
        Process survivor = startReady(client, "survivor");
        List<Run> runs = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(AT_A_TIME)) {
            List<Future<Run>> started = IntStream.range(0, RUNS)
                    .mapToObj(number -> threads.submit(() -> run(kind, client, number, new Random(seed + number))))
                    .toList();
            for (Future<Run> run : started) {
                runs.add(run.get());
            }
            client.call(Lists.pushLeft("jobs:survivor", "end"));
            assertThat(survivor.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } finally {
            survivor.destroyForcibly();
        }

        System.out.println("KilledConsumerTest: kind=" + kind + ", " + runs);
        assertThat(words.resolve("survivor")).isEmptyFile();
        assertThat(survivor.exitValue()).isZero();
        assertThat(runs).allMatch(Run::killed);
        assertThat(runs).filteredOn(run -> run.inHand() > 0).hasSizeGreaterThan(RUNS / 2);
    }

    private Run run(Kind kind, RedisClient client, int number, Random random) throws Exception {
        String key = kind + "-" + number;
        String name = "victim-" + number;
        Process victim = startReady(client, name);
        try {
            Work.push(kind.sink(client, key), TASK_NAMES);
            client.call(Lists.pushLeft("jobs:" + name, kind + " " + key));
            int last = 1 + random.nextInt(TASKS / 4);
            awaitProgress(client, key, name, 1 + random.nextInt(last));
            client.call(Lists.pushLeft("jobs:survivor", kind + " " + key));
            awaitProgress(client, key, name, last);
            LockSupport.parkNanos(random.nextInt(3_000_000));
        } finally {
            victim.destroyForcibly();
        }
        assertThat(victim.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        return verify(kind, client, key, name, victim.exitValue());
    }

    private Run verify(Kind kind, RedisClient client, String key, String victim, int exit) {
        Eventually.holds(
                "the server has read the victim's last words",
                () -> !client.call(CLIENTS).contains(" name=" + victim + " "));
        Map<String, String> inHand = kind.inHandsOf(victim, client, key);
        Popped<String, String> ended = client.call(Lists.awaitRight(PATIENCE, key + ":ended"))
                .orElseThrow(() -> new AssertionError("the survivor did not end: key=" + key));
        Map<String, String> effects = client.call(Hashes.getAll(key + ":effects"));
        List<String> twice = effects.entrySet().stream()
                .filter(effect -> !effect.getValue().equals("1"))
                .map(Map.Entry::getKey)
                .toList();

        assertThat(ended.element()).isEqualTo("closed");
        assertThat(words.resolve(victim)).isEmptyFile();
        assertThat(effects.keySet()).containsExactlyInAnyOrderElementsOf(TASK_NAMES);
        assertThat(inHand.values()).containsAll(twice);
        assertThat(effects.values()).containsAnyOf("1").isSubsetOf("1", "2");
        assertThat(client.call(Lists.range(key + ":redelivered", 0, -1)))
                .containsExactlyInAnyOrderElementsOf(inHand.keySet());
        return new Run(inHand.size(), twice.size(), exit != 0);
    }

    private Process startReady(RedisClient client, String name) throws Exception {
        starts.acquire();
        Process process = start(name);
        try {
            assertThat(client.call(Lists.awaitRight(PATIENCE, "ready:" + name)))
                    .as(() -> words(name))
                    .isPresent();
            return process;
        } catch (Throwable e) {
            process.destroyForcibly();
            throw e;
        } finally {
            starts.release();
        }
    }

    /** Or until all are done: on a machine that is busy the survivor may do the rest before its victim does one. */
    private static void awaitProgress(RedisClient client, String key, String name, int tasks) {
        Eventually.holds(
                name + " has done " + tasks + " tasks",
                () -> client.call(Hashes.get(key + ":progress", name))
                                        .map(Integer::parseInt)
                                        .orElse(0)
                                >= tasks
                        || client.call(Hashes.size(key + ":effects")) == TASKS);
    }

    private String words(String name) {
        try {
            return name + " has said: " + Files.readString(words.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Process start(String name) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
        command.add(classPath());
        command.add(ConsumerProcess.class.getName());
        command.addAll(List.of(Integer.toString(REDIS.server().port()), name));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(
                        ProcessBuilder.Redirect.appendTo(words.resolve(name).toFile()))
                .start();
    }

    /** Only what exists: surefire's own has more. */
    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> new File(entry).exists())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
