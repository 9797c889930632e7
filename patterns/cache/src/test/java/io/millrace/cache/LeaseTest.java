// SPDX-License-Identifier: Apache-2.0
package io.millrace.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.Codec;
import io.millrace.client.RedisClient;
import io.millrace.client.command.Keys;
import io.millrace.client.command.Lists;
import io.millrace.client.command.Strings;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Several processes share one load, and other processes continue after the loading process was killed. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class LeaseTest {

    private static final int ROUNDS = Integer.getInteger("millrace.leaseRounds", 4);
    private static final Duration TIMEOUT = Duration.ofSeconds(100);

    /**
     * Tolerance for a busy machine, because the test measures real time. The tolerance is below the deadline of the
     * callers.
     */
    private static final Duration TOLERANCE = Duration.ofSeconds(30);

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    /** The output of each process. A process prints only if it fails. */
    @TempDir
    private Path outputs;

    private final AtomicInteger loads = new AtomicInteger();

    private String load(String key) {
        return key + "#" + loads.incrementAndGet();
    }

    @Test
    void twoProcessesShareOneLoad() throws Exception {
        RedisClient client = REDIS.client();
        List<Process> processes = List.of(start("one", CacheProcess.LONG_LEASE), start("two", CacheProcess.LONG_LEASE));
        try {
            awaitReady(client, "one", "two");
            for (int round = 0; round < ROUNDS; round++) {
                String key = "key" + round;
                client.call(Lists.pushLeft("jobs:one", key));
                client.call(Lists.pushLeft("jobs:two", key));
                assertThat(pop(client, "values:" + key)).isEqualTo("[" + key + "#1]");
                assertThat(pop(client, "values:" + key)).isEqualTo("[" + key + "#1]");
                assertThat(client.call(Strings.get("loads:" + key))).hasValue("1");
                String lease = "texts~lease:{texts:" + key + "}";
                Eventually.is("the lease has ended", 0L, () -> client.call(Keys.exist(lease)));
            }
            client.call(Lists.pushLeft("jobs:one", "end"));
            client.call(Lists.pushLeft("jobs:two", "end"));
            for (Process process : processes) {
                assertThat(process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS))
                        .isTrue();
                assertThat(process.exitValue()).isZero();
            }
        } finally {
            processes.forEach(Process::destroyForcibly);
        }
        assertThat(outputs.resolve("one")).isEmptyFile();
        assertThat(outputs.resolve("two")).isEmptyFile();
    }

    @Test
    void callersWaitAtMostTheLeaseTimePlusOneLoadTimeIfTheLoadingProcessIsKilled() throws Exception {
        RedisClient client = REDIS.client();
        Cache<String> cache = REDIS.cache(CacheProcess.options(CacheProcess.SHORT_LEASE));
        Process victim = start("victim", CacheProcess.SHORT_LEASE);
        CompletableFuture<List<String>> values;
        long killed;
        try {
            awaitReady(client, "victim");
            client.call(Lists.pushLeft("jobs:victim", "slow"));
            assertThat(pop(client, "loading:slow")).isEqualTo("victim");
            values = CompletableFuture.supplyAsync(() -> ask(cache));
            Eventually.is(
                    "all callers wait",
                    CacheProcess.CALLERS - 1L,
                    () -> cache.stats().waits());
            awaitRenewals(client, 3);
            assertThat(loads).as("loads while the holder lives").hasValue(0);
            killed = System.nanoTime();
        } finally {
            victim.destroyForcibly();
        }
        List<String> got = values.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        Duration waited = Duration.ofNanos(System.nanoTime() - killed);

        System.out.println("LeaseTest: waited=" + waited);
        assertThat(got).containsOnly("slow#1").hasSize(CacheProcess.CALLERS);
        assertThat(waited).isLessThan(CacheProcess.SHORT_LEASE.plus(TOLERANCE));
        assertThat(client.call(Strings.get("loads:slow"))).hasValue("1");
        assertThat(victim.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(outputs.resolve("victim")).isEmptyFile();
    }

    private List<String> ask(Cache<String> cache) {
        try {
            return ConcurrentCallers.callAll(CacheProcess.CALLERS, () -> cache.get("slow", this::load));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /** Waits for this number of renewals. The server counts one PEXPIRE for each renewal. */
    private static void awaitRenewals(RedisClient client, int count) {
        int before = RedisExtension.calls(client, "pexpire");
        Eventually.holds(
                "the lease is renewed", () -> RedisExtension.calls(client, "pexpire"), now -> now >= before + count);
    }

    @Test
    void processThatLostItsLeaseDoesNotWriteItsValue() throws Exception {
        RedisClient client = REDIS.client();
        Cache<String> silent = REDIS.cache(CacheProcess.options(CacheProcess.LONG_LEASE));
        Cache<String> other = REDIS.cache(CacheProcess.options(CacheProcess.LONG_LEASE));
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        CompletableFuture<String> older = CompletableFuture.supplyAsync(() -> silent.get("key", key -> {
            begun.countDown();
            mayEnd.await();
            return "older";
        }));

        begun.await();
        other.remove("key");
        assertThat(other.get("key", this::load)).isEqualTo("key#1");
        Eventually.is("the entry is written", 1L, () -> client.call(Keys.exist("texts:key")));
        mayEnd.countDown();

        assertThat(older.join()).isEqualTo("older");
        Eventually.is("the refused write is counted", 1L, () -> silent.stats().refusedWrites());
        silent.close();
        assertThat(other.get("key", this::load)).isEqualTo("key#1");
    }

    @Test
    void staleValueIsRefreshedByOneOfTwoCaches() {
        ManualWallClock time = new ManualWallClock();
        CacheOptions options = CacheProcess.options(CacheProcess.LONG_LEASE)
                .jitter(0)
                .staleFor(Duration.ofMinutes(5))
                .build();
        List<Cache<String>> caches = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            caches.add(REDIS.closeAfterTest(Cache.builder(REDIS.client(), "texts", Codec.text())
                    .options(options)
                    .clockAndRandom(time.withRandom(new java.util.Random(i)))
                    .build()));
        }
        CountDownLatch mayEnd = new CountDownLatch(1);
        Loader<String> slow = key -> {
            int number = loads.incrementAndGet();
            mayEnd.await();
            return key + "#" + number;
        };
        caches.getFirst().put("key", "old");
        time.advance(options.timeToLive());

        assertThat(caches.getFirst().get("key", slow)).isEqualTo("old");
        Eventually.is("the first cache loads", 1, () -> loads.get());
        assertThat(caches.getLast().get("key", slow)).isEqualTo("old");
        mayEnd.countDown();
        Eventually.is("the new value is served", "key#1", () -> caches.getLast().get("key", slow));

        assertThat(loads).hasValue(1);
    }

    private static void awaitReady(RedisClient client, String... names) {
        for (String name : names) {
            assertThat(pop(client, "ready:" + name)).isEqualTo("ready");
        }
    }

    private static String pop(RedisClient client, String list) {
        return client.call(Lists.awaitRight(TIMEOUT, list))
                .orElseThrow(() -> new AssertionError("no element arrived in time: list=" + list))
                .element();
    }

    private Process start(String name, Duration lease) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp"));
        command.add(classPath());
        command.add(CacheProcess.class.getName());
        command.addAll(List.of(Integer.toString(REDIS.server().port()), name, lease.toString()));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(outputs.resolve(name).toFile())
                .start();
    }

    /** Returns the class path elements that exist. Surefire adds elements that do not exist. */
    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> new File(entry).exists())
                .collect(Collectors.joining(File.pathSeparator));
    }
}
