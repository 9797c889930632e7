// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.library.Endpoint;
import io.millrace.lab.library.Pair;
import io.millrace.lab.library.TextCache;
import io.millrace.lab.run.Keyspace;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.Measured;
import io.millrace.lab.run.Task;
import java.time.Duration;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The callers of a stampede, and who counts what they get. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HerdTest {

    private static final Duration COMPUTE = Duration.ofMillis(50);

    private static TextCache.Source source(String label) {
        return TextCache.Source.all().stream()
                .filter(source -> source.label().equals(label))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void everyCallerGetsANewTextAndWithoutAGuardManyComputeIt() throws Exception {
        try (var redis = EmbeddedRedis.start();
                var cache = source("jedis/loop")
                        .opener()
                        .open(Endpoint.of(redis.host(), redis.port()), Endpoint.REPLY_TIMEOUT, 64)) {
            cache.put(Herd.KEY, "old", Herd.LIFE);

            var rush = new Herd(cache, "here", COMPUTE).rush(new Herd.Call(7, "old", Herd.LIFE.toMillis()));

            assertThat(rush.computed())
                    .hasSizeGreaterThan(1)
                    .doesNotHaveDuplicates()
                    .allMatch(text -> text.startsWith("here-7-"));
            assertThat(rush.computed()).containsAll(rush.seen().keySet());
            assertThat(rush.seen().values().stream().mapToLong(Long::longValue).sum())
                    .isEqualTo(Herd.CALLERS);
            assertThat(rush.failures()).isEmpty();
            assertThat(rush.lastMillis()).isGreaterThan(COMPUTE.toMillis() * 0.9);
        }
    }

    @Test
    void callersThatFailAreCountedByTheirException() throws Exception {
        var herd = new Herd(new Broken(), "here", COMPUTE);

        var rush = herd.rush(new Herd.Call(1, "old", 0));

        assertThat(rush.failures()).isEqualTo(Map.of("IllegalStateException", (long) Herd.CALLERS));
        assertThat(rush.seen()).isEmpty();
    }

    /** The check compares a promise with the counted computations. This contender breaks its promise. */
    @Test
    void aBrokenPromiseIsAComplaint() throws Exception {
        var loop = source("jedis/loop");
        var liar = new TextCache.Source(
                loop.name(), loop.variant(), TextCache.Promise.ONE_IN_EACH, loop.note(), loop.opener());
        try (var redis = EmbeddedRedis.start();
                var rounds = new Stampeding(liar, 1).open(task(redis))) {
            var outcomes = rounds.run().orElseThrow();

            assertThat(outcomes.ok()).isEqualTo(Herd.CALLERS);
            assertThat(rounds.complaints())
                    .singleElement()
                    .asString()
                    .startsWith("computations: promised=ONE_IN_EACH, found=[");
            assertThat(rounds.figures()).containsEntry(Measured.OPERATIONS, (double) Herd.CALLERS);
        }
    }

    @Test
    void twoProcessesWithALeaseComputeOnce() throws Exception {
        try (var redis = EmbeddedRedis.start();
                var rounds = new Stampeding(source("millrace/cache-lease"), 2).open(task(redis))) {
            var outcomes = rounds.run().orElseThrow();

            assertThat(rounds.complaints()).isEmpty();
            assertThat(outcomes.ok()).isEqualTo(2 * Herd.CALLERS);
            assertThat(rounds.figures()).containsEntry(Stampeding.COMPUTATIONS, 1.0);
            assertThat(rounds.remark())
                    .hasValueSatisfying(
                            said -> assertThat(said).startsWith("2,000 callers, 1 computation, the last answer "));
        }
    }

    @Test
    void whatRedissonComputesInTwoProcessesIsCounted() throws Exception {
        try (var redis = EmbeddedRedis.start();
                var rounds = new Stampeding(source("redisson/map-cache"), 2).open(task(redis))) {
            var outcomes = rounds.run().orElseThrow();

            assertThat(outcomes.settled()).isEqualTo(2 * Herd.CALLERS);
            assertThat(rounds.complaints()).isEmpty();
            assertThat(rounds.figures().get(Stampeding.COMPUTATIONS)).isGreaterThan(1);
            assertThat(rounds.cpuElsewhere().seconds()).isPositive();
        }
    }

    @Test
    void aSecondProcessThatDiesIsSaid() throws Exception {
        try (var redis = EmbeddedRedis.start();
                var elsewhere = HerdElsewhere.start(place(redis))) {
            elsewhere.call(new Herd.Call(1, "old", Duration.ofMinutes(1).toMillis()));

            secondProcess().destroyForcibly();

            assertThatThrownBy(elsewhere::answer)
                    .isInstanceOf(LabException.class)
                    .hasMessage("the second process has ended, and its own words are above");
        }
    }

    /** As it must where the lab is killed: its input ends then. */
    @Test
    void aSecondProcessEndsWithItsInputEvenInARush() throws Exception {
        try (var redis = EmbeddedRedis.start()) {
            var elsewhere = HerdElsewhere.start(place(redis));
            var process = secondProcess();
            elsewhere.call(new Herd.Call(1, "old", Duration.ofMinutes(1).toMillis()));

            long start = System.nanoTime();
            elsewhere.close();

            assertThat(process.isAlive()).isFalse();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(HerdElsewhere.BEFORE_KILL);
        }
    }

    private static HerdProcess.Place place(EmbeddedRedis redis) {
        return new HerdProcess.Place("jedis/loop", Endpoint.of(redis.host(), redis.port()), COMPUTE.toMillis());
    }

    /** The server has been started before. */
    private static ProcessHandle secondProcess() {
        return ProcessHandle.current()
                .children()
                .max(Comparator.comparing(child -> child.info().startInstant().orElseThrow()))
                .orElseThrow();
    }

    private static Task task(EmbeddedRedis redis) {
        return new Task(
                "e5-stampede",
                "any",
                COMPUTE.toMillis(),
                Endpoint.of(redis.host(), redis.port()),
                Map.of(),
                Keyspace.PREFIX);
    }

    /** Throws. */
    private static final class Broken implements TextCache {

        @Override
        public String get(String key, Computation computation) {
            throw new IllegalStateException("broken");
        }

        @Override
        public void put(String key, String text, Duration timeToLive) {}

        @Override
        public List<@Nullable String> getAll(List<String> keys) {
            return List.of();
        }

        @Override
        public long putAll(Iterator<Pair> entries) {
            return 0;
        }

        @Override
        public void close() {}
    }
}
