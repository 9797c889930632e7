// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.Eventually;
import io.millrace.lab.library.Endpoint;
import io.millrace.lab.library.Pair;
import io.millrace.lab.library.TextCache;
import io.millrace.lab.library.TextCache.Source;
import io.millrace.lab.run.Keyspace;
import io.millrace.lab.run.LabException;
import io.millrace.lab.run.Measured;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.RedisServer;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender;
import java.time.Duration;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is wrong with a cache is found: each of these has one fault. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CacheChecksTest {

    /** What {@code PTTL} says. */
    private static final long NOT_THERE = -2;

    private static final EmbeddedRedis REDIS = EmbeddedRedis.start();
    private static final Endpoint ENDPOINT = Endpoint.of(REDIS.host(), REDIS.port());
    private static final RedisServer SERVER = RedisServer.at(ENDPOINT, Keyspace.WHOLE, () -> {});

    @AfterAll
    static void stop() {
        SERVER.close();
        REDIS.close();
    }

    @BeforeEach
    void empty() {
        SERVER.reset();
    }

    private static Source source(TextCache cache) {
        return new Source("a", "cache", TextCache.Promise.NONE, "", (endpoint, timeout, connections, life) -> cache);
    }

    private static Source source(String label) {
        return Source.all().stream()
                .filter(one -> one.label().equals(label))
                .findFirst()
                .orElseThrow();
    }

    private static Task task(long operations) {
        return new Task("any", "any", operations, ENDPOINT, Map.of(), Keyspace.PREFIX);
    }

    private static WarmContender.Rounds filled(WarmContender contender, long operations) throws Exception {
        var rounds = contender.open(task(operations));
        rounds.fill();
        return rounds;
    }

    @Test
    void hitsOfWhatIsThereAreRight() throws Exception {
        try (var rounds = filled(new Hitting(source(new InMemory()), 3), 100)) {
            assertThat(rounds.run()).contains(Outcomes.answered(100, 0));
            assertThat(rounds.complaints()).isEmpty();
        }
    }

    @Test
    void aHitThatIsAnotherKeysTextIsAComplaint() throws Exception {
        var cache = new InMemory();
        try (var rounds = filled(new Hitting(source(cache), 1), 10)) {
            cache.put("key-3", Texts.of("key-4"), TextCache.TIME_TO_LIVE);

            assertThat(rounds.run()).contains(Outcomes.answered(10, 1));
            assertThat(rounds.complaints()).containsExactly("hits: wrong=1, computed although they were there=0");
        }
    }

    @Test
    void aTextThatIsComputedAlthoughItWasThereIsAComplaint() throws Exception {
        var cache = new InMemory();
        try (var rounds = filled(new Hitting(source(cache), 1), 10)) {
            cache.texts.remove("key-5");

            rounds.run();

            assertThat(rounds.complaints()).containsExactly("hits: wrong=0, computed although they were there=1");
        }
    }

    @Test
    void fewerKeysAreAskedForInTurnWhereThereAreFewerOperations() throws Exception {
        try (var rounds = filled(new AskingForMany(source(new InMemory()), false), 7)) {
            assertThat(rounds.run()).contains(Outcomes.answered(7, 0));
            assertThat(rounds.figures()).containsEntry(Measured.OPERATIONS, 7.0);
        }
    }

    @Test
    void theFirstCallComputesAndTheSecondFindsIt() throws Exception {
        for (boolean second : new boolean[] {false, true}) {
            try (var rounds = filled(new Calling(source("millrace/cache"), second), 50)) {
                long start = System.nanoTime();
                var outcomes = rounds.run();
                long millis = Duration.ofNanos(System.nanoTime() - start).toMillis();

                assertThat(outcomes).contains(Outcomes.answered(1, 0));
                assertThat(rounds.complaints()).isEmpty();
                assertThat(millis).isGreaterThanOrEqualTo(second ? 0 : 50);
            }
            empty();
        }
    }

    @Test
    void whatIsComputedLivesTwiceAsLongAsItTakes() throws Exception {
        for (var source : Source.firstOfEach()) {
            empty();
            try (var rounds = filled(new Calling(source, true), 4_000)) {
                rounds.run();

                assertThat(rounds.complaints()).as(source.label()).isEmpty();
                // A cache may give a text to its callers before it is written.
                Eventually.holds(() -> lifeMillis(source) != NOT_THERE);
                assertThat(lifeMillis(source)).as(source.label()).isBetween(1L, 8_000L);
            }
        }
    }

    /** Redisson keeps it beside the hash, as the moment of its end. */
    private static long lifeMillis(Source source) {
        var control = SERVER.control();
        if (!source.name().equals("redisson")) {
            return control.pttl(TextCache.NAME + ":called-for");
        }
        return control.zrangeWithScores("redisson__timeout__set:" + TextCache.MAP, 0, 0).stream()
                .findFirst()
                .map(end -> (long) end.getScore() - System.currentTimeMillis())
                .orElse(NOT_THERE);
    }

    @Test
    void aSecondCallThatComputesIsAComplaint() throws Exception {
        var cache = new InMemory();
        try (var rounds = filled(new Calling(source(cache), true), 1)) {
            cache.texts.clear();

            rounds.run();

            assertThat(rounds.complaints())
                    .singleElement()
                    .asString()
                    .startsWith("call: computations expected=0, found=1, ");
        }
    }

    @Test
    void onlyEntriesAreCountedAfterAWarmUp() throws Exception {
        var check = new WarmUps(false).check();
        SERVER.control().set("redisson__execute_task_once_latch:" + TextCache.MAP, "of another contender");
        try (var rounds = filled(new Filling(Source.bare()), 10)) {
            rounds.run();
        }

        assertThat(check.complaints(SERVER, 10)).isEmpty();
        assertThat(check.complaints(SERVER, 11)).containsExactly("entries: expected=11, found=10");
    }

    @Test
    void everyLibraryWritesVeryManyAndTheyAreFound() throws Exception {
        for (var contender : new WarmUps(false).contenders()) {
            empty();
            try (var rounds = filled((WarmContender) contender, 2_500)) {
                assertThat(rounds.run()).contains(Outcomes.answered(2_500, 0));

                assertThat(rounds.complaints()).as(contender.label()).isEmpty();
                assertThat(new WarmUps(false).check(contender).complaints(SERVER, 2_500))
                        .as(contender.label())
                        .isEmpty();
            }
        }
    }

    @Test
    void aSecondProcessThatCannotConnectIsSaid() {
        var nowhere = new HerdProcess.Place("no such cache", ENDPOINT, 50);

        assertThatThrownBy(() -> HerdElsewhere.start(nowhere))
                .isInstanceOf(LabException.class)
                .hasMessage("the second process has ended, and its own words are above");
    }

    /** Keeps all, in this process. */
    private static final class InMemory implements TextCache {

        private final Map<String, String> texts = new HashMap<>();

        @Override
        public synchronized String get(String key, Computation computation) throws Exception {
            var found = texts.get(key);
            var text = found == null ? computation.of(key) : found;
            texts.put(key, text);
            return text;
        }

        @Override
        public void put(String key, String text, Duration timeToLive) {
            texts.put(key, text);
        }

        @Override
        public List<@Nullable String> getAll(List<String> keys) {
            return keys.stream().<@Nullable String>map(texts::get).toList();
        }

        @Override
        public long putAll(Iterator<Pair> entries) {
            entries.forEachRemaining(entry -> texts.put(entry.key(), entry.value()));
            return texts.size();
        }

        @Override
        public void close() {}
    }
}
