// SPDX-License-Identifier: Apache-2.0
package io.millrace.lab.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.embedded.EmbeddedRedis;
import io.millrace.lab.library.Endpoint;
import io.millrace.lab.library.TextCache;
import io.millrace.lab.network.Door.Loss;
import io.millrace.lab.run.Keyspace;
import io.millrace.lab.run.Outcomes;
import io.millrace.lab.run.Task;
import io.millrace.lab.run.WarmContender.Rounds;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WithoutServerTest {

    private static TextCache.Source source(String label) {
        return TextCache.Source.all().stream()
                .filter(source -> source.label().equals(label))
                .findFirst()
                .orElseThrow();
    }

    private static Rounds open(EmbeddedRedis redis, TextCache.Source source, Loss loss) throws Exception {
        var task = new Task(
                "e5-lost",
                "any",
                WithoutServer.CALLERS,
                Endpoint.of(redis.host(), redis.port()),
                Map.of(),
                Keyspace.PREFIX);
        return new WithoutServer(source, loss).open(task);
    }

    private static Outcomes round(Rounds rounds) throws Exception {
        rounds.prepare();
        rounds.fill();
        return rounds.run().orElseThrow();
    }

    @Test
    void theLoopWrittenByHandHasNothingForItsCallers() throws Exception {
        try (var redis = EmbeddedRedis.start();
                var rounds = open(redis, source("jedis/loop"), Loss.SILENT)) {
            var outcomes = round(rounds);

            assertThat(outcomes).isEqualTo(new Outcomes(0, 0, WithoutServer.CALLERS, 0, 0));
            assertThat(rounds.figures()).containsEntry(WithoutServer.TEXTS, 0.0);
            assertThat(rounds.remark())
                    .hasValueSatisfying(
                            said -> assertThat(said)
                                    .startsWith(
                                            "64 of 64 got JedisConnectionException for a SocketTimeoutException, the first after "));
            assertThat(rounds.complaints()).isEmpty();
        }
    }

    @Test
    void whoGuardsItsCallersHasATextForEach() throws Exception {
        for (var source : TextCache.Source.guarded()) {
            try (var redis = EmbeddedRedis.start();
                    var rounds = open(redis, source, Loss.GONE)) {
                round(rounds);

                assertThat(rounds.figures()).as(source.label()).containsEntry(WithoutServer.TEXTS, (double)
                        WithoutServer.CALLERS);
            }
        }
    }

    @Test
    void redissonPassesTheLossOn() throws Exception {
        try (var redis = EmbeddedRedis.start();
                var rounds = open(redis, source("redisson/map-cache"), Loss.SILENT)) {
            var outcomes = round(rounds);

            assertThat(outcomes.timedOut()).isEqualTo(WithoutServer.CALLERS);
            assertThat(rounds.complaints()).isEmpty();
        }
    }

    /** A promise is held against what callers got: this one is made by whoever does not keep it. */
    @Test
    void callersOfAPromisedCacheThatGetNoTextAreAComplaint() throws Exception {
        var loop = source("jedis/loop");
        var liar = new TextCache.Source(
                loop.name(), loop.variant(), TextCache.Promise.ONE_IN_EACH, loop.note(), loop.opener());
        try (var redis = EmbeddedRedis.start();
                var rounds = open(redis, liar, Loss.GONE)) {
            round(rounds);

            assertThat(rounds.complaints()).containsExactly("callers without a text: expected=0, found=64");
        }
    }

    @Test
    void millraceHasATextForEachCaller() throws Exception {
        try (var redis = EmbeddedRedis.start();
                var rounds = open(redis, source("millrace/cache"), Loss.GONE)) {
            round(rounds);

            assertThat(rounds.complaints()).isEmpty();
            assertThat(rounds.figures()).containsEntry(WithoutServer.TEXTS, (double) WithoutServer.CALLERS);
        }
    }
}
