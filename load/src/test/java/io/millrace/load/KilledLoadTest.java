// SPDX-License-Identifier: Apache-2.0
package io.millrace.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.ClientOptions;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.resp.Reply;
import io.millrace.testkit.NoThreadLeft;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Kills processes that load with a checkpoint, and the server. After the load has continued, the keyspace is equal to
 * the keyspace of an undisturbed load.
 */
@ExtendWith(NoThreadLeft.class)
@Timeout(value = 40, unit = TimeUnit.MINUTES)
class KilledLoadTest {

    /** Number of kills at each step and at random moments, for each target. */
    private static final int KILLS = Integer.getInteger("millrace.loadKills", 1);

    /** Longest time from the first row of a round to the comparison. */
    private static final Duration LONGEST_ROUND = Duration.ofMinutes(5);

    private static final int ROWS = 30_000;
    private static final int PARTS = 7;

    /** Steps that a load of a file or of a hash does not have. */
    private static final Set<CheckpointStep> OF_FILE = EnumSet.of(CheckpointStep.WRITTEN, CheckpointStep.SAVED);

    private static final Set<CheckpointStep> OF_HASH = EnumSet.of(CheckpointStep.COLLECTED, CheckpointStep.EXECUTED);

    @TempDir
    private Path folder;

    private Path csv;

    @BeforeEach
    void writeRows() throws IOException {
        StringBuilder rows = new StringBuilder("id,part,name\n");
        for (int i = 0; i < ROWS; i++) {
            // Some keys of hashes repeat, so that the order of their rows matters.
            rows.append(i % (ROWS - 5_000))
                    .append(',')
                    .append(i % PARTS)
                    .append(",name ")
                    .append(i)
                    .append('\n');
        }
        csv = Files.writeString(folder.resolve("rows.csv"), rows);
    }

    @ParameterizedTest
    @ValueSource(strings = {"hash", "list", "stream", "expiring"})
    void loadThatIsKilledAtAnyStepContinues(String target) throws Exception {
        Random random = seeded(target);
        try (TestRedis redis = TestRedis.start()) {
            for (CheckpointStep step : CheckpointStep.values()) {
                boolean occurs = target.equals("hash") ? !OF_HASH.contains(step) : !OF_FILE.contains(step);
                for (int kill = 0; occurs && kill < KILLS; kill++) {
                    redis.call("FLUSHALL");
                    int occurrence = 1 + random.nextInt(occurrences(step));

                    int exit = waitFor(start(redis, target, step.name(), occurrence));

                    assertThat(exit).as("step=%s", step).isEqualTo(LoaderProcess.KILLED);
                    resumeAndCompare(redis, target, "step=" + step + ", occurrence=" + occurrence);
                }
            }
        }
    }

    /** A lower bound of the number of times that a load reaches {@code step}. A file is also written at its creation. */
    private static int occurrences(CheckpointStep step) {
        if (OF_HASH.contains(step)) {
            return 20;
        }
        return OF_FILE.contains(step) ? 2 : 1;
    }

    @ParameterizedTest
    @ValueSource(strings = {"hash", "list", "stream"})
    void loadThatIsKilledAtRandomMomentsContinues(String target) throws Exception {
        Random random = seeded(target);
        try (TestRedis redis = TestRedis.start()) {
            for (int kill = 0; kill < KILLS; kill++) {
                redis.call("FLUSHALL");
                Process loader = start(redis, target, "none", 1);
                awaitKeys(redis, loader);
                LockSupport.parkNanos(random.nextInt(target.equals("hash") ? 1_800_000_000 : 100_000_000));
                loader.destroyForcibly();
                var unused = waitFor(loader);

                resumeAndCompare(redis, target, "kill=" + kill);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"hash", "list", "stream", "expiring"})
    void serverThatIsKilledKeepsTheRowsThatTheCheckpointCounts(String target) throws Exception {
        Random random = seeded(target);
        for (int kill = 0; kill < KILLS; kill++) {
            Path data = Files.createDirectory(folder.resolve(target + kill));
            EmbeddedOptions durable =
                    EmbeddedOptions.defaults().withConfig("dir " + data, "appendonly yes", "appendfsync always");
            int rows = 1 + random.nextInt(ROWS - 1);
            LoadReport report;
            try (TestRedis doomed = TestRedis.start(durable)) {
                LoadPlan plan = LoaderProcess.plan(target, csv, folder, Duration.ZERO);
                LoadPlan killing = new LoadPlan(
                        StoppingSource.after(
                                plan.source(), rows, () -> doomed.server().kill()),
                        plan.target(),
                        plan.options());
                report = new Loader(doomed.options()).run(killing, event -> {});
            }
            assertThat(report.ending()).isInstanceOf(LoadReport.Ending.Stopped.class);

            try (TestRedis restarted = TestRedis.start(durable)) {
                resumeAndCompare(restarted, target, "rows=" + rows);
            }
        }
    }

    private static Random seeded(String target) {
        long seed = new Random().nextLong();
        System.out.println("KilledLoadTest: target=" + target + ", seed=" + seed);
        return new Random(seed);
    }

    private void resumeAndCompare(TestRedis redis, String target, String what) {
        // A restarted server may still load its data.
        LoadPlan plan = LoaderProcess.plan(target, csv, folder, Duration.ofMinutes(1));

        LoadReport report = new Loader(redis.options()).run(plan, event -> {});

        assertThat(report.ending()).as(what).isEqualTo(new LoadReport.Ending.Completed());
        assertThat(report.rows().unconfirmed()).as(what).isZero();
        assertThat(report.rows().read()).as(what).isEqualTo(ROWS);
        assertThat(keyspace(redis, target)).as(what).isEqualTo(undisturbed(target));
        if (target.equals("expiring")) {
            Reply otherExpiry = redis.call(
                    "EVAL",
                    "local n=0 for _,k in ipairs(redis.call('KEYS','l:*')) do local t=redis.call('PTTL',k)"
                            + " if t<tonumber(ARGV[1]) or t>tonumber(ARGV[2]) then n=n+1 end end return n",
                    "0",
                    Long.toString(LoaderProcess.TTL.minus(LONGEST_ROUND).toMillis()),
                    Long.toString(LoaderProcess.TTL.toMillis()));
            assertThat(otherExpiry).as(what).isEqualTo(new Reply.IntegerReply(0));
        }
        assertThat(folder.resolve("killed.checkpoint")).doesNotExist();
    }

    /** The values of all keys of an undisturbed load. */
    private static Map<String, List<String>> undisturbed(String target) {
        Map<String, List<String>> keys = new TreeMap<>();
        for (int i = 0; i < ROWS; i++) {
            if (target.equals("hash")) {
                keys.put("h:" + i % (ROWS - 5_000), List.of("name " + i));
            } else {
                String key = (target.equals("stream") ? "s:" : "l:") + i % PARTS;
                keys.computeIfAbsent(key, ignored -> new ArrayList<>()).add("name " + i);
            }
        }
        return keys;
    }

    private static Map<String, List<String>> keyspace(TestRedis redis, String target) {
        Map<String, List<String>> keys = new TreeMap<>();
        for (Reply name : items(redis.call("KEYS", "*"))) {
            String key = text(name);
            if (key.startsWith("millrace:")) {
                continue;
            }
            keys.put(
                    key,
                    switch (target) {
                        case "hash" -> List.of(text(redis.call("HGET", key, "name")));
                        case "stream" ->
                            items(redis.call("XRANGE", key, "-", "+")).stream()
                                    .map(entry ->
                                            text(items(items(entry).get(1)).get(5)))
                                    .toList();
                        default ->
                            items(redis.call("LRANGE", key, "0", "-1")).stream()
                                    .map(KilledLoadTest::text)
                                    .toList();
                    });
        }
        return keys;
    }

    private static List<Reply> items(Reply reply) {
        return ((Reply.ArrayReply) reply).items();
    }

    private static String text(Reply reply) {
        return ((Reply.BulkString) reply).text();
    }

    private static void awaitKeys(TestRedis redis, Process loader) {
        while (loader.isAlive() && redis.call("DBSIZE").equals(new Reply.IntegerReply(0))) {
            Thread.onSpinWait();
        }
    }

    private Process start(TestRedis redis, String target, String step, int occurrence) throws IOException {
        ClientOptions options = redis.options();
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classPath()));
        command.add(LoaderProcess.class.getName());
        command.add(Integer.toString(redis.server().port()));
        command.addAll(List.of(target, csv.toString(), folder.toString(), step, Integer.toString(occurrence)));
        command.add(Integer.toString(ROWS - 1));
        assertThat(options.uri().toString())
                .contains(Integer.toString(redis.server().port()));
        return new ProcessBuilder(command).inheritIO().start();
    }

    private static int waitFor(Process process) throws InterruptedException {
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        return process.exitValue();
    }

    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> new File(entry).exists())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
