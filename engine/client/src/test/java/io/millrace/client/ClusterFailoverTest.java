// SPDX-License-Identifier: Apache-2.0
package io.millrace.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.millrace.client.command.Server;
import io.millrace.client.command.Strings;
import io.millrace.client.exception.ConnectionLostException;
import io.millrace.client.exception.RedisException;
import io.millrace.embedded.EmbeddedCluster;
import io.millrace.embedded.EmbeddedRedis;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A client of a cluster whose primaries fail. */
class ClusterFailoverTest {

    /** Number of commands that are sent without a wait for their replies. */
    private static final int IN_FLIGHT = 1_000;

    private EmbeddedCluster cluster;
    private RedisClient client;

    @BeforeEach
    void connect() {
        cluster = EmbeddedCluster.start();
        client = RedisClient.connect(ClientOptions.builder(RedisUri.parse(cluster.uri()))
                .commandTimeout(Duration.ofSeconds(60))
                .build());
    }

    @AfterEach
    void close() {
        client.close();
        cluster.close();
    }

    @Test
    void commandsContinueAtTheReplicaOfAKilledPrimary() {
        int slot = KeySlot.of("counter");
        client.call(Strings.set("counter", "0"));
        EmbeddedRedis killed = cluster.primaryOf(slot);

        killed.kill();
        client.call(Strings.set("counter", "1"));

        assertThat(client.call(Strings.get("counter"))).contains("1");
        assertThat(cluster.primaryOf(slot)).isNotEqualTo(killed);
        CommandCounts counts = client.counts();
        assertThat(counts.ok() + counts.lost()).isEqualTo(counts.submitted());
    }

    /** The time limit needs an idle machine. */
    @Test
    @Tag("soak")
    void commandsContinueWithinTwoSecondsOfThePromotion() {
        int slot = KeySlot.of("counter");
        client.call(Strings.set("counter", "0"));
        EmbeddedRedis killed = cluster.primaryOf(slot);

        killed.kill();
        CompletableFuture<Long> executed =
                client.send(Strings.set("counter", "1").idempotently()).thenApply(reply -> System.nanoTime());
        EmbeddedRedis promoted = cluster.primaryOf(slot);
        long promotion = System.nanoTime();

        assertThat(promoted).isNotEqualTo(killed);
        Duration delay = Duration.ofNanos(executed.join() - promotion);
        System.out.println("a command was executed after the promotion: ms=" + delay.toMillis());
        assertThat(delay).isLessThan(Duration.ofSeconds(2));
    }

    @Test
    void eachCommandHasOneOutcomeWhenAPrimaryIsKilled() throws Exception {
        EmbeddedRedis killed = cluster.primaryOf(KeySlot.of("key-0"));
        AtomicBoolean ended = new AtomicBoolean();
        List<CompletableFuture<Long>> futures = new ArrayList<>();
        Thread caller = Thread.ofVirtual().start(() -> {
            for (int i = 0; !ended.get(); i++) {
                futures.add(client.send(Strings.increment("key-" + i % 1_000)));
            }
        });

        Eventually.await("commands were executed", () -> client.counts().ok() > 5_000);
        killed.kill();
        client.call(Strings.set("{key-0}:after", "1"));
        ended.set(true);
        caller.join();

        for (CompletableFuture<Long> future : futures) {
            try {
                future.join();
            } catch (CompletionException e) {
                assertThat(e).hasCauseInstanceOf(ConnectionLostException.class);
            }
        }
        long failed = futures.stream()
                .filter(CompletableFuture::isCompletedExceptionally)
                .count();
        CommandCounts counts = client.counts();
        assertThat(counts.submitted()).isEqualTo(futures.size() + 1);
        assertThat(counts.ok()).isEqualTo(futures.size() + 1 - failed);
        assertThat(counts.lost()).isEqualTo(failed);
    }

    @Test
    void trackingContinuesAtThePromotedReplica() {
        EmbeddedRedis killed = cluster.primaryOf(KeySlot.of("near"));
        try (Tracking tracking = client.track(TrackingOptions.prefixes("tracked", "near"))) {
            killed.kill();
            client.call(Strings.set("near", "1"));

            Eventually.await("tracking is up to date", tracking::isUpToDate);
            assertThat(tracking.poll(Duration.ZERO)).containsInstanceOf(Invalidation.Everything.class);
            Eventually.await("the key is invalidated", () -> {
                client.call(Strings.set("near", "2"));
                return isChanged(tracking, "near");
            });
        }
    }

    private static boolean isChanged(Tracking tracking, String key) {
        return tracking.poll(Duration.ofSeconds(1))
                .filter(next -> next instanceof Invalidation.ChangedKeys changed
                        && changed.keys().contains(key))
                .isPresent();
    }

    @Test
    void plannedFailoverLosesNoCommand() {
        int slot = KeySlot.of("planned");
        EmbeddedRedis replica = cluster.replicasOf(cluster.primaryOf(slot)).getFirst();
        Thread failover = Thread.ofPlatform().start(() -> cluster.failOver(replica));
        Deque<CompletableFuture<Long>> inFlight = new ArrayDeque<>();
        long sent = 0;
        long received = 0;

        while (failover.isAlive() || sent < 10 * IN_FLIGHT) {
            inFlight.add(client.send(Strings.increment("planned")));
            sent++;
            if (inFlight.size() == IN_FLIGHT) {
                assertThat(inFlight.remove().join()).isEqualTo(++received);
            }
        }
        for (CompletableFuture<Long> value : inFlight) {
            assertThat(value.join()).isEqualTo(++received);
        }

        assertThat(cluster.primaryOf(slot)).isEqualTo(replica);
        assertThat(client.counts().ok()).isEqualTo(sent);
    }

    @Test
    void commandsContinueAtTheReplicaOfAHangingPrimary() {
        EmbeddedRedis hanging = cluster.primaryOf(0);
        List<String> others = IntStream.range(0, 1_000)
                .mapToObj(i -> "key-" + i)
                .filter(key -> !cluster.primaryOf(KeySlot.of(key)).equals(hanging))
                .limit(100)
                .toList();
        String keyOfHanging = keyOf(hanging);
        hanging.pause();
        try {
            CompletableFuture<String> waiting =
                    client.send(Strings.set(keyOfHanging, "1").idempotently());

            others.forEach(key -> client.call(Strings.set(key, "1")));

            assertThat(client.call(Strings.get(others.getFirst()))).contains("1");
            assertThat(cluster.primaryOf(KeySlot.of(keyOfHanging))).isNotEqualTo(hanging);
            // The command may be repeated, so the client sends it to the promoted replica.
            assertThat(waiting.orTimeout(5, TimeUnit.SECONDS).join()).isEqualTo("OK");
        } finally {
            hanging.resume();
        }
    }

    private String keyOf(EmbeddedRedis node) {
        return IntStream.range(0, 1_000)
                .mapToObj(i -> "hang-" + i)
                .filter(key -> cluster.primaryOf(KeySlot.of(key)).equals(node))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void unreachableSeedsAreNamedWithTheirReasons() {
        RedisUri uri = RedisUri.parse("redis-cluster://127.0.0.1:1,127.0.0.1:2");

        RedisException failure = catchThrowableOfType(RedisException.class, () -> RedisClient.connect(uri));

        assertThat(failure).hasMessageMatching("(?s).*127\\.0\\.0\\.1:1: .*refused.*127\\.0\\.0\\.1:2: .*refused.*");
        assertThat(client.call(Server.ping())).isEqualTo("PONG");
    }
}
