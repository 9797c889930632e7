// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.Eventually;
import io.millrace.lab.TestServer;
import io.millrace.lab.library.TextCache.Source;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import redis.clients.jedis.Jedis;

/** Every cache, on a server that asks for a password, in a database that is not the first. */
@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TextCacheTest {

    private static final String PASSWORD = "s3cret pass/wort@1";
    private static final EmbeddedRedis SERVER =
            EmbeddedRedis.start(EmbeddedOptions.defaults().withPassword(PASSWORD));
    private static final Endpoint ENDPOINT =
            new Endpoint(SERVER.host(), SERVER.port(), Optional.empty(), Optional.of(PASSWORD), 1);
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofMillis(20);

    static final List<Named> COMPUTING = Stream.of(Source.all(), Source.guarded(), List.of(Source.near()))
            .flatMap(List::stream)
            .map(Named::new)
            .toList();

    static final List<Named> ALL = Stream.concat(COMPUTING.stream(), Stream.of(new Named(Source.bare())))
            .toList();

    private static Jedis control = new Jedis();

    /** With a name that is short enough for a report. */
    record Named(Source source) {

        TextCache open() throws Exception {
            return source.opener().open(ENDPOINT, Endpoint.REPLY_TIMEOUT, 2);
        }

        @Override
        public String toString() {
            return source.label();
        }
    }

    @BeforeAll
    static void connect() {
        control = TestServer.connect(SERVER);
        control.auth(PASSWORD);
        control.select(1);
    }

    @AfterAll
    static void stop() {
        control.close();
        SERVER.close();
    }

    @BeforeEach
    void empty() {
        control.flushAll();
    }

    @ParameterizedTest
    @FieldSource("COMPUTING")
    void whatIsMissingIsComputedOnceAndThenThere(Named named) throws Exception {
        var computed = new AtomicInteger();
        try (var cache = named.open()) {
            var first = cache.get("a", key -> "of " + key + ", number " + computed.incrementAndGet());
            var second = cache.get("a", key -> "of " + key + ", number " + computed.incrementAndGet());

            assertThat(List.of(first, second)).containsOnly("of a, number 1");
            assertThat(computed).hasValue(1);
            // A cache may return the text before Redis has stored it.
            Eventually.holds(() -> !control.keys("*").isEmpty());
            assertThat(control.keys("*")).allMatch(key -> key.contains("millrace-lab:"));
            assertThat(cache.getAll(List.of("a"))).containsExactly("of a, number 1");
        }
    }

    @ParameterizedTest
    @FieldSource("COMPUTING")
    void aTextThatHasExpiredIsComputed(Named named) throws Exception {
        try (var cache = named.open()) {
            cache.put("a", "old", SHORT);

            var text = "old";
            for (long end = System.nanoTime() + LONG.toNanos(); text.equals("old") && System.nanoTime() < end; ) {
                text = cache.get("a", key -> "new");
            }

            assertThat(text).isEqualTo("new");
        }
    }

    @ParameterizedTest
    @FieldSource("ALL")
    void manyAreWrittenAndReadInTheirOrder(Named named) throws Exception {
        var keys = IntStream.range(0, 2_345).mapToObj(n -> "key-" + n).toList();
        try (var cache = named.open()) {
            long written = cache.putAll(
                    keys.stream().map(key -> new Pair(key, "text of " + key)).iterator());

            assertThat(written).isEqualTo(2_345);
            assertThat(cache.getAll(keys.reversed()))
                    .isEqualTo(keys.reversed().stream()
                            .map(key -> "text of " + key)
                            .toList());
            long found = named.source.name().equals("redisson") ? control.hlen(TextCache.MAP) : control.dbSize();
            assertThat(found).isEqualTo(2_345);
        }
    }

    @ParameterizedTest
    @FieldSource("COMPUTING")
    void aFailingComputationFailsItsCaller(Named named) throws Exception {
        try (var cache = named.open()) {
            assertThatThrownBy(() -> cache.get("absent", key -> {
                        throw new IllegalStateException("no text of " + key);
                    }))
                    .satisfiesAnyOf(
                            thrown -> assertThat(thrown).hasMessage("no text of absent"),
                            thrown -> assertThat(thrown).hasRootCauseMessage("no text of absent"));
            // A lease that is being given up may still be there.
            assertThat(control.keys(TextCache.NAME + ":*")).isEmpty();
            assertThat(control.hlen(TextCache.MAP)).isZero();
        }
    }

    @ParameterizedTest
    @FieldSource("ALL")
    void itsThreadsEndWithIt(Named named) throws Exception {
        var before = Thread.getAllStackTraces().keySet();

        named.open().close();

        assertThat(LeftThreads.since(before)).isEmpty();
    }

    @ParameterizedTest
    @FieldSource("ALL")
    void labelsAreUnique(Named named) {
        assertThat(ALL.stream().map(Named::toString).filter(named.toString()::equals))
                .hasSize(1);
        assertThat(Arrays.asList(named.source.note(), named.source.variant())).noneMatch(String::isBlank);
    }
}
