// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.client.command.Command;
import io.millrace.client.command.Replies;
import io.millrace.client.command.Strings;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedOptions;
import io.millrace.embedded.EmbeddedRedis;
import io.millrace.testkit.NoConnectionLeft;
import io.millrace.testkit.NoThreadLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A node of a cluster stops for a while. Callers of other nodes continue. */
@ExtendWith({NoThreadLeft.class, NoConnectionLeft.class})
class ClusterStalledNodeTest {

    /** Keys of the first and of the second of two nodes. */
    private static final String FIRST = "b";

    private static final String SECOND = "a";

    private static final int IN_FLIGHT = 100;
    private static final int CALLERS = 16;
    private static final int CALLS = 200;

    /** Length of a measurement. */
    private static final Duration MEASURED = Duration.ofSeconds(3);

    @RegisterExtension
    final WatchedClients clients = new WatchedClients();

    private static Command<String> get(String key) {
        return Command.of("GET", key).as(Replies::text);
    }

    @Test
    void callersOfOtherNodesContinueWhileANodeDoesNotRead() throws Exception {
        try (FakeCluster cluster = FakeCluster.start(2);
                RedisClient client = clients.connect(cluster.uri(), options -> options.inFlight(IN_FLIGHT));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            cluster.node(0).stopReading();
            List<CompletableFuture<String>> stalled = new CopyOnWriteArrayList<>();
            Thread sender = Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 3 * IN_FLIGHT; i++) {
                    stalled.add(client.send(get(FIRST)));
                }
            });
            Eventually.await("the sender waits", () -> sender.getState() == Thread.State.TIMED_WAITING);
            List<Future<?>> callers = new ArrayList<>();
            for (int i = 0; i < CALLERS; i++) {
                callers.add(threads.submit(() -> {
                    for (int call = 0; call < CALLS; call++) {
                        assertThat(client.call(get(SECOND).within(WatchedClients.SHORT_LIMIT)))
                                .isEqualTo("OK");
                    }
                }));
            }

            for (Future<?> caller : callers) {
                caller.get();
            }

            assertThat(stalled).hasSizeLessThan(3 * IN_FLIGHT).noneMatch(CompletableFuture::isDone);
            cluster.node(0).resumeReading();
            sender.join();
            assertThat(stalled).allSatisfy(call -> assertThat(call.join()).isEqualTo("OK"));
            int all = CALLERS * CALLS + 3 * IN_FLIGHT;
            assertThat(client.counts()).isEqualTo(new CommandCounts(all, all, 0, 0, 0, 0, 0));
        }
    }

    /** The limit needs an idle machine. */
    @Test
    @Tag("soak")
    void callersOfOtherNodesKeepNineTenthsOfTheirRateWhileANodeIsStopped() throws Exception {
        // Without replicas, and with a long timeout between the nodes, the cluster does not react.
        EmbeddedOptions options = EmbeddedOptions.defaults().withConfig("cluster-node-timeout 60000");
        try (EmbeddedCluster cluster = EmbeddedCluster.start(options, 3, 0);
                RedisClient client = clients.connect(RedisUri.parse(cluster.uri()));
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            EmbeddedRedis stopped = cluster.primaryOf(0);
            AtomicBoolean ended = new AtomicBoolean();
            LongAdder ofOthers = new LongAdder();
            List<Future<?>> callers = new ArrayList<>();
            for (int i = 0; i < 6 * CALLERS; i++) {
                String key = "key-" + i;
                boolean counted = !cluster.primaryOf(KeySlot.of(key)).equals(stopped);
                callers.add(threads.submit(() -> {
                    while (!ended.get()) {
                        client.call(Strings.set(key, "v"));
                        ofOthers.add(counted ? 1 : 0);
                    }
                }));
            }
            long warmUp = rateOf(ofOthers);
            long before = rateOf(ofOthers);
            long during;
            stopped.pause();
            try {
                during = rateOf(ofOthers);
            } finally {
                ended.set(true);
                stopped.resume();
            }
            for (Future<?> caller : callers) {
                caller.get();
            }

            System.out.printf(
                    "commands/s of other nodes: warm-up=%d, before=%d, while a node is stopped=%d%n",
                    warmUp, before, during);
            assertThat(during).isGreaterThanOrEqualTo(before * 9 / 10);
            assertThat(client.counts().timedOut()).isZero();
        }
    }

    private static long rateOf(LongAdder calls) {
        long start = System.nanoTime();
        long before = calls.sum();
        for (long left = MEASURED.toNanos(); left > 0; left = start + MEASURED.toNanos() - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        return (calls.sum() - before) * 1_000_000_000L / (System.nanoTime() - start);
    }
}
