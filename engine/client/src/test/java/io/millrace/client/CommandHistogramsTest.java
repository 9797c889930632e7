// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.millrace.client.command.Command;
import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class CommandHistogramsTest {

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private final CommandHistograms histograms = new CommandHistograms();

    @Test
    void percentilesMeanAndMaximumHaveTheDocumentedError() {
        long[] latencies =
                LongStream.rangeClosed(1, 100_000).map(i -> i * i / 7 + 1).toArray();
        for (long latency : latencies) {
            histograms.ended(new FixedEnd("GET", latency, latency / 2));
        }

        LatencyHistogram all = histograms.snapshot().of("GET").fromSubmission();
        LatencyHistogram sending = histograms.snapshot().of("GET").fromSending();
        assertThat(all.count()).isEqualTo(100_000);
        assertThat(all.mean().toNanos()).isEqualTo(LongStream.of(latencies).sum() / 100_000);
        for (double percent : new double[] {0.001, 1, 50, 90, 99, 99.9, 100}) {
            long exact = latencies[(int) Math.ceil(percent / 100 * latencies.length) - 1];
            assertThat((double) all.percentile(percent).toNanos())
                    .as("%s %%", percent)
                    .isCloseTo((double) exact, within(exact / 64.0));
            assertThat((double) sending.percentile(percent).toNanos())
                    .isCloseTo(exact / 2.0, within(1 + exact / 128.0));
        }
        assertThat(all.max()).isEqualTo(all.percentile(100));
    }

    @Test
    void shortestAndLongestLatenciesAreCounted() {
        for (long latency : new long[] {-1, 0, 63, Duration.ofHours(24).toNanos(), Long.MAX_VALUE}) {
            histograms.ended(new FixedEnd("GET", latency, 0));
        }

        LatencyHistogram all = histograms.snapshot().of("GET").fromSubmission();
        assertThat(all.count()).isEqualTo(5);
        assertThat(all.percentile(0)).isZero();
        assertThat(all.percentile(60)).isEqualTo(Duration.ofNanos(63));
        assertThat((double) all.percentile(80).toNanos())
                .isCloseTo(
                        (double) Duration.ofHours(24).toNanos(),
                        within(Duration.ofHours(24).toNanos() / 64.0));
        assertThat(all.max()).isBetween(Duration.ofHours(38), Duration.ofHours(40));
    }

    @Test
    void emptyHistogramHasZeroes() {
        FixedEnd unsent = new FixedEnd("GET", 5, -1);
        histograms.ended(unsent);

        LatencyHistogram sending = histograms.snapshot().of("GET").fromSending();
        assertThat(sending.count()).isZero();
        assertThat(List.of(sending.mean(), sending.max(), sending.percentile(50), sending.total()))
                .containsOnly(Duration.ZERO);
    }

    @Test
    void differenceOfTwoSnapshotsHasTheCommandsInBetween() {
        histograms.ended(new FixedEnd("GET", 1_000_000, 10));
        CommandHistograms.Snapshot first = histograms.snapshot();
        histograms.ended(new FixedEnd("GET", 5, 3));
        histograms.ended(new FixedEnd("SET", 7, 3));

        CommandHistograms.Snapshot between = histograms.snapshot().since(first);

        assertThat(between.of("GET").fromSubmission().count()).isOne();
        assertThat(between.of("GET").fromSubmission().max()).isEqualTo(Duration.ofNanos(5));
        assertThat(between.of("GET").fromSubmission().total()).isEqualTo(Duration.ofNanos(5));
        assertThat(between.of("GET").fromSending().max()).isEqualTo(Duration.ofNanos(3));
        assertThat(between.of("GET").count(EndedCommand.Kind.OK)).isOne();
        assertThat(between.of("SET").count(EndedCommand.Kind.OK)).isOne();
    }

    @Test
    void namesBeyondTheLimitAreCountedTogether() {
        for (int i = 0; i < CommandHistograms.MAX_NAMES + 100; i++) {
            histograms.ended(new FixedEnd("NAME" + i, 10, 5));
            histograms.ended(new FixedEnd("NAME" + i, 10, 5));
        }

        CommandHistograms.Snapshot snapshot = histograms.snapshot();
        assertThat(snapshot.commands()).hasSize(CommandHistograms.MAX_NAMES + 1);
        assertThat(snapshot.of(CommandHistograms.OTHER).count(EndedCommand.Kind.OK))
                .isEqualTo(200);
    }

    @Test
    void concurrentCommandsAreAllCountedAndTheCountsMatchTheStats() throws Exception {
        try (EmbeddedRedis server = EmbeddedRedis.start();
                RedisClient client =
                        clients.connect(WatchedClients.uri(server), options -> options.commandListener(histograms))) {
            List<Thread> callers = new ArrayList<>();
            for (int caller = 0; caller < 16; caller++) {
                callers.add(Thread.startVirtualThread(() -> {
                    for (int i = 0; i < 200; i++) {
                        client.call(Strings.increment("n"));
                        client.send(Command.of("NOSUCH"))
                                .exceptionally(e -> null)
                                .join();
                    }
                }));
            }
            for (Thread caller : callers) {
                caller.join();
            }
            client.call(Server.ping());

            CommandHistograms.Snapshot snapshot = histograms.snapshot();
            assertThat(snapshot.commands()).containsOnlyKeys("INCRBY", "NOSUCH", "PING");
            assertThat(snapshot.of("INCRBY").count(EndedCommand.Kind.OK)).isEqualTo(3_200);
            assertThat(snapshot.of("NOSUCH").count(EndedCommand.Kind.ERROR))
                    .isEqualTo(client.counts().error())
                    .isEqualTo(3_200);
            assertThat(snapshot.of("INCRBY").fromSending().count()).isEqualTo(3_200);
        }
    }
}
